/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Remote memory on threads of one node, and between nodes with the real fabric, against plain computations. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class OneSidedTest {
    private static final int SLICE_BYTES = 300_000;

    record Shape(String name, int size, Consumer<Program> runner) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Shape local(int ranks, Threads threads) {
        return new Shape(ranks + " " + threads, ranks,
                program -> Tutti.runLocal(ranks, JobOptions.DEFAULT.withThreads(threads), program));
    }

    private static Shape nodes(int... nodeOfRank) {
        return new Shape("nodes " + Arrays.toString(nodeOfRank), nodeOfRank.length,
                program -> LocalNodes.run(nodeOfRank, program));
    }

    static Stream<Shape> shapes() {
        return Stream.of(local(1, Threads.PLATFORM), local(3, Threads.PLATFORM), local(5, Threads.VIRTUAL),
                nodes(0, 1), nodes(0, 0, 1, 1), nodes(0, 1, 2));
    }

    /** One put. The rank that makes it and the rank that checks the result draw the same one. */
    private record Put(int offset, byte[] bytes) {
        static Put draw(Random random) {
            int length = switch (random.nextInt(4)) {
                case 0 -> random.nextInt(9);
                case 1 -> random.nextInt(2000);
                case 2 -> random.nextInt(20_000);
                default -> random.nextInt(SLICE_BYTES);
            };
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return new Put(random.nextInt(SLICE_BYTES - length + 1), bytes);
        }
    }

    private static Random random(int writer, int target, int round) {
        return new Random(writer * 1_000L + target * 10L + round);
    }

    private static final int PUTS = 12;

    /** Each rank writes to a slice of its own in every part. */
    private static byte[] expectedSlice(int writer, int target, int rounds) {
        byte[] slice = new byte[SLICE_BYTES];
        for (int round = 0; round < rounds; round++) {
            Random random = random(writer, target, round);
            for (int i = 0; i < PUTS; i++) {
                Put put = Put.draw(random);
                System.arraycopy(put.bytes, 0, slice, put.offset, put.bytes.length);
            }
        }
        return slice;
    }

    private static void put(RemotePart part, long offset, byte[] bytes, int how, Arena arena) {
        switch (how % 3) {
            case 0 -> part.put(offset, bytes);
            case 1 -> part.put(offset, Span.of(bytes));
            default -> {
                MemorySegment offHeap = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
                MemorySegment.copy(bytes, 0, offHeap, ValueLayout.JAVA_BYTE, 0, bytes.length);
                part.put(offset, offHeap);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldPutWhatOthersSeeAfterABarrier(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            int size = world.size();
            try (RemoteMemory memory = world.allocate((long) size * SLICE_BYTES); Arena arena = Arena.ofConfined()) {
                for (int round = 0; round < 3; round++) {
                    for (int target = 0; target < size; target++) {
                        Random random = random(self, target, round);
                        for (int i = 0; i < PUTS; i++) {
                            Put put = Put.draw(random);
                            put(memory.at(target), (long) self * SLICE_BYTES + put.offset, put.bytes, i + round, arena);
                        }
                    }
                    memory.barrier();
                    for (int writer = 0; writer < size; writer++) {
                        byte[] expected = expectedSlice(writer, self, round + 1);
                        assertThat(memory.local().asSlice((long) writer * SLICE_BYTES, SLICE_BYTES)
                                .toArray(ValueLayout.JAVA_BYTE)).as("slice of rank %d", writer).isEqualTo(expected);
                        checkGets(memory.at((self + 1) % size), writer, round + 1, arena);
                    }
                    memory.barrier();
                }
            }
        });
    }

    private static void checkGets(RemotePart part, int writer, int rounds, Arena arena) {
        byte[] expected = expectedSlice(writer, part.rank(), rounds);
        long start = (long) writer * SLICE_BYTES;
        byte[] all = new byte[SLICE_BYTES];
        part.get(start, all);
        assertThat(all).isEqualTo(expected);
        byte[] few = new byte[1001];
        part.get(start + 77, Span.of(few, 1, 1000));
        assertThat(Arrays.copyOfRange(few, 1, 1001)).isEqualTo(Arrays.copyOfRange(expected, 77, 1077));
        assertThat(few[0]).isZero();
        MemorySegment offHeap = Arena.ofAuto().allocate(70_000);
        part.get(start + 5, offHeap);
        assertThat(offHeap.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Arrays.copyOfRange(expected, 5, 70_005));
        assertThatThrownBy(() -> part.get(0, arena.allocate(8))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only this thread can use");
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldMoveArraysOfEveryType(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1000)) {
                int from = (world.rank() + world.size() - 1) % world.size();
                RemotePart next = memory.at((world.rank() + 1) % world.size());
                int self = world.rank();
                next.put(0, new byte[]{(byte) self, 2});
                next.put(8, new char[]{(char) ('a' + self)});
                next.put(16, new short[]{(short) -self});
                next.put(24, new int[]{self, 1 << 30});
                next.put(32, new long[]{self, Long.MIN_VALUE});
                next.put(48, new float[]{self + 0.5f});
                next.put(56, new double[]{self + 0.25, Double.NaN});
                memory.barrier();
                RemotePart own = memory.at(self);
                byte[] bytes = new byte[2];
                char[] chars = new char[1];
                short[] shorts = new short[1];
                int[] ints = new int[2];
                long[] longs = new long[2];
                float[] floats = new float[1];
                double[] doubles = new double[2];
                own.get(0, bytes);
                own.get(8, chars);
                own.get(16, shorts);
                own.get(24, ints);
                own.get(32, longs);
                own.get(48, floats);
                own.get(56, doubles);
                assertThat(bytes).containsExactly(from, 2);
                assertThat(chars).containsExactly((char) ('a' + from));
                assertThat(shorts).containsExactly((short) -from);
                assertThat(ints).containsExactly(from, 1 << 30);
                assertThat(longs).containsExactly(from, Long.MIN_VALUE);
                assertThat(floats).containsExactly(from + 0.5f);
                assertThat(doubles).containsExactly(from + 0.25, Double.NaN);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGiveEveryTicketOnce(Shape shape) {
        int calls = 500;
        Set<Long> longs = ConcurrentHashMap.newKeySet();
        Set<Integer> ints = ConcurrentHashMap.newKeySet();
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int holder = world.size() - 1;
            try (RemoteMemory memory = world.allocate(64)) {
                for (int i = 0; i < calls; i++) {
                    longs.add(memory.at(holder).fetchAddLong(16, 3));
                    ints.add(memory.at(holder).fetchAddInt(28, -1));
                }
                memory.barrier();
                if (world.rank() == holder) {
                    int all = calls * world.size();
                    assertThat(memory.local().get(ValueLayout.JAVA_LONG, 16)).isEqualTo(3L * all);
                    assertThat(memory.local().get(ValueLayout.JAVA_INT, 24)).as("the int before").isZero();
                    assertThat(memory.local().get(ValueLayout.JAVA_INT, 28)).isEqualTo(-all);
                    assertThat(memory.local().get(ValueLayout.JAVA_INT, 32)).as("the int after").isZero();
                    assertThat(longs).hasSize(all).allMatch(ticket -> ticket % 3 == 0 && ticket < 3L * all);
                    assertThat(ints).hasSize(all).allMatch(ticket -> ticket <= 0 && ticket > -all);
                }
            }
        });
    }

    /** A lock of compare-and-swap and a counter that is got and put: a lost update would show a missing fence. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldMakePutsVisibleBeforeWhatFollowsAFence(Shape shape) {
        int calls = 60;
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int holder = 0;
            try (RemoteMemory memory = world.allocate(world.rank() == holder ? 24 : 0)) {
                RemotePart part = memory.at(holder);
                long[] counter = new long[1];
                for (int i = 0; i < calls; i++) {
                    while (part.compareAndSwapLong(0, 0, world.rank() + 1) != 0) {
                        LockSupport.parkNanos(1); // virtual threads that only yield can starve the holder
                    }
                    part.get(8, counter);
                    counter[0]++;
                    part.put(8, counter);
                    memory.fence(holder);
                    assertThat(part.swapLong(0, 0)).isEqualTo(world.rank() + 1);
                }
                memory.barrier();
                part.get(8, counter);
                assertThat(counter[0]).isEqualTo((long) calls * world.size());
                memory.barrier();
                if (world.rank() == holder) {
                    assertThat(part.swapInt(16, -5)).isZero();
                    assertThat(part.compareAndSwapInt(16, 4, 9)).isEqualTo(-5);
                    assertThat(part.compareAndSwapInt(16, -5, 9)).isEqualTo(-5);
                    assertThat(part.swapInt(16, 0)).isEqualTo(9);
                    assertThat(part.compareAndSwapLong(8, counter[0] + 1, 1)).isEqualTo(counter[0]);
                    assertThat(part.swapLong(8, 2)).isEqualTo(counter[0]);
                }
            }
        });
    }

    private static final List<Reduction> ON_ALL_TYPES = List.of(Reduction.SUM, Reduction.MIN, Reduction.MAX);
    private static final List<Reduction> ON_WHOLE_NUMBERS =
            List.of(Reduction.BITWISE_AND, Reduction.BITWISE_OR, Reduction.BITWISE_XOR);
    private static final int ELEMENTS = 30_000;
    private static final int ACCUMULATES = 4;

    /** A range of elements, small whole numbers so that sums of floats are exact in any order. */
    private record Contribution(int from, int[] values) {
        static Contribution draw(Random random) {
            int count = random.nextBoolean() ? random.nextInt(20) : random.nextInt(ELEMENTS);
            int[] values = random.ints(count, -50, 50).toArray();
            return new Contribution(random.nextInt(ELEMENTS - count + 1), values);
        }
    }

    private static int combine(Reduction reduction, int scale, int here, int there) {
        if (reduction == Reduction.SUM) {
            return here + scale * there;
        } else if (reduction == Reduction.MIN) {
            return Math.min(here, there);
        } else if (reduction == Reduction.MAX) {
            return Math.max(here, there);
        } else if (reduction == Reduction.BITWISE_AND) {
            return here & there;
        }
        return reduction == Reduction.BITWISE_OR ? here | there : here ^ there;
    }

    private static int[] expectedElements(Reduction reduction, int scale, int target, int size) {
        int[] expected = new int[ELEMENTS];
        Arrays.setAll(expected, i -> i % 7 - 3);
        for (int writer = 0; writer < size; writer++) {
            Random random = random(writer, target, 7);
            for (int k = 0; k < ACCUMULATES; k++) {
                Contribution more = Contribution.draw(random);
                for (int i = 0; i < more.values.length; i++) {
                    int at = more.from + i;
                    expected[at] = combine(reduction, scale, expected[at], more.values[i]);
                }
            }
        }
        return expected;
    }

    private static void accumulate(RemotePart part, DataType type, Reduction reduction, int scale, Contribution more) {
        long offset = (long) more.from * type.bytes();
        boolean scaled = scale != 1;
        switch (type) {
            case INT -> {
                if (scaled) {
                    part.accumulate(offset, more.values, scale);
                } else {
                    part.accumulate(offset, more.values, reduction);
                }
            }
            case LONG -> {
                long[] values = Arrays.stream(more.values).asLongStream().toArray();
                if (scaled) {
                    part.accumulate(offset, Span.of(values), scale);
                } else {
                    part.accumulate(offset, values, reduction);
                }
            }
            case FLOAT -> {
                float[] values = new float[more.values.length];
                for (int i = 0; i < values.length; i++) {
                    values[i] = more.values[i];
                }
                if (scaled) {
                    part.accumulate(offset, values, scale);
                } else {
                    part.accumulate(offset, Span.of(values), reduction);
                }
            }
            default -> {
                MemorySegment values = Arena.ofAuto().allocate(8L * more.values.length + 1).asSlice(1);
                for (int i = 0; i < more.values.length; i++) {
                    values.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, more.values[i]);
                }
                Span span = Span.of(values, DataType.DOUBLE);
                if (scaled) {
                    part.accumulate(offset, span, scale);
                } else {
                    part.accumulate(offset, span, reduction);
                }
            }
        }
    }

    private static double element(MemorySegment part, DataType type, int index) {
        return switch (type) {
            case INT -> part.getAtIndex(ValueLayout.JAVA_INT, index);
            case LONG -> part.getAtIndex(ValueLayout.JAVA_LONG, index);
            case FLOAT -> part.getAtIndex(ValueLayout.JAVA_FLOAT, index);
            default -> part.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
        };
    }

    private static void setElement(MemorySegment part, DataType type, int index, int value) {
        switch (type) {
            case INT -> part.setAtIndex(ValueLayout.JAVA_INT, index, value);
            case LONG -> part.setAtIndex(ValueLayout.JAVA_LONG, index, value);
            case FLOAT -> part.setAtIndex(ValueLayout.JAVA_FLOAT, index, value);
            default -> part.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
        }
    }

    static Stream<Arguments> accumulates() {
        Stream<DataType> types = Stream.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE);
        return Rows.sampled(types.flatMap(type -> shapes().map(shape -> Arguments.of(shape, type))));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("accumulates")
    void shouldAccumulateEveryElementOnce(Shape shape, DataType type) {
        boolean whole = type == DataType.INT || type == DataType.LONG;
        List<Reduction> reductions = Stream.concat(ON_ALL_TYPES.stream(),
                whole ? ON_WHOLE_NUMBERS.stream() : Stream.of()).toList();
        shape.runner.accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(type, ELEMENTS)) {
                for (Reduction reduction : reductions) {
                    for (int scale : reduction == Reduction.SUM ? new int[]{1, -3} : new int[]{1}) {
                        for (int i = 0; i < ELEMENTS; i++) {
                            setElement(memory.local(), type, i, i % 7 - 3);
                        }
                        memory.barrier();
                        for (int target = 0; target < world.size(); target++) {
                            Random random = random(world.rank(), target, 7);
                            for (int k = 0; k < ACCUMULATES; k++) {
                                accumulate(memory.at(target), type, reduction, scale, Contribution.draw(random));
                            }
                        }
                        memory.barrier();
                        int[] expected = expectedElements(reduction, scale, world.rank(), world.size());
                        for (int i = 0; i < ELEMENTS; i++) {
                            if (element(memory.local(), type, i) != expected[i]) {
                                throw new AssertionError(reduction + " × " + scale + ": element " + i + " is "
                                        + element(memory.local(), type, i) + " instead of " + expected[i]);
                            }
                        }
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldMixAccumulatesOfWholeNumbersWithAtomicOperations(Shape shape) {
        int calls = 200;
        shape.runner.accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 3)) {
                for (int i = 0; i < calls; i++) {
                    memory.at(0).accumulate(0, new long[]{1, 2, 3}, Reduction.SUM);
                    memory.at(0).fetchAddLong(8, 10);
                }
                memory.barrier();
                if (world.rank() == 0) {
                    long all = (long) calls * world.size();
                    assertThat(memory.local().toArray(ValueLayout.JAVA_LONG)).containsExactly(all, 12 * all, 3 * all);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldReplaceElementsWithoutTearingThem(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.DOUBLE, 2000)) {
                double[] own = new double[2000];
                Arrays.fill(own, 1 + world.rank() + 1e-9);
                int last = world.size() - 1;
                memory.at(last).replace(0, Span.of(own));
                memory.barrier();
                if (world.rank() == last) {
                    Set<Double> allowed = IntStream.range(0, world.size()).mapToObj(rank -> 1 + rank + 1e-9)
                            .collect(Collectors.toSet());
                    assertThat(Arrays.stream(memory.local().toArray(ValueLayout.JAVA_DOUBLE)).boxed().toList())
                            .isSubsetOf(allowed);
                }
                memory.barrier();
                int[] few = {world.rank(), -1};
                memory.at(last).replace(8L * world.rank(), Span.of(few));
                memory.barrier();
                int[] got = new int[2];
                memory.at(last).get(8L * world.rank(), got);
                assertThat(got).isEqualTo(few);
            }
        });
    }

    @Test
    void shouldRefuseAccumulatesThatMakeNoSense() {
        Tutti.runLocal(2, job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(16)) {
                RemotePart part = memory.at(1 - world.rank());
                assertThatThrownBy(() -> part.accumulate(0, new double[1], Reduction.BITWISE_OR))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("DOUBLE by bitwise-or");
                assertThatThrownBy(() -> part.accumulate(0, new double[1], Reduction.PRODUCT))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> part.accumulate(0, Span.of(new short[1]), Reduction.SUM))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> part.replace(0, Span.of(new byte[8])))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> part.accumulate(0, new int[1], 0.5))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("whole number");
                assertThatThrownBy(() -> part.accumulate(0, new long[1], 0x1p63))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("whole number");
                assertThatThrownBy(() -> part.accumulate(4, new double[1], Reduction.SUM))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("lie at multiples of 8");
                assertThatThrownBy(() -> part.accumulate(12, new int[2], Reduction.SUM))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                memory.barrier();
                assertThat(memory.local().toArray(ValueLayout.JAVA_BYTE)).containsOnly(new byte[16]);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGiveEveryRankWhatItAsksForAndZerosAgain(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            for (int round = 0; round < 4; round++) {
                long own = 100L * ((world.rank() + round) % 3);
                try (RemoteMemory memory = world.allocate(own); RemoteMemory other = world.allocate(own)) {
                    assertThat(memory.local().byteSize()).isEqualTo(own);
                    for (int rank = 0; rank < world.size(); rank++) {
                        long size = 100L * ((rank + round) % 3);
                        assertThat(memory.size(rank)).isEqualTo(size);
                        assertThat(memory.at(rank).size()).isEqualTo(size);
                        assertThat(memory.at(rank)).isSameAs(memory.at(rank));
                        assertThat(memory.at(rank).rank()).isEqualTo(rank);
                    }
                    assertThat(memory.local().toArray(ValueLayout.JAVA_BYTE)).containsOnly(new byte[(int) own]);
                    memory.local().fill((byte) 1);
                    other.local().fill((byte) 2);
                    memory.barrier();
                    for (int rank = 0; rank < world.size(); rank++) {
                        byte[] theirs = new byte[(int) memory.size(rank)];
                        memory.at(rank).get(0, theirs);
                        assertThat(theirs).containsOnly(filled(theirs.length, 1));
                        other.at(rank).get(0, theirs);
                        assertThat(theirs).containsOnly(filled(theirs.length, 2));
                    }
                }
            }
        });
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    @Test
    void shouldShowTheMemoryOfNeighboursOnly() {
        LocalNodes.run(new int[]{0, 0, 1}, job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(8)) {
                memory.local().set(ValueLayout.JAVA_LONG, 0, 40 + world.rank());
                memory.barrier();
                for (int rank = 0; rank < 3; rank++) {
                    RemotePart part = memory.at(rank);
                    if ((rank == 2) == (world.rank() == 2)) {
                        assertThat(part.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40 + rank);
                    } else {
                        assertThatThrownBy(part::segment).isInstanceOf(UnsupportedOperationException.class)
                                .hasMessage("rank " + world.rank() + " cannot load and store in the part of rank "
                                        + rank + ", which is on another node; use put and get");
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldRefuseWhatLiesOutside(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            RemoteMemory memory = world.allocate(64);
            int self = world.rank();
            int other = (self + 1) % world.size();
            RemotePart part = memory.at(other);
            assertThatThrownBy(() -> part.put(57, new long[1])).isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("rank " + self + " cannot put 8 bytes at offset 57 of rank " + other
                            + "'s part, which has 64 bytes");
            for (long offset : new long[]{-1, 61, 65, Long.MAX_VALUE, Long.MIN_VALUE}) {
                assertThatThrownBy(() -> part.get(offset, new int[1])).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> part.swapInt(offset, 1)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> part.fetchAddLong(offset, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            }
            part.put(64, new byte[0]);
            part.get(0, new byte[0]);
            assertThatThrownBy(() -> part.put(65, new byte[0])).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> part.fetchAddLong(4, 1)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("rank " + self + " cannot fetchAddLong at offset 4 of rank " + other
                            + "'s part: elements of type LONG, 8 bytes each, lie at multiples of 8");
            assertThatThrownBy(() -> part.compareAndSwapInt(2, 1, 1)).isInstanceOf(IllegalArgumentException.class);
            for (int rank : new int[]{-1, world.size()}) {
                assertThatThrownBy(() -> memory.at(rank)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("rank " + rank + " has no part");
                assertThatThrownBy(() -> memory.size(rank)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> memory.fence(rank)).isInstanceOf(IllegalArgumentException.class);
            }
            memory.barrier();
            assertThat(memory.local().toArray(ValueLayout.JAVA_BYTE)).containsOnly(new byte[64]);
            memory.close();
            memory.close();
            List<ThrowingCallable> calls = List.of(() -> part.put(0, new byte[1]), () -> part.get(0, new byte[1]),
                    () -> part.swapLong(0, 1), memory::local, () -> memory.fence(other), memory::fenceAll,
                    memory::barrier, memory.at(self)::segment);
            for (ThrowingCallable call : calls) {
                assertThatThrownBy(call).isInstanceOf(IllegalStateException.class);
            }
            assertThatThrownBy(() -> part.put(0, new byte[1])).isInstanceOf(IllegalStateException.class)
                    .hasMessage("rank " + self + " cannot put: this remote memory has been closed");
            assertThatThrownBy(() -> world.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> world.allocate(RemoteMemory.BYTES_MAX + 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> world.allocate(DataType.LONG, Long.MAX_VALUE))
                    .isInstanceOf(IllegalArgumentException.class);
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldTellAllRanksWhenOneFindsTooLittleMemory(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            boolean greedy = world.rank() == world.size() - 1;
            assertThatThrownBy(() -> world.allocate(greedy ? RemoteMemory.BYTES_MAX : 8))
                    .isInstanceOf(NodeMemoryException.class).hasMessageContaining(greedy
                            ? "the ranks of this node wanted 1.0 TiB together"
                            : "rank " + (world.size() - 1) + " found too little for its 1.0 TiB");
            try (RemoteMemory memory = world.allocate(8)) {
                memory.at(0).fetchAddLong(0, 1);
                memory.barrier();
                assertThat(memory.at(0).fetchAddLong(0, 0)).isEqualTo(world.size());
                memory.barrier();
            }
        });
    }

    /** Each rank puts a row into the next one's part, of which only the last piece notifies, and waits for its own. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldNotifyWhenThePutAndAllBeforeItAreVisible(Shape shape) {
        int count = 700;
        int rounds = 60;
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            int from = (self + world.size() - 1) % world.size();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 2 * count)) {
                RemotePart next = memory.at((self + 1) % world.size());
                RemotePart before = memory.at(from);
                long[] row = new long[count];
                for (int round = 1; round <= rounds; round++) {
                    Arrays.fill(row, round * 10L + self);
                    next.put(0, row);
                    next.accumulate(8L * count, row, Reduction.SUM);
                    if (round % 2 == 0) {
                        next.putNotify(0, Span.of(row), 3);
                    } else {
                        next.putNotify(16L * count, Span.of(new long[0]), 3);
                    }
                    memory.awaitNotifications(3, round);
                    assertThat(memory.notifications(3)).isEqualTo(round);
                    for (int i = 0; i < count; i++) {
                        assertThat(memory.local().getAtIndex(ValueLayout.JAVA_LONG, i)).isEqualTo(round * 10L + from);
                        assertThat(memory.local().getAtIndex(ValueLayout.JAVA_LONG, count + i))
                                .isEqualTo(5L * round * (round + 1) + (long) round * from);
                    }
                    before.putNotify(0, Span.of(new byte[0]), 15); // it may go on
                    memory.awaitNotifications(15, round);
                }
                assertThat(memory.notifications(0)).isZero();
            }
        });
    }

    /** Each rank puts a column into the next one's matrix, and elements of an array behind it. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldNotifyOfSectionsAndArrays(Shape shape) {
        int side = 90;
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            int from = (self + world.size() - 1) % world.size();
            try (RemoteMemory memory = world.allocate(8L * side * side + 4)) {
                RemotePart next = memory.at((self + 1) % world.size());
                Section all = Section.of(0, 8L * side);
                for (int column = 0; column < side; column++) {
                    double[] elements = new double[side];
                    Arrays.fill(elements, self * 100.0 + column);
                    next.putNotify(Section.box(DataType.DOUBLE, new long[]{side, side}, new long[]{0, column},
                            new long[]{side, 1}), Span.of(elements), all, 1);
                }
                next.putNotify(8L * side * side, new int[]{self}, 2);
                assertThatThrownBy(() -> next.putNotify(all, Span.of(new double[side]), all, 16))
                        .isInstanceOf(IndexOutOfBoundsException.class).hasMessageContaining("notification word 16");
                memory.awaitNotifications(1, side);
                for (int i = 0; i < side * side; i++) {
                    assertThat(memory.local().getAtIndex(ValueLayout.JAVA_DOUBLE, i))
                            .isEqualTo(from * 100.0 + i % side);
                }
                memory.awaitNotifications(2, 1);
                assertThat(memory.local().get(ValueLayout.JAVA_INT, 8L * side * side)).isEqualTo(from);
                memory.barrier();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldFillPartsWithValues(Shape shape) {
        int count = 5_000;
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 2 * count)) {
                RemotePart next = memory.at((self + 1) % world.size());
                next.fill(16, count, self - 7L);
                next.fill(0, 3, (byte) self);
                next.fill(8L * count + 16, 2, 0.5f);
                next.fill(8L * count + 24, 1, -2.5);
                next.fill(8L * count + 32, 2, 9);
                next.fill(16L * count, 0, 1.0);
                assertThatThrownBy(() -> next.fill(16L * count - 8, 2, 1L))
                        .isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessageContaining("cannot fill 16 bytes at offset ");
                assertThatThrownBy(() -> next.fill(8, Long.MAX_VALUE / 8 + 1, 1L))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                memory.barrier();
                int from = (self + world.size() - 1) % world.size();
                MemorySegment local = memory.local();
                assertThat(local.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(
                        new byte[]{(byte) from, (byte) from, (byte) from, 0});
                for (int i = 0; i < count; i++) {
                    assertThat(local.getAtIndex(ValueLayout.JAVA_LONG, 2 + i)).isEqualTo(from - 7L);
                }
                assertThat(local.get(ValueLayout.JAVA_FLOAT, 8L * count + 20)).isEqualTo(0.5f);
                assertThat(local.get(ValueLayout.JAVA_DOUBLE, 8L * count + 24)).isEqualTo(-2.5);
                assertThat(local.get(ValueLayout.JAVA_INT, 8L * count + 36)).isEqualTo(9);
                assertThat(local.getAtIndex(ValueLayout.JAVA_LONG, count + 5)).isZero();
                memory.barrier();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldCountTheNotificationsOfAllRanks(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int last = world.size() - 1;
            int each = 200;
            try (RemoteMemory memory = world.allocate(DataType.INT, world.size())) {
                for (int i = 1; i <= each; i++) {
                    memory.at(last).putNotify(4L * world.rank(), Span.of(new int[]{i}), 0);
                }
                if (world.rank() == last) {
                    memory.awaitNotifications(0, (long) each * world.size());
                    assertThat(memory.local().toArray(ValueLayout.JAVA_INT)).containsOnly(each);
                }
                assertThatThrownBy(() -> memory.awaitNotifications(RemoteMemory.NOTIFICATIONS, 1))
                        .isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessageContaining("word 16 of rank " + world.rank() + "'s part, which has 16;");
                assertThatThrownBy(() -> memory.at(last).putNotify(0, Span.of(new int[1]), -1))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> memory.at(last).putNotify(4L * world.size(), Span.of(new int[1]), 0))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                memory.barrier();
                assertThat(memory.notifications(0)).isEqualTo(world.rank() == last ? each * world.size() : 0);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldWaitForTheNextNotifications(Shape shape) {
        int words = 100;
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int next = (world.rank() + 1) % world.size();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1, words + world.rank())) {
                for (int round = 1; round <= 20; round++) {
                    memory.at(next).putNotify(0, new long[]{round}, 99);
                    memory.at(next).putNotify(0, new long[]{round}, 99);
                    memory.awaitMore(99, 1);
                    memory.awaitMore(99, 0);
                    memory.awaitMore(99, 1);
                    assertThat(memory.notifications(99)).isGreaterThanOrEqualTo(2 * round);
                }
                memory.barrier();
                memory.at(next).putNotify(0, new long[0], 7);
                memory.awaitNotifications(7, 1);
                memory.at(next).putNotify(0, new long[0], 7);
                memory.awaitMore(7, 1);
                memory.at(next).putNotify(0, new long[0], 7);
                assertThat(memory.awaitAny(5, 7, 6)).as("the third at word 7").isEqualTo(7);
                assertThat(memory.notifications(7)).isEqualTo(3);
                memory.barrier();
                for (int word = 0; word < 3; word++) {
                    memory.at(next).putNotify(0, new long[0], word);
                    memory.at(next).putNotify(0, new long[0], word);
                }
                memory.barrier();
                int[] any = {0, 1, 2};
                assertThat(IntStream.range(0, 6).map(_ -> memory.awaitAny(any)).boxed().toList()).as("they take turns")
                        .containsExactlyInAnyOrder(0, 1, 2, 0, 1, 2).doesNotContainSequence(0, 0)
                        .doesNotContainSequence(1, 1).doesNotContainSequence(2, 2);
                int last = world.size() - 1;
                memory.at(last).putNotify(0, new long[0], words + last - 1);
                int beyond = words + last;
                assertThatThrownBy(() -> memory.at(last).putNotify(0, new long[0], beyond))
                        .isInstanceOf(IndexOutOfBoundsException.class).hasMessage("rank " + world.rank()
                                + " cannot use notification word " + beyond + " of rank " + last + "'s part, which has "
                                + beyond + "; the number is chosen when memory is allocated");
                assertThatThrownBy(() -> memory.awaitMore(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> memory.awaitAny(0, 1000)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(memory::awaitAny).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> memory.awaitMore(0, -1)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> memory.awaitMore(0, Long.MAX_VALUE))
                        .isInstanceOf(IllegalArgumentException.class);
                memory.barrier();
            }
            for (int count : new int[]{-1, RemoteMemory.NOTIFICATIONS_MAX + 1}) {
                assertThatThrownBy(() -> world.allocate(DataType.LONG, 1, count))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(count + " notification words");
            }
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1, 0)) {
                assertThatThrownBy(() -> memory.notifications(0)).isInstanceOf(IndexOutOfBoundsException.class);
            }
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1, RemoteMemory.NOTIFICATIONS_MAX)) {
                memory.at(next).putNotify(0, new long[0], RemoteMemory.NOTIFICATIONS_MAX - 1);
                memory.awaitMore(RemoteMemory.NOTIFICATIONS_MAX - 1, 1);
                memory.barrier();
            }
        });
    }

    @Test
    void shouldEndTheWaitForAnyNotificationThatNobodyCanGive() {
        Tutti.runLocal(2, job -> {
            RemoteMemory memory = allocateTogether(job.world());
            assertThatThrownBy(() -> memory.awaitAny(3, 1)).isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining(
                            "passed its deadline in awaitAny while it waited for one more notification at "
                                    + "any of the words [3, 1]; see which rank should have notified it");
            assertThatThrownBy(() -> memory.awaitMore(3, 2)).isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("in awaitMore while it waited for 2 notifications at word 3, which has 0");
            job.world().barrier(); // without a deadline, because the other rank may come late
            memory.at(0).putNotify(0, new byte[0], 3);
            memory.at(1).putNotify(0, new byte[0], 3);
            job.world().barrier();
            memory.awaitMore(3, 2); // what was given up was not taken
            assertThat(memory.notifications(3)).isEqualTo(2);
            job.world().barrier();
        });
    }

    /** Only the calls on the memory that nobody ends pass their deadline, however busy the machine is. */
    private static RemoteMemory allocateTogether(Communicator world) {
        world.barrier();
        return world.withDeadline(Duration.ofSeconds(1)).allocate(8);
    }

    @Test
    void shouldEndTheWaitForANotificationThatNobodyCanGive() {
        Tutti.runLocal(2, job -> {
            RemoteMemory memory = allocateTogether(job.world());
            assertThatThrownBy(() -> memory.awaitNotifications(0, 1)).isInstanceOf(DeadlineExceededException.class)
                    .hasMessageMatching("(?s)rank \\d passed its deadline in awaitNotifications while it waited for "
                            + "1 notifications at word 0, which has 0; see which rank should have notified it, or "
                            + "allow more time.*");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> memory.awaitNotifications(0, 1)).isInstanceOf(CallInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            job.world().barrier();
        });
        Tutti.runLocal(2, job -> {
            RemoteMemory memory = job.world().allocate(8);
            memory.at(1).putNotify(0, Span.of(new byte[1]), 0);
            if (job.rank() == 1) {
                memory.awaitNotifications(0, 2);
                assertThatThrownBy(() -> memory.awaitNotifications(0, 3)).isInstanceOf(RankFailedException.class)
                        .hasMessageContaining("all other ranks have left the job");
            }
        });
    }

    @Test
    void shouldEndCallsWhenARankHasFailed() {
        for (Shape shape : shapes().filter(each -> each.size > 1).toList()) {
            Set<Integer> told = ConcurrentHashMap.newKeySet();
            CountDownLatch allocated = new CountDownLatch(shape.size);
            assertThatThrownBy(() -> shape.runner.accept(job -> {
                Communicator world = job.world().withDeadline(Duration.ofSeconds(20));
                RemoteMemory memory = world.allocate(8);
                allocated.countDown();
                if (world.rank() == 0) {
                    allocated.await();
                    throw new IllegalStateException("this rank fails");
                }
                try {
                    while (true) {
                        memory.at((world.rank() + 1) % world.size()).fetchAddLong(0, 1);
                        LockSupport.parkNanos(1); // or ranks that are virtual threads keep rank 0 from failing
                    }
                } catch (RankFailedException e) {
                    assertThat(e.rank()).isZero();
                    told.add(world.rank());
                    throw e;
                }
            })).hasStackTraceContaining("this rank fails");
            assertThat(told).isEqualTo(Set.copyOf(IntStream.range(1, shape.size).boxed().toList()));
        }
    }
}
