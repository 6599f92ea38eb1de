/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * A predefined operator that combines segments directly, with the vector instructions of this machine. The scalar
 * kernel of the same operator combines the elements that the vector loop cannot: those that do not fill a vector, those
 * in an array of another type, and those that come before C2 has compiled the loop. Both kernels give the same results,
 * because each element of the result is computed by one operation.
 */
final class VectorKernel extends Kernel {
    private static final Class<? extends MemorySegment> OFF_HEAP = Arena.global().allocate(1).getClass();
    private static final int PLACES = 2;

    private final Reduction reduction;
    private final DataType type;
    private final ArrayKernel plain;
    private final Class<? extends MemorySegment> onHeap;
    private final VectorLoop[] loops = new VectorLoop[PLACES * PLACES * PLACES];
    private final int vectorBytes = VectorLoops.vectorBytes();

    /**
     * Creates the kernel of an operator.
     *
     * @param reduction an operator that {@link VectorLoops} support
     * @param type the elements' type
     * @param plain the scalar kernel of the same operator and type
     */
    VectorKernel(Reduction reduction, DataType type, ArrayKernel plain) {
        super(reduction, type);
        this.reduction = reduction;
        this.type = type;
        this.plain = plain;
        this.onHeap = emptyArray(type).getClass();
    }

    private static MemorySegment emptyArray(DataType type) {
        return switch (type) {
            case BYTE, BOOLEAN -> MemorySegment.ofArray(new byte[0]);
            case CHAR -> MemorySegment.ofArray(new char[0]);
            case SHORT -> MemorySegment.ofArray(new short[0]);
            case INT -> MemorySegment.ofArray(new int[0]);
            case LONG -> MemorySegment.ofArray(new long[0]);
            case FLOAT -> MemorySegment.ofArray(new float[0]);
            case DOUBLE -> MemorySegment.ofArray(new double[0]);
        };
    }

    @Override
    public void combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        VectorLoop loop = bytes >= vectorBytes ? loop(left, right, target) : null;
        long done = loop == null ? 0
                : loop.combine(left, leftOffset, right, rightOffset, target, targetOffset, bytes);
        if (done < bytes) {
            plain.combine(left, leftOffset + done, right, rightOffset + done, target, targetOffset + done,
                    bytes - done);
        }
    }

    /**
     * Returns the loop for the kinds of memory of three segments, or null if one of them is an array of another type.
     */
    private VectorLoop loop(MemorySegment left, MemorySegment right, MemorySegment target) {
        var leftPlace = place(left);
        var rightPlace = place(right);
        var targetPlace = place(target);
        if (leftPlace == null || rightPlace == null || targetPlace == null) {
            return null;
        }
        int index = (number(leftPlace) * PLACES + number(rightPlace)) * PLACES + number(targetPlace);
        if (loops[index] == null) {
            loops[index] = VectorLoops.of(reduction, type, leftPlace, rightPlace, targetPlace);
        }
        return loops[index];
    }

    /**
     * Returns the class that stands for the kind of memory of a segment: off-heap memory, or an array of this kernel's
     * type. Returns null for an array of another type. A mapped segment is off-heap; its class is a subclass of {@link
     * #OFF_HEAP}.
     */
    private Class<? extends MemorySegment> place(MemorySegment segment) {
        if (OFF_HEAP.isInstance(segment)) {
            return OFF_HEAP;
        }
        return onHeap.isInstance(segment) ? onHeap : null;
    }

    private int number(Class<? extends MemorySegment> place) {
        return place == onHeap ? 1 : 0;
    }
}
