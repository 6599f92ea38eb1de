/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * A built-in operator: combines piece by piece in two small arrays, which stay in the first-level cache.
 *
 * <p>Why not on the segments themselves? Loops over segments are not vectorised; and when one loop meets segments over
 * arrays and over native memory in turn, as every algorithm makes it, the compiler speculates on one kind, is wrong,
 * and compiles again and again, with the loop interpreted in between. A loop over arrays of one type
 * knows nothing of that, and copying moves 100 GB/s here. {@link VectorKernel} does without the copies.
 *
 * <p>The arrays make a kernel useful to one thread at a time.
 */
abstract class ArrayKernel extends Kernel {
    private static final int PIECE_BYTES = 4 << 10;

    private final ValueLayout layout;
    private final int elementBytes;
    private final Object left;
    private final Object right;

    /**
     * @param reduction the operator
     * @param type the type of the elements
     * @param layout that type in memory, without alignment
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

    /** How many elements of a type are combined at once. */
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
