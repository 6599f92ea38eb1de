/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Rows;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kernels with and without vectors beside a computation element by element: wherever operands lie, at any offset, in
 * place and apart, at lengths around those of vectors and pieces, with the special values of every type.
 */
@Tag("optimized")
@Execution(ExecutionMode.CONCURRENT) // it only computes
class VectorKernelTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final List<DataType> TYPES = List.of(DataType.BYTE, DataType.SHORT, DataType.INT, DataType.LONG,
            DataType.FLOAT, DataType.DOUBLE);
    private static final List<Reduction> OPERATORS = List.of(Reduction.SUM, Reduction.PRODUCT, Reduction.MIN,
            Reduction.MAX, Reduction.BITWISE_AND, Reduction.BITWISE_OR, Reduction.BITWISE_XOR);
    private static final int MEMORY_BYTES = 5 << 10;
    private static final int OFFSET_MAX = 96;
    private static final byte UNTOUCHED = 0x5a;
    private static final int WARM_UP_CALLS = 600;
    private static final int CALLS = 20_000;
    private static final int ROUNDS_MAX = 50;

    /** Some bytes are for what the measuring itself allocates. */
    private static final double BYTES_PER_CALL_MAX = 0.1;

    private record Pair(Reduction reduction, DataType type) {
        @Override
        public String toString() {
            return reduction + " of " + type;
        }
    }

    /** A range of elements somewhere inside a segment. */
    private record Range(MemorySegment memory, long offset) {}

    @TempDir
    private static Path directory;

    private final Random random = new Random(20_260_101);

    static List<Pair> pairs() {
        return TYPES.stream().flatMap(type -> OPERATORS.stream().map(reduction -> new Pair(reduction, type)))
                .filter(pair -> pair.reduction.supports(pair.type)).toList();
    }

    @BeforeAll
    static void shouldUseVectorsInTests() {
        assertThat(Vectors.areInUse()).as("the tests' JVM has the module %s, and C2", Vectors.MODULE).isTrue();
    }

    static Stream<Pair> somePairs() {
        return Rows.sampled(pairs().stream());
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("somePairs")
    void shouldCombineAsOneElementAfterAnother(Pair pair) throws IOException {
        Kernel vectors = Kernels.of(pair.reduction, pair.type);
        assertThat(vectors).isInstanceOf(VectorKernel.class);
        Kernel plain = Kernels.plain(pair.reduction, pair.type);
        int vector = VectorLoops.vectorBytes() / pair.type.bytes();
        try (Arena arena = Arena.ofConfined()) {
            var lefts = memories(pair.type, arena);
            var rights = memories(pair.type, arena);
            var targets = memories(pair.type, arena);
            warmUp(vectors, lefts.get(0), rights.get(1)); // the rest of the test is for C2's code too
            warmUp(vectors, lefts.get(1), rights.get(1));
            for (int count : new int[]{0, 1, vector - 1, vector, vector + 1, 3 * vector + 2,
                    4200 / pair.type.bytes()}) {
                for (MemorySegment left : lefts) {
                    for (MemorySegment right : rights) {
                        check(plain, pair, count, range(left, pair.type), range(right, pair.type));
                        check(vectors, pair, count, range(left, pair.type), range(right, pair.type));
                        for (MemorySegment target : targets) {
                            check(vectors, pair, count, range(left, pair.type), range(right, pair.type),
                                    range(target, pair.type));
                        }
                    }
                }
            }
        }
    }

    private static void warmUp(Kernel kernel, MemorySegment left, MemorySegment right) {
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            kernel.combine(left, 0, right, 0, left, 0, VectorLoops.vectorBytes() * 50L);
        }
    }

    private void check(Kernel kernel, Pair pair, int count, Range left, Range right) {
        check(kernel, pair, count, left, right, left);
        check(kernel, pair, count, left, right, right);
    }

    private void check(Kernel kernel, Pair pair, int count, Range left, Range right, Range target) {
        for (Range range : List.of(target, left, right)) {
            range.memory.fill(UNTOUCHED);
        }
        Number[] expected = new Number[count];
        for (int i = 0; i < count; i++) {
            Number leftValue = value(pair.type);
            Number rightValue = value(pair.type);
            set(left, pair.type, i, leftValue);
            set(right, pair.type, i, rightValue);
            expected[i] = combined(pair, leftValue, rightValue);
        }
        long bytes = (long) count * pair.type.bytes();
        kernel.combine(left.memory, left.offset, right.memory, right.offset, target.memory, target.offset, bytes);

        Number[] actual = new Number[count];
        Arrays.setAll(actual, i -> get(target, pair.type, i));
        assertThat(actual).as("%s, %d elements: %s, %s to %s", pair, count, left, right, target).isEqualTo(expected);
        assertThat(isUntouched(target.memory.asSlice(0, target.offset))).isTrue();
        assertThat(isUntouched(target.memory.asSlice(target.offset + bytes))).isTrue();
    }

    private static boolean isUntouched(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != UNTOUCHED) {
                return false;
            }
        }
        return true;
    }

    /** An array of the type, native memory, mapped memory, and an array of another type. */
    private static List<MemorySegment> memories(DataType type, Arena arena) throws IOException {
        Path file = Files.createTempFile(directory, "mapped", "");
        try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return List.of(array(type), arena.allocate(MEMORY_BYTES),
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, MEMORY_BYTES, arena),
                    MemorySegment.ofArray(new byte[MEMORY_BYTES]));
        }
    }

    /** Arrays of a type are used at whole elements, other memory anywhere. */
    private Range range(MemorySegment memory, DataType type) {
        boolean whole = !memory.isNative() && !(memory.heapBase().orElseThrow() instanceof byte[]);
        int unit = whole ? type.bytes() : 1;
        return new Range(memory, (long) random.nextInt(OFFSET_MAX / unit) * unit);
    }

    private static MemorySegment array(DataType type) {
        int elements = MEMORY_BYTES / type.bytes();
        return switch (type) {
            case BYTE -> MemorySegment.ofArray(new byte[elements]);
            case SHORT -> MemorySegment.ofArray(new short[elements]);
            case INT -> MemorySegment.ofArray(new int[elements]);
            case LONG -> MemorySegment.ofArray(new long[elements]);
            case FLOAT -> MemorySegment.ofArray(new float[elements]);
            case DOUBLE -> MemorySegment.ofArray(new double[elements]);
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    private Number value(DataType type) {
        return switch (type) {
            case BYTE -> (byte) random.nextInt();
            case SHORT -> (short) random.nextInt();
            case INT -> special(random.nextInt(), 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case LONG -> special(random.nextLong(), 0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT -> special((float) random.nextGaussian(), 0.0f, -0.0f, Float.NaN, Float.NEGATIVE_INFINITY,
                    Float.POSITIVE_INFINITY, Float.MIN_VALUE, -Float.MAX_VALUE);
            case DOUBLE -> special(random.nextGaussian(), 0.0, -0.0, Double.NaN, Double.NEGATIVE_INFINITY,
                    Double.POSITIVE_INFINITY, Double.MIN_VALUE, -Double.MAX_VALUE);
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    private Number special(Number ordinary, Number... specials) {
        int choice = random.nextInt(2 * specials.length);
        return choice < specials.length ? specials[choice] : ordinary;
    }

    private static Number combined(Pair pair, Number left, Number right) {
        return switch (pair.type) {
            case BYTE -> (byte) combined(pair.reduction, left.longValue(), right.longValue());
            case SHORT -> (short) combined(pair.reduction, left.longValue(), right.longValue());
            case INT -> (int) combined(pair.reduction, left.longValue(), right.longValue());
            case LONG -> combined(pair.reduction, left.longValue(), right.longValue());
            case FLOAT -> combined(pair.reduction, left.floatValue(), right.floatValue());
            case DOUBLE -> combined(pair.reduction, left.doubleValue(), right.doubleValue());
            default -> throw new IllegalArgumentException(pair.toString());
        };
    }

    private static long combined(Reduction reduction, long left, long right) {
        return switch (reduction.name()) {
            case "sum" -> left + right;
            case "product" -> left * right;
            case "min" -> Math.min(left, right);
            case "max" -> Math.max(left, right);
            case "bitwise-and" -> left & right;
            case "bitwise-or" -> left | right;
            case "bitwise-xor" -> left ^ right;
            default -> throw new IllegalArgumentException(reduction.toString());
        };
    }

    private static float combined(Reduction reduction, float left, float right) {
        return switch (reduction.name()) {
            case "sum" -> left + right;
            case "product" -> left * right;
            case "min" -> Math.min(left, right);
            case "max" -> Math.max(left, right);
            default -> throw new IllegalArgumentException(reduction.toString());
        };
    }

    private static double combined(Reduction reduction, double left, double right) {
        return switch (reduction.name()) {
            case "sum" -> left + right;
            case "product" -> left * right;
            case "min" -> Math.min(left, right);
            case "max" -> Math.max(left, right);
            default -> throw new IllegalArgumentException(reduction.toString());
        };
    }

    private static void set(Range range, DataType type, int index, Number value) {
        long at = range.offset + (long) index * type.bytes();
        switch (type) {
            case BYTE -> range.memory.set(ValueLayout.JAVA_BYTE, at, value.byteValue());
            case SHORT -> range.memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, value.shortValue());
            case INT -> range.memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, value.intValue());
            case LONG -> range.memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value.longValue());
            case FLOAT -> range.memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value.floatValue());
            case DOUBLE -> range.memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value.doubleValue());
            default -> throw new IllegalArgumentException(type.toString());
        }
    }

    private static Number get(Range range, DataType type, int index) {
        long at = range.offset + (long) index * type.bytes();
        return switch (type) {
            case BYTE -> range.memory.get(ValueLayout.JAVA_BYTE, at);
            case SHORT -> range.memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            case INT -> range.memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case LONG -> range.memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            case FLOAT -> range.memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case DOUBLE -> range.memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    @Test
    void shouldTakeRangesOfSeveralPieces() {
        int count = (5 << 20) / Integer.BYTES + 3;
        int[] left = random.ints(count).toArray();
        int[] right = random.ints(count).toArray();
        int[] expected = new int[count];
        Arrays.setAll(expected, i -> left[i] + right[i]);
        Kernel kernel = Kernels.of(Reduction.SUM, DataType.INT);
        warmUp(kernel, array(DataType.INT), array(DataType.INT)); // so that all vectors are for the vector loop
        kernel.combine(MemorySegment.ofArray(left), 0, MemorySegment.ofArray(right), 0,
                MemorySegment.ofArray(left), 0, (long) count * Integer.BYTES);
        assertThat(left).isEqualTo(expected);
    }

    static Stream<Pair> allocating() {
        return Stream.of(new Pair(Reduction.SUM, DataType.DOUBLE), new Pair(Reduction.MIN, DataType.FLOAT),
                new Pair(Reduction.MAX, DataType.LONG));
    }

    @Tag("thorough") // it needs the compiler for itself
    @ParameterizedTest
    @MethodSource("allocating")
    void shouldAllocateNothingOnceCompiled(Pair pair) {
        Kernel kernel = Kernels.of(pair.reduction, pair.type);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment array = array(pair.type);
            MemorySegment memory = arena.allocate(MEMORY_BYTES);
            double bytesPerCall;
            int round = 0;
            do {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < CALLS; i++) {
                    kernel.combine(array, 0, memory, 8, array, 0, 1000);
                    kernel.combine(memory, 0, array, 8, memory, 0, 1000);
                    kernel.combine(memory, 0, memory, 1024, memory, 0, 1000);
                    kernel.combine(array, 0, array, 1024, memory, 0, 1000);
                }
                bytesPerCall = (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS;
                round++;
            } while (bytesPerCall >= BYTES_PER_CALL_MAX && round < ROUNDS_MAX);
            assertThat(bytesPerCall).isLessThan(BYTES_PER_CALL_MAX);
        }
    }
}
