/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.kernel.Vectors;

/**
 * Measures the reduction kernels, all in one JVM, as in a program with many types. It prints lines of contender,
 * operator, type, operands, bytes of an operand, and 10^9 bytes of an operand combined in a second, the highest of the
 * repeats. The operands lie in arrays ({@code heap}), in native memory ({@code off-heap}) or in one of each
 * ({@code mixed}), and the result replaces the left one; with {@code apart} the result goes to native memory of its
 * own. {@code bench/kernels} starts it, beside a C program that prints the same.
 */
public final class KernelBenchmark {
    private static final long COMPILE_NANOS = 1_500_000_000;
    private static final long WARM_UP_NANOS = 100_000_000;
    private static final long REPEAT_NANOS = 4_000_000;
    private static final int REPEATS = 15;
    private static final int LINE_BYTES = 64;
    private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 64 << 20};
    private static final List<Reduction> OPERATORS = List.of(Reduction.SUM, Reduction.MIN, Reduction.MAX);
    private static final List<DataType> TYPES =
            List.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE);

    private record Operands(String name, boolean leftOnHeap, boolean rightOnHeap, boolean inPlace) {}

    private static final List<Operands> OPERANDS = List.of(new Operands("heap", true, true, true),
            new Operands("off-heap", false, false, true), new Operands("mixed", true, false, true),
            new Operands("apart", true, false, false));

    private KernelBenchmark() {}

    /**
     * Runs the benchmark.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        String contender = Vectors.areInUse() ? "vectors" : "plain";
        for (DataType type : TYPES) {
            for (Reduction operator : OPERATORS) {
                for (Operands operands : OPERANDS) {
                    speed(Kernels.of(operator, type), type, operands, SIZES[0], COMPILE_NANOS);
                    for (int bytes : SIZES) {
                        System.out.printf(Locale.ROOT, "%s,%s,%s,%s,%d,%.2f%n", contender, operator.name(),
                                type.name().toLowerCase(Locale.ROOT), operands.name, bytes,
                                speed(Kernels.of(operator, type), type, operands, bytes, WARM_UP_NANOS));
                    }
                }
            }
        }
    }

    private static double speed(Kernel kernel, DataType type, Operands operands, int bytes,
            long warmUpNanos) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment left = operand(type, operands.leftOnHeap, bytes, arena);
            MemorySegment right = operand(type, operands.rightOnHeap, bytes, arena);
            MemorySegment target = operands.inPlace ? left : operand(type, false, bytes, arena);
            return speed(kernel, left, right, target, bytes, warmUpNanos);
        }
    }

    private static double speed(Kernel kernel, MemorySegment left, MemorySegment right, MemorySegment target,
            int bytes, long warmUpNanos) {
        long calls = 0;
        for (long end = System.nanoTime() + warmUpNanos; System.nanoTime() < end; calls++) {
            kernel.combine(left, 0, right, 0, target, 0, bytes);
        }
        calls = 1 + calls * REPEAT_NANOS / warmUpNanos;
        double highest = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            long start = System.nanoTime();
            for (long i = 0; i < calls; i++) {
                kernel.combine(left, 0, right, 0, target, 0, bytes);
            }
            highest = Math.max(highest, (double) bytes * calls / (System.nanoTime() - start));
        }
        return highest;
    }

    private static MemorySegment operand(DataType type, boolean onHeap, int bytes, Arena arena) {
        if (!onHeap) {
            return arena.allocate(bytes, LINE_BYTES);
        }
        int elements = bytes / type.bytes();
        return switch (type) {
            case INT -> MemorySegment.ofArray(new int[elements]);
            case LONG -> MemorySegment.ofArray(new long[elements]);
            case FLOAT -> MemorySegment.ofArray(new float[elements]);
            case DOUBLE -> MemorySegment.ofArray(new double[elements]);
            default -> throw new IllegalArgumentException(type + " is not measured");
        };
    }
}
