/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongBinaryOperator;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Accumulates of sections, by all ranks at once into the same elements, against loops over elements. Values are small
 * whole numbers, so that sums of floats are exact in any order.
 */
@Timeout(120)
class SectionAccumulateTest {
    private static final int ELEMENTS = 9000;
    private static final List<DataType> TYPES =
            List.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE);

    /** An operation: what is called, and what it does to one element. */
    private record Operation(Reduction reduction, int scale, LongBinaryOperator each, boolean onWholeOnly) {
        @Override
        public String toString() {
            return reduction + " " + scale;
        }
    }

    private static final List<Operation> OPERATIONS = List.of(
            new Operation(Reduction.SUM, 1, (old, value) -> old + value, false),
            new Operation(null, -3, (old, value) -> old - 3 * value, false),
            new Operation(Reduction.MIN, 1, Math::min, false), new Operation(Reduction.MAX, 1, Math::max, false),
            new Operation(Reduction.BITWISE_AND, 1, (old, value) -> old & value, true),
            new Operation(Reduction.BITWISE_OR, 1, (old, value) -> old | value, true),
            new Operation(Reduction.BITWISE_XOR, 1, (old, value) -> old ^ value, true));

    private static long read(MemorySegment memory, DataType type, int index) {
        return switch (type) {
            case INT -> memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
            case LONG -> memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
            case FLOAT -> (long) memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
            default -> (long) memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
        };
    }

    private static void write(MemorySegment memory, DataType type, int index, long value) {
        switch (type) {
            case INT -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, (int) value);
            case LONG -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, value);
            case FLOAT -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, value);
            default -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, value);
        }
    }

    /** The elements that are accumulated into: a grid, or a list, as indexes of units of one element or two. */
    private static int[] places(boolean grid, int units) {
        List<Integer> places = new ArrayList<>();
        for (int i = 5; i < units - 3; i++) {
            if (grid ? i % 3 != 2 && i < units / 3 * 3 : i % 7 < 3 || i % 100 < 60) {
                places.add(i);
            }
        }
        return places.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Section section(int[] places, boolean grid, int unitBytes) {
        if (grid) {
            return Section.strided((long) places[0] * unitBytes, 2L * unitBytes, new long[]{places.length / 2},
                    new long[]{3L * unitBytes});
        }
        return Section.vector(Arrays.stream(places).mapToLong(place -> (long) place * unitBytes).toArray(),
                Arrays.stream(places).mapToLong(_ -> unitBytes).toArray());
    }

    private static long initial(int index) {
        return 40L + index % 50;
    }

    private static long contribution(int rank, int i) {
        return (rank * 31L + i * 7L) % 97 - 20;
    }

    private static void accumulateAll(Communicator world, TransferProtocol protocol, boolean grid) {
        int[] places = places(grid, ELEMENTS);
        int count = grid ? places.length / 2 * 2 : places.length;
        for (DataType type : TYPES) {
            try (RemoteMemory memory = world.allocate(type, world.rank() == 0 ? ELEMENTS : 0)) {
                RemotePart part = protocol == null ? memory.at(0) : memory.at(0).withProtocol(protocol);
                Section there = section(places, grid, type.bytes());
                Section here = Section.strided(0, type.bytes(), new long[]{count}, new long[]{2L * type.bytes()});
                MemorySegment source = MemorySegment.ofArray(new byte[2 * count * type.bytes()]);
                for (int i = 0; i < count; i++) {
                    write(source, type, 2 * i, contribution(world.rank(), i));
                }
                Span span = Span.of(source, type);
                for (Operation operation : OPERATIONS) {
                    boolean whole = type == DataType.INT || type == DataType.LONG;
                    if (whole || !operation.onWholeOnly) {
                        begin(memory, world, type);
                        if (operation.reduction == null) {
                            part.accumulate(there, span, here, operation.scale);
                        } else {
                            part.accumulate(there, span, here, operation.reduction);
                        }
                        memory.barrier();
                        check(memory, world, type, operation, places, count);
                    }
                }
                begin(memory, world, type);
                if (world.rank() == world.size() - 1) {
                    part.replace(there, span, here);
                }
                memory.barrier();
                check(memory, world, type, new Operation(null, 1, (_, value) -> value, false), places, count);
            }
        }
    }

    private static void begin(RemoteMemory memory, Communicator world, DataType type) {
        if (world.rank() == 0) {
            for (int i = 0; i < ELEMENTS; i++) {
                write(memory.local(), type, i, initial(i));
            }
        }
        memory.barrier();
    }

    private static void check(RemoteMemory memory, Communicator world, DataType type, Operation operation,
            int[] places, int count) {
        if (world.rank() == 0) {
            long[] expected = new long[ELEMENTS];
            Arrays.setAll(expected, SectionAccumulateTest::initial);
            for (int rank = 0; rank < world.size(); rank++) {
                for (int i = 0; i < count; i++) {
                    expected[places[i]] = operation.each.applyAsLong(expected[places[i]], contribution(rank, i));
                }
            }
            long[] found = new long[ELEMENTS];
            Arrays.setAll(found, i -> read(memory.local(), type, i));
            assertThat(found).as("%s of %s", operation, type).isEqualTo(expected);
        }
        memory.barrier();
    }

    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldCombineEverySectionWithEveryOperation(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            accumulateAll(job.world(), null, true);
            accumulateAll(job.world(), null, false);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldCombineSectionsByEveryProtocol(TransferProtocol protocol) {
        for (int rails : new int[]{1, 2}) {
            LocalNodes.run(new int[]{0, 1, 2}, Threads.PLATFORM, rails, job -> {
                accumulateAll(job.world(), protocol, true);
                accumulateAll(job.world(), protocol, false);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldReplaceFromArrays(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            try (RemoteMemory memory = world.allocate(48)) {
                RemotePart next = memory.at((self + 1) % world.size());
                next.replace(0, new int[]{self, -1});
                next.replace(8, new long[]{self + 1L});
                next.replace(16, new float[]{self + 0.5f, 2});
                next.replace(24, new double[]{self + 0.25, 3});
                memory.barrier();
                int from = (self + world.size() - 1) % world.size();
                MemorySegment local = memory.local();
                assertThat(local.asSlice(0, 8).toArray(ValueLayout.JAVA_INT)).containsExactly(from, -1);
                assertThat(local.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(from + 1L);
                assertThat(local.asSlice(16, 8).toArray(ValueLayout.JAVA_FLOAT)).containsExactly(from + 0.5f, 2);
                assertThat(local.asSlice(24, 16).toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(from + 0.25, 3);
                assertThat(local.get(ValueLayout.JAVA_LONG, 40)).isZero();
            }
        });
    }

    // ---- complex numbers

    private static final int CALLS = 5;

    /** All ranks add (2 − 3i) times numbers of theirs to the same numbers of rank 0, whole, and in sections. */
    private static void accumulateComplex(Communicator world, TransferProtocol protocol, DataType type) {
        int pairs = 2000;
        int pairBytes = 2 * type.bytes();
        int[] places = places(false, pairs);
        try (RemoteMemory memory = world.allocate(type, world.rank() == 0 ? 2L * pairs : 0)) {
            RemotePart part = protocol == null ? memory.at(0) : memory.at(0).withProtocol(protocol);
            MemorySegment source = MemorySegment.ofArray(new byte[pairs * pairBytes]);
            for (int i = 0; i < 2 * pairs; i++) {
                write(source, type, i, contribution(world.rank(), i));
            }
            Span span = Span.of(source, type);
            Section there = section(places, false, pairBytes);
            for (int call = 0; call < CALLS; call++) {
                part.accumulateComplex(0, span, 2, -3);
                part.accumulateComplex(there, span, Section.of(0, there.bytes()), 2, -3);
            }
            if (type == DataType.FLOAT) {
                part.accumulateComplex(8, new float[]{5, 7}, 0, 1);
            } else {
                part.accumulateComplex(16, new double[]{5, 7}, 0, 1);
            }
            memory.barrier();
            if (world.rank() == 0) {
                long[] expected = new long[2 * pairs];
                for (int rank = 0; rank < world.size(); rank++) {
                    for (int i = 0; i < pairs; i++) {
                        add(expected, i, rank, i);
                    }
                    for (int i = 0; i < places.length; i++) {
                        add(expected, places[i], rank, i);
                    }
                    expected[2] -= 7; // i · (5 + 7i)
                    expected[3] += 5;
                }
                long[] found = new long[2 * pairs];
                Arrays.setAll(found, i -> read(memory.local(), type, i));
                assertThat(found).as("complex %s", type).isEqualTo(expected);
            }
        }
    }

    private static void add(long[] expected, int to, int rank, int from) {
        long real = contribution(rank, 2 * from);
        long imaginary = contribution(rank, 2 * from + 1);
        expected[2 * to] += CALLS * (2 * real + 3 * imaginary);
        expected[2 * to + 1] += CALLS * (2 * imaginary - 3 * real);
    }

    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldAddComplexNumbers(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            accumulateComplex(job.world(), null, DataType.FLOAT);
            accumulateComplex(job.world(), null, DataType.DOUBLE);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddComplexNumbersByEveryProtocol(TransferProtocol protocol) {
        for (int rails : new int[]{1, 2}) {
            LocalNodes.run(new int[]{0, 1, 1}, Threads.PLATFORM, rails, job -> {
                accumulateComplex(job.world(), protocol, DataType.FLOAT);
                accumulateComplex(job.world(), protocol, DataType.DOUBLE);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("org.tutti.OneSidedTest#shapes")
    void shouldRefuseComplexNumbersThatAreNone(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(64)) {
                RemotePart part = memory.at(world.size() - 1);
                Span two = Span.of(new double[2]);
                assertThatThrownBy(() -> part.accumulateComplex(0, new double[3], 1, 0))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pairs");
                assertThatThrownBy(() -> part.accumulateComplex(0, Span.of(new long[2]), 1, 0))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pairs");
                assertThatThrownBy(() -> part.accumulateComplex(8, two, 1, 0))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("lie at multiples of 16");
                assertThatThrownBy(() -> part.accumulateComplex(56, new float[4], 1, 0))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> part.accumulateComplex(Section.of(8, 16), two, Section.of(0, 16), 1, 0))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("its runs cut complex numbers");
                memory.barrier();
                assertThat(memory.local().toArray(ValueLayout.JAVA_BYTE)).containsOnly(new byte[64]);
            }
        });
    }
}
