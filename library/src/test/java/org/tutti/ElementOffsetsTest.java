/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The offsets of elements in a part, near and far: elements lie at multiples of their size, which a view counts. */
@Timeout(120)
class ElementOffsetsTest {
    private static final int BYTES = 64;

    static List<OneSidedTest.Shape> shapes() {
        return OneSidedTest.shapes().toList();
    }

    /** A call with elements of a size. */
    private record Call(int elementBytes, Runnable call) {}

    private static List<Call> calls(RemotePart part, long offset) {
        NonBlockingPart later = part.nonBlocking();
        List<Call> calls = new ArrayList<>();
        calls.addAll(List.of(
                new Call(2, () -> part.put(offset, new char[1])), new Call(2, () -> part.put(offset, new short[1])),
                new Call(4, () -> part.put(offset, new int[1])), new Call(8, () -> part.put(offset, new long[1])),
                new Call(4, () -> part.put(offset, new float[1])), new Call(8, () -> part.put(offset, new double[1])),
                new Call(8, () -> part.put(offset, Span.of(new double[1]))),
                new Call(8, () -> part.put(offset, new double[0])),
                new Call(2, () -> part.get(offset, new char[1])), new Call(2, () -> part.get(offset, new short[1])),
                new Call(4, () -> part.get(offset, new int[1])), new Call(8, () -> part.get(offset, new long[1])),
                new Call(4, () -> part.get(offset, new float[1])), new Call(8, () -> part.get(offset, new double[1])),
                new Call(8, () -> part.get(offset, Span.of(new long[1])))));
        calls.addAll(List.of(new Call(4, () -> part.putNotify(offset, new int[1], 0)),
                new Call(8, () -> part.putNotify(offset, Span.of(new long[0]), 0)),
                new Call(8, () -> part.fill(offset, 1, 1L)), new Call(8, () -> part.fill(offset, 1, 0.5)),
                new Call(4, () -> part.fill(offset, 1, 1)), new Call(4, () -> part.fill(offset, 1, 0.5f)),
                new Call(4, () -> part.accumulate(offset, new int[1], Reduction.SUM)),
                new Call(8, () -> part.accumulate(offset, new double[1], 0.5)),
                new Call(8, () -> part.replace(offset, new long[1])), new Call(8, () -> part.fetchLong(offset)),
                new Call(4, () -> part.fetchInt(offset)), new Call(8, () -> part.fetchAddLong(offset, 0)),
                new Call(4, () -> part.swapInt(offset, 0)),
                new Call(16, () -> part.accumulateComplex(offset, new double[2], 1, 1)),
                new Call(8, () -> later.put(offset, new long[1])),
                new Call(8, () -> later.get(offset, new double[1]).await()),
                new Call(4, () -> later.putNotify(offset, new float[1], 0))));
        for (DataType type : DataType.values()) {
            Span span = Span.of(Arena.ofAuto().allocate(8), type, 0, 1);
            Section there = Section.of(offset, type.bytes());
            Section vector = Section.vector(new long[]{offset, 63}, new long[]{type.bytes(), 0});
            Section here = Section.of(0, type.bytes());
            calls.add(new Call(type.bytes(), () -> part.put(there, span, here)));
            calls.add(new Call(type.bytes(), () -> part.get(vector, span, here)));
            calls.add(new Call(type.bytes(), () -> part.putNotify(there, span, here, 0)));
            calls.add(new Call(type.bytes(), () -> later.get(there, span, here).await()));
            calls.add(new Call(type.bytes(), () -> later.put(vector, span, here).await()));
        }
        return calls;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldRefuseOffsetsThatCutElements(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int other = (world.rank() + 1) % world.size();
            try (RemoteMemory memory = world.allocate(BYTES)) {
                for (long offset : new long[]{0, 1, 2, 3, 4, 6, 8, 12, 16, 20}) {
                    for (Call each : calls(memory.at(other), offset)) {
                        if (offset % each.elementBytes == 0) {
                            each.call.run();
                        } else {
                            assertThatThrownBy(each.call::run).isInstanceOf(IllegalArgumentException.class)
                                    .hasMessageContaining("rank " + world.rank() + " cannot ")
                                    .hasMessageContaining("of rank " + other + "'s part")
                                    .hasMessageContaining(each.elementBytes + " bytes each");
                        }
                    }
                }
                assertThatThrownBy(() -> memory.at(other).put(3, new double[2]))
                        .hasMessage("rank " + world.rank() + " cannot put at offset 3 of rank " + other
                                + "'s part: elements of type DOUBLE, 8 bytes each, lie at multiples of 8");
                assertThatThrownBy(() -> memory.at(other).get(Section.of(3, 8), Span.of(new double[2]),
                        Section.of(8, 8)))
                        .hasMessage("rank " + world.rank() + " cannot get a section of 8 bytes in 1 run, from byte 3 to"
                                + " 11, of rank " + other + "'s part: its runs cut elements of type DOUBLE, which have "
                                + "8 bytes each and begin at multiples of that");
                memory.at(other).put(3, new byte[5]);
                memory.at(other).put(3, Span.of(new long[1]).segment());
                memory.barrier();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldCountInElements(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            int next = (self + 1) % world.size();
            int from = (self + world.size() - 1) % world.size();
            try (RemoteMemory memory = world.allocate(DataType.DOUBLE, 20);
                    RemoteMemory ints = world.allocate(DataType.INT, 4)) {
                RemotePart part = memory.at(next).elements();
                assertThat(part).isSameAs(memory.at(next).elements()).isSameAs(part.elements());
                assertThat(part.size()).isEqualTo(20);
                assertThat(part.rank()).isEqualTo(next);
                assertThat(ints.at(next).elements().size()).isEqualTo(4);
                part.put(1, new double[]{self, 2, 3});
                part.withProtocol(TransferProtocol.PIPELINED).put(4, new double[]{4.5});
                part.fill(5, 2, 7.0);
                part.accumulate(2, new double[]{0.5}, 2.0);
                part.nonBlocking().put(7, new double[]{8}).await();
                part.put(8, new int[]{5, 6});
                memory.at(next).elements().putNotify(9, new double[]{9}, 2);
                Aggregate aggregate = memory.aggregate();
                aggregate.at(next).elements().put(10, new double[]{10});
                aggregate.await();
                part.put(Section.of(DataType.DOUBLE, 11, 2), Span.of(new double[]{0, 11, 12}),
                        Section.of(DataType.DOUBLE, 1, 2));
                ints.at(next).elements().fetchAddInt(3, self + 1);
                memory.awaitMore(2, 1);
                memory.barrier();
                ints.barrier();
                double[] expected = new double[20];
                double[] first = {0, from, 3, 3, 4.5, 7, 7, 8};
                System.arraycopy(first, 0, expected, 0, first.length);
                expected[9] = 9;
                expected[10] = 10;
                expected[11] = 11;
                expected[12] = 12;
                double[] found = memory.local().toArray(ValueLayout.JAVA_DOUBLE);
                assertThat(memory.local().get(ValueLayout.JAVA_INT, 64)).isEqualTo(5);
                assertThat(memory.local().get(ValueLayout.JAVA_INT, 68)).isEqualTo(6);
                found[8] = 0;
                assertThat(found).isEqualTo(expected);
                assertThat(ints.local().getAtIndex(ValueLayout.JAVA_INT, 3)).isEqualTo(from + 1);
                assertThat(ints.at(self).elements().fetchInt(3)).isEqualTo(from + 1);
                double[] got = new double[2];
                part.get(2, got);
                assertThat(got).containsExactly(3, 3);
                part.nonBlocking().get(4, got).await();
                assertThat(got).containsExactly(4.5, 7);
                assertThatThrownBy(() -> part.put(19, new double[2])).isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessage("rank " + self + " cannot put 16 bytes at element 19 of rank " + next
                                + "'s part, which has 20 elements of 8 bytes");
                for (long index : new long[]{-1, 20, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 61}) {
                    assertThatThrownBy(() -> part.get(index, got)).isInstanceOf(IndexOutOfBoundsException.class);
                }
                assertThatThrownBy(() -> ints.at(next).elements().put(1, new double[1]))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at offset 4");
                memory.barrier();
            }
            try (RemoteMemory bytes = world.allocate(8)) {
                assertThat(bytes.at(0).elements()).isSameAs(bytes.at(0));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldUseNoStrideOfLessThanTwoRuns(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 8)) {
                RemotePart part = memory.at(world.size() - 1);
                Span eight = Span.of(new long[]{1, 1, 1, 1, 1, 1, 1, 1});
                Section all = Section.of(0, 64);
                Section one = Section.strided(0, 64, new long[]{1}, new long[]{7});
                Section none = Section.strided(0, 8, new long[]{3, 0}, new long[]{16, 1});
                Section rows = Section.strided(0, 16, new long[]{2, 1, 2}, new long[]{16, Long.MAX_VALUE, 32});
                part.accumulate(one, eight, all, Reduction.SUM);
                part.accumulate(rows, eight, all, 2);
                part.accumulate(none, eight, Section.of(3, 0), 2);
                part.replace(none, eight, none);
                part.put(none, eight, none);
                memory.barrier();
                long[] got = new long[8];
                part.get(one, Span.of(got), one);
                assertThat(got).containsOnly(3L * world.size());
                memory.barrier();
                part.put(one, eight, all);
                memory.barrier();
                assertThatThrownBy(() -> part.put(Section.strided(0, 8, new long[]{2}, new long[]{1L << 62}),
                        eight, Section.of(0, 16))).isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessage("rank " + world.rank() + " cannot put a section of 16 bytes in 2 runs, from byte 0"
                                + " to 4611686018427387912, as rank " + part.rank() + "'s part has 64 bytes");
            }
        });
    }
}
