/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * A predefined operator that copies pieces of both operands to two small arrays, and combines them there. The arrays
 * stay in the first-level cache.
 *
 * <p>The loops run over arrays and not over the segments, for two reasons. First, the compiler does not vectorise loops
 * over segments. Second, every algorithm would pass segments of arrays and of native memory in turn to the same loop.
 * The compiler would speculate on one kind, fail, and compile the loop again and again, and the loop would be
 * interpreted in between. A loop over arrays of one type does not have these problems, and copies to the arrays are
 * cheap (100 GB/s where Tutti was built). {@link VectorKernel} works without the copies.
 *
 * <p>Only one thread at a time may use a kernel, because each kernel has only one pair of arrays.
 */
abstract class ArrayKernel extends Kernel {
    private static final int PIECE_BYTES = 4 << 10;

    private final ValueLayout layout;
    private final int elementBytes;
    private final Object left;
    private final Object right;

    /**
     * Creates the kernel of an operator.
     *
     * @param reduction the operator
     * @param type the type of the elements
     * @param layout the layout of an element in memory, without alignment
     * @param left an array of {@link #elements} elements, which holds the left operand and then the result
     * @param right another array of the same type and length, which holds the right operand
     */
    ArrayKernel(Reduction reduction, DataType type, ValueLayout layout, Object left, Object right) {
        super(reduction, type);
        this.layout = layout;
        this.elementBytes = type.bytes();
        this.left = left;
        this.right = right;
    }

    /** Returns the number of elements of a type in a piece, which is the length of each array. */
    static int elements(DataType type) {
        return PIECE_BYTES / type.bytes();
    }

    /** Combines the first {@code count} elements of both arrays, and writes the results to the left array. */
    abstract void run(int count);

    @Override
    public final void combine(MemorySegment leftMemory, long leftOffset, MemorySegment rightMemory, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            int count = (int) Math.min(PIECE_BYTES, bytes - at) / elementBytes;
            MemorySegment.copy(leftMemory, layout, leftOffset + at, left, 0, count);
            MemorySegment.copy(rightMemory, layout, rightOffset + at, right, 0, count);
            run(count);
            MemorySegment.copy(left, 0, target, layout, targetOffset + at, count);
        }
    }
}
