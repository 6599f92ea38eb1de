/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;

/**
 * What the ranks contribute, and what must come out: computed one rank after the other with plain Java arithmetic on
 * longs and doubles, without any of the library's code. Floating-point contributions are small whole numbers (and, for
 * minimum and maximum, NaN and −0.0 too), so that no order of combining them rounds.
 */
final class Reference {
    private Reference() {}

    /** Element i of a rank's contribution, as bits of a long or of a double. */
    static long contribution(Case point, int rank, int index) {
        long mixed = (rank * 0x9e3779b97f4a7c15L ^ index * 0xc2b2ae3d27d4eb4fL) * 0xff51afd7ed558ccdL;
        int draw = (int) (mixed >>> 40) & 0xff;
        String operator = point.reduction() == null ? "" : point.reduction().name();
        if (point.type() == DataType.BOOLEAN) {
            return draw & 1;
        }
        if (isFloating(point.type())) {
            double value = switch (operator) {
                case "product" -> draw % 3 - 1 == 0 ? 1 : draw % 3 - 1;
                case "min", "max" -> draw == 0 ? Double.NaN : draw < 40 ? -0.0 : draw < 80 ? 0.0 : draw % 7 - 3;
                case "min-location", "max-location" ->
                    index % 2 == 1 ? rank * 3 % 7 : draw < 4 ? Double.NaN : draw < 100 ? -0.0 : draw % 5 - 2;
                default -> draw % 17 - 8;
            };
            return Double.doubleToRawLongBits(value);
        }
        return switch (operator) {
            case "min-location", "max-location" -> index % 2 == 1 ? rank * 5 % 11 : draw % 5 - 2;
            case "logical-and", "logical-or", "logical-xor" -> draw % 4 == 0 ? 0 : draw - 100;
            case "leftmost" -> rank * 1000L + index;
            default -> mixed >> 7;
        };
    }

    /** The elements of a contribution. */
    static long[] contributions(Case point, int rank) {
        long[] values = new long[point.count()];
        for (int index = 0; index < values.length; index++) {
            values[index] = narrow(point.type(), contribution(point, rank, index));
        }
        return values;
    }

    /** What every rank that receives something must hold afterwards. */
    static long[] expected(Case point) {
        if (point.reduction() == null) {
            return contributions(point, point.root());
        }
        long[] result = contributions(point, 0);
        int unit = point.reduction().unit();
        for (int rank = 1; rank < point.ranks(); rank++) {
            long[] right = contributions(point, rank);
            for (int at = 0; at < result.length; at += unit) {
                combine(point, result, right, at);
            }
        }
        return result;
    }

    private static void combine(Case point, long[] left, long[] right, int at) {
        String operator = point.reduction().name();
        if (operator.equals("matrix-product")) {
            long[] l = {left[at], left[at + 1], left[at + 2], left[at + 3]};
            for (int row = 0; row < 2; row++) {
                for (int column = 0; column < 2; column++) {
                    left[at + 2 * row + column] =
                            l[2 * row] * right[at + column] + l[2 * row + 1] * right[at + 2 + column];
                }
            }
        } else if (operator.endsWith("-location")) {
            boolean least = operator.startsWith("min");
            int order = isFloating(point.type())
                    ? compareLocated(Double.longBitsToDouble(left[at]), Double.longBitsToDouble(right[at]), least)
                    : least ? Long.compare(left[at], right[at]) : Long.compare(right[at], left[at]);
            double leftIndex = index(point.type(), left[at + 1]);
            double rightIndex = index(point.type(), right[at + 1]);
            if (order > 0 || order == 0 && rightIndex < leftIndex) {
                left[at] = right[at];
                left[at + 1] = right[at + 1];
            }
        } else if (isFloating(point.type())) {
            double l = Double.longBitsToDouble(left[at]);
            double r = Double.longBitsToDouble(right[at]);
            left[at] = Double.doubleToRawLongBits(switch (operator) {
                case "sum" -> l + r;
                case "product" -> l * r;
                case "min" -> Math.min(l, r);
                case "max" -> Math.max(l, r);
                case "rightmost" -> r;
                default -> throw new IllegalStateException(operator);
            });
        } else {
            long l = left[at];
            long r = right[at];
            left[at] = narrow(point.type(), switch (operator) {
                case "sum", "own-sum" -> l + r;
                case "product" -> l * r;
                case "min" -> l < r ? l : r;
                case "max" -> l > r ? l : r;
                case "bitwise-and" -> l & r;
                case "bitwise-or" -> l | r;
                case "bitwise-xor" -> l ^ r;
                case "logical-and" -> l != 0 && r != 0 ? 1 : 0;
                case "logical-or" -> l != 0 || r != 0 ? 1 : 0;
                case "logical-xor" -> l != 0 ^ r != 0 ? 1 : 0;
                case "leftmost" -> l;
                default -> throw new IllegalStateException(operator);
            });
        }
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

    static void store(DataType type, MemorySegment segment, int index, long value) {
        long at = (long) index * type.bytes();
        switch (type) {
            case BOOLEAN, BYTE -> segment.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case CHAR -> segment.set(ValueLayout.JAVA_CHAR_UNALIGNED, at, (char) value);
            case SHORT -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
            case INT -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) value);
            case LONG -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
            case FLOAT -> segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) Double.longBitsToDouble(value));
            case DOUBLE -> segment.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, Double.longBitsToDouble(value));
        }
    }

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
