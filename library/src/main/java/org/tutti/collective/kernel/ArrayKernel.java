/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * A predefined operator that combines piece by piece in two small arrays, which stay in the first-level cache.
 *
 * <p>Why not on the segments themselves? Loops over segments are not vectorised. And when one loop meets segments over
 * arrays and over native memory in turn, as it does in every algorithm, the compiler speculates on one kind, is wrong,
 * and compiles again and again, with the loop interpreted in between. A loop over arrays of one type does not have this
 * problem, and copying to them is cheap (100 GB/s where Tutti was built). {@link VectorKernel} works without the
 * copies.
 *
 * <p>Because of the arrays only one thread at a time may use a kernel.
 */
abstract class ArrayKernel extends Kernel {
    private static final int PIECE_BYTES = 4 << 10;

    private final ValueLayout layout;
    private final int elementBytes;
    private final Object left;
    private final Object right;

    /**
     * Makes the kernel of an operator.
     *
     * @param reduction the operator
     * @param type the type of the elements
     * @param layout the layout of an element in memory, without alignment
     * @param left an array of {@link #elements} elements
     * @param right another one
     */
    ArrayKernel(Reduction reduction, DataType type, ValueLayout layout, Object left, Object right) {
        super(reduction, type);
        this.layout = layout;
        this.elementBytes = type.bytes();
        this.left = left;
        this.right = right;
    }

    /** Returns the number of elements of a type in a piece. */
    static int elements(DataType type) {
        return PIECE_BYTES / type.bytes();
    }

    /** Combines the first elements of the two arrays into the first one. */
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
