/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.RangeOperator;
import org.tutti.Reduction;

/**
 * The kernel of a user's operator. The operator receives slices of the memory, so that it cannot access other bytes.
 * The slices of the operands are read-only.
 */
final class UserKernel extends Kernel {
    private final RangeOperator operator;
    private final int elementBytes;

    UserKernel(Reduction reduction, DataType type, RangeOperator operator) {
        super(reduction, type);
        this.operator = operator;
        this.elementBytes = type.bytes();
    }

    @Override
    public void combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        if (bytes > 0) {
            operator.combine(left.asSlice(leftOffset, bytes).asReadOnly(),
                    right.asSlice(rightOffset, bytes).asReadOnly(),
                    target.asSlice(targetOffset, bytes), bytes / elementBytes);
        }
    }
}
