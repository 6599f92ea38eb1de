/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.util.function.IntBinaryOperator;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The predefined operators on elements of one or two bytes. Each element is widened to an int, combined, and narrowed
 * again.
 */
final class SmallKernel extends ArrayKernel {
    private final Object left;
    private final Object right;
    private final IntBinaryOperator operator;

    SmallKernel(Reduction reduction, DataType type) {
        this(reduction, type, array(type), array(type));
    }

    private SmallKernel(Reduction reduction, DataType type, Object left, Object right) {
        super(reduction, type, layout(type), left, right);
        this.left = left;
        this.right = right;
        this.operator = operator(reduction);
    }

    private static ValueLayout layout(DataType type) {
        return switch (type) {
            case SHORT -> ValueLayout.JAVA_SHORT_UNALIGNED;
            case CHAR -> ValueLayout.JAVA_CHAR_UNALIGNED;
            default -> ValueLayout.JAVA_BYTE;
        };
    }

    private static Object array(DataType type) {
        return Array.newInstance(layout(type).carrier(), elements(type));
    }

    private static IntBinaryOperator operator(Reduction reduction) {
        return switch (reduction.name()) {
            case "sum" -> Integer::sum;
            case "product" -> (left, right) -> left * right;
            case "min" -> Math::min;
            case "max" -> Math::max;
            case "bitwise-and" -> (left, right) -> left & right;
            case "bitwise-or" -> (left, right) -> left | right;
            case "bitwise-xor" -> (left, right) -> left ^ right;
            case "logical-and" -> (left, right) -> left != 0 && right != 0 ? 1 : 0;
            case "logical-or" -> (left, right) -> left != 0 || right != 0 ? 1 : 0;
            case "logical-xor" -> (left, right) -> (left != 0) != (right != 0) ? 1 : 0;
            default -> throw new IllegalArgumentException(reduction + " does not work on small types");
        };
    }

    @Override
    void run(int count) {
        switch (left) {
            case short[] shorts -> run(shorts, (short[]) right, count);
            case char[] chars -> run(chars, (char[]) right, count);
            default -> run((byte[]) left, (byte[]) right, count);
        }
    }

    private void run(byte[] first, byte[] second, int count) {
        for (int i = 0; i < count; i++) {
            first[i] = (byte) operator.applyAsInt(first[i], second[i]);
        }
    }

    private void run(short[] first, short[] second, int count) {
        for (int i = 0; i < count; i++) {
            first[i] = (short) operator.applyAsInt(first[i], second[i]);
        }
    }

    private void run(char[] first, char[] second, int count) {
        for (int i = 0; i < count; i++) {
            first[i] = (char) operator.applyAsInt(first[i], second[i]);
        }
    }
}
