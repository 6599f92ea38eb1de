/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntBinaryOperator;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators on types of one or two bytes, computed as ints.
 */
final class SmallKernel extends Kernel {
    private final DataType type;
    private final IntBinaryOperator operator;

    SmallKernel(Reduction reduction, DataType type) {
        super(reduction, type);
        this.type = type;
        this.operator = operator(reduction);
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
    public void combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        int step = type.bytes();
        for (long at = 0; at < bytes; at += step) {
            set(target, targetOffset + at,
                    operator.applyAsInt(get(left, leftOffset + at), get(right, rightOffset + at)));
        }
    }

    private int get(MemorySegment segment, long offset) {
        return switch (type) {
            case SHORT -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset);
            case CHAR -> segment.get(ValueLayout.JAVA_CHAR_UNALIGNED, offset);
            default -> segment.get(ValueLayout.JAVA_BYTE, offset);
        };
    }

    private void set(MemorySegment segment, long offset, int value) {
        if (type.bytes() == Short.BYTES) {
            segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, (short) value);
        } else {
            segment.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
        }
    }
}
