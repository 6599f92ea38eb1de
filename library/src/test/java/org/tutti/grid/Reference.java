/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;

import org.tutti.DataType;

/**
 * The contributions of ranks and the expected results, computed one rank after the other with plain Java arithmetic on
 * longs and doubles, without any of the library's code. Floating-point contributions are small whole numbers (and, for
 * minimum and maximum, NaN and −0.0 too), so that no order of combining them rounds.
 *
 * <p>Contributions repeat after {@value #PERIOD} elements, and so do results, so that little is computed for many: no
 * chunk, part or window has a length that this divides, so bytes that went astray by some of these are not the same.
 */
final class Reference {
    /** A multiple of every unit. */
    private static final int PERIOD = 4 * 3 * 7 * 47;

    private Reference() {}

    /** One element of a contribution, as bits of a long or of a double, before it is narrowed to its type. */
    @FunctionalInterface
    private interface Element {
        long of(int rank, int index, int draw, long mixed);
    }

    private static Element element(Case point) {
        String operator = operator(point);
        if (point.type() == DataType.BOOLEAN) {
            return (_, _, draw, _) -> draw & 1;
        }
        if (isFloating(point.type())) {
            return switch (operator) {
                case "product" -> (_, _, draw, _) -> bits(draw % 3 - 1 == 0 ? 1 : draw % 3 - 1);
                case "min", "max" ->
                    (_, _, draw, _) -> bits(draw == 0 ? Double.NaN : draw < 40 ? -0.0 : draw < 80 ? 0.0 : draw % 7 - 3);
                case "min-location", "max-location" -> (rank, index, draw, _) -> bits(
                        index % 2 == 1 ? rank * 3 % 7 : draw < 4 ? Double.NaN : draw < 100 ? -0.0 : draw % 5 - 2);
                default -> (_, _, draw, _) -> bits(draw % 17 - 8);
            };
        }
        return switch (operator) {
            case "min-location", "max-location" ->
                (rank, index, draw, _) -> index % 2 == 1 ? rank * 5 % 11 : draw % 5 - 2;
            case "logical-and", "logical-or", "logical-xor" -> (_, _, draw, _) -> draw % 4 == 0 ? 0 : draw - 100;
            case "leftmost" -> (rank, index, _, _) -> rank * 1000L + index;
            default -> (_, _, _, mixed) -> mixed >> 7;
        };
    }

    private static String operator(Case point) {
        return point.reduction() == null ? "" : point.reduction().name();
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }

    private static long[] values(Case point, int rank) {
        Element element = element(point);
        long[] values = new long[Math.min(PERIOD, point.count())];
        for (int index = 0; index < values.length; index++) {
            long mixed = (rank * 0x9e3779b97f4a7c15L ^ index * 0xc2b2ae3d27d4eb4fL) * 0xff51afd7ed558ccdL;
            int draw = (int) (mixed >>> 40) & 0xff;
            values[index] = narrow(point.type(), element.of(rank, index, draw, mixed));
        }
        return values;
    }

    /** The elements of a contribution, as they lie in memory. */
    static MemorySegment contribution(Case point, int rank) {
        return point.collective().sourceHasBlocks(rank, point.root())
                ? concatenated(point, other -> block(point, rank, other)) : packed(point, block(point, rank, 0));
    }

    /** What a rank has for another one; where it has no blocks, for all. */
    private static long[] block(Case point, int rank, int of) {
        return values(point, point.collective().sourceHasBlocks(rank, point.root()) ? rank * point.ranks() + of : rank);
    }

    private static MemorySegment concatenated(Case point, IntFunction<long[]> blocks) {
        int bytes = point.count() * point.type().bytes();
        MemorySegment all = MemorySegment.ofArray(new byte[point.ranks() * bytes]);
        for (int rank = 0; rank < point.ranks(); rank++) {
            MemorySegment.copy(packed(point, blocks.apply(rank)), 0, all, (long) rank * bytes, bytes);
        }
        return all;
    }

    /** Whether every rank that receives something must hold the same. */
    static boolean isSameForAll(Case point) {
        return switch (point.collective()) {
            case SCATTER, ALL_TO_ALL, REDUCE_SCATTER, SCAN, EXCLUSIVE_SCAN -> false;
            default -> true;
        };
    }

    /** What a rank that receives something must hold afterwards. */
    static MemorySegment expected(Case point, int rank) {
        return switch (point.collective()) {
            case BARRIER -> MemorySegment.ofArray(new byte[0]);
            case BROADCAST -> contribution(point, point.root());
            case SCATTER -> packed(point, block(point, point.root(), rank));
            case GATHER, ALLGATHER, ALL_TO_ALL -> concatenated(point, other -> block(point, other, rank));
            case REDUCE, ALLREDUCE, REDUCE_SCATTER -> combined(point, rank, point.ranks());
            case SCAN -> combined(point, rank, rank + 1);
            case EXCLUSIVE_SCAN -> combined(point, rank, rank);
        };
    }

    private static MemorySegment combined(Case point, int rank, int contributors) {
        long[] result = block(point, 0, rank);
        for (int other = 1; other < contributors; other++) {
            combine(point, result, block(point, other, rank));
        }
        return packed(point, result);
    }

    private static void combine(Case point, long[] left, long[] right) {
        String operator = operator(point);
        if (operator.equals("matrix-product")) {
            for (int at = 0; at < left.length; at += point.reduction().unit()) {
                multiply(left, right, at);
            }
        } else if (operator.endsWith("-location")) {
            for (int at = 0; at < left.length; at += point.reduction().unit()) {
                locate(point.type(), operator.startsWith("min"), left, right, at);
            }
        } else if (isFloating(point.type())) {
            DoubleBinaryOperator combination = floating(operator);
            for (int at = 0; at < left.length; at++) {
                left[at] = bits(combination.applyAsDouble(Double.longBitsToDouble(left[at]),
                        Double.longBitsToDouble(right[at])));
            }
        } else {
            LongBinaryOperator combination = whole(operator);
            for (int at = 0; at < left.length; at++) {
                left[at] = narrow(point.type(), combination.applyAsLong(left[at], right[at]));
            }
        }
    }

    private static void multiply(long[] left, long[] right, int at) {
        long[] l = {left[at], left[at + 1], left[at + 2], left[at + 3]};
        for (int row = 0; row < 2; row++) {
            for (int column = 0; column < 2; column++) {
                left[at + 2 * row + column] =
                        l[2 * row] * right[at + column] + l[2 * row + 1] * right[at + 2 + column];
            }
        }
    }

    private static void locate(DataType type, boolean least, long[] left, long[] right, int at) {
        int order = isFloating(type)
                ? compareLocated(Double.longBitsToDouble(left[at]), Double.longBitsToDouble(right[at]), least)
                : least ? Long.compare(left[at], right[at]) : Long.compare(right[at], left[at]);
        double leftIndex = index(type, left[at + 1]);
        double rightIndex = index(type, right[at + 1]);
        if (order > 0 || order == 0 && rightIndex < leftIndex) {
            left[at] = right[at];
            left[at + 1] = right[at + 1];
        }
    }

    private static DoubleBinaryOperator floating(String operator) {
        return switch (operator) {
            case "sum" -> (left, right) -> left + right;
            case "product" -> (left, right) -> left * right;
            case "min" -> (left, right) -> Math.min(left, right);
            case "max" -> (left, right) -> Math.max(left, right);
            case "rightmost" -> (_, right) -> right;
            default -> throw new IllegalStateException(operator);
        };
    }

    private static LongBinaryOperator whole(String operator) {
        return switch (operator) {
            case "sum", "own-sum" -> (left, right) -> left + right;
            case "product" -> (left, right) -> left * right;
            case "min" -> (left, right) -> left < right ? left : right;
            case "max" -> (left, right) -> left > right ? left : right;
            case "bitwise-and" -> (left, right) -> left & right;
            case "bitwise-or" -> (left, right) -> left | right;
            case "bitwise-xor" -> (left, right) -> left ^ right;
            case "logical-and" -> (left, right) -> left != 0 && right != 0 ? 1 : 0;
            case "logical-or" -> (left, right) -> left != 0 || right != 0 ? 1 : 0;
            case "logical-xor" -> (left, right) -> left != 0 ^ right != 0 ? 1 : 0;
            case "leftmost" -> (left, _) -> left;
            default -> throw new IllegalStateException(operator);
        };
    }

    /** Negative when left wins: a NaN before any number, −0.0 below 0.0. */
    private static int compareLocated(double left, double right, boolean least) {
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Boolean.compare(Double.isNaN(right), Double.isNaN(left));
        }
        return least ? Double.compare(left, right) : Double.compare(right, left);
    }

    private static double index(DataType type, long bits) {
        return isFloating(type) ? Double.longBitsToDouble(bits) : bits;
    }

    private static boolean isFloating(DataType type) {
        return type == DataType.FLOAT || type == DataType.DOUBLE;
    }

    private static long narrow(DataType type, long value) {
        return switch (type) {
            case BOOLEAN -> value;
            case BYTE -> (byte) value;
            case CHAR -> (char) value;
            case SHORT -> (short) value;
            case INT -> (int) value;
            case LONG, FLOAT, DOUBLE -> value;
        };
    }

    private static MemorySegment packed(Case point, long[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(point.count() * point.type().bytes()).order(ByteOrder.nativeOrder());
        switch (point.type()) {
            case BOOLEAN, BYTE -> {
                for (long value : values) {
                    bytes.put((byte) value);
                }
            }
            case CHAR, SHORT -> {
                for (long value : values) {
                    bytes.putShort((short) value);
                }
            }
            case INT -> {
                for (long value : values) {
                    bytes.putInt((int) value);
                }
            }
            case FLOAT -> {
                for (long value : values) {
                    bytes.putFloat((float) Double.longBitsToDouble(value));
                }
            }
            case LONG, DOUBLE -> {
                for (long value : values) {
                    bytes.putLong(value);
                }
            }
        }
        for (int at = bytes.position(); at < bytes.capacity(); at = bytes.position()) {
            bytes.put(bytes.array(), 0, Math.min(at, bytes.remaining()));
        }
        return MemorySegment.ofArray(bytes.array());
    }

    /** An element, as bits of a long or of a double. */
    static long load(DataType type, MemorySegment segment, int index) {
        long at = (long) index * type.bytes();
        return switch (type) {
            case BOOLEAN, BYTE -> segment.get(ValueLayout.JAVA_BYTE, at);
            case CHAR -> segment.get(ValueLayout.JAVA_CHAR_UNALIGNED, at);
            case SHORT -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            case INT -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case LONG -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            case FLOAT -> Double.doubleToRawLongBits(segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at));
            case DOUBLE -> Double.doubleToRawLongBits(segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at));
        };
    }

    /** Equality of bits, but one NaN is as good as another. */
    static boolean same(DataType type, long expected, long actual) {
        if (isFloating(type) && Double.isNaN(Double.longBitsToDouble(expected))) {
            return Double.isNaN(Double.longBitsToDouble(actual));
        }
        return expected == actual;
    }
}
