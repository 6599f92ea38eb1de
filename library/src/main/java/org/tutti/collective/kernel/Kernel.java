/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.layout.Label;

/**
 * An operator for elements of one type. An algorithm calls it, and never sees the elements. {@code Kernels} finds the
 * kernel of an operator; one thread at a time uses it.
 */
public abstract class Kernel {
    private final Reduction reduction;
    private final DataType type;
    private final Label label;
    private final long unitBytes;

    Kernel(Reduction reduction, DataType type) {
        this.reduction = reduction;
        this.type = type;
        this.label = new Label(reduction.name(), reduction.unit(), reduction.isCommutative());
        this.unitBytes = (long) reduction.unit() * type.bytes();
    }

    /**
     * Combines two ranges: {@code target = left op right}. The target may be left or right.
     *
     * @param left elements of lower ranks
     * @param leftOffset their offset in that memory
     * @param right elements of higher ranks
     * @param rightOffset their offset in that memory
     * @param target the memory for the result
     * @param targetOffset the offset of the result in it
     * @param bytes the length of each range, a multiple of {@link #unitBytes}
     */
    public abstract void combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes);

    /**
     * Tells whether this is the kernel of an operator and a type.
     *
     * @param otherReduction the operator
     * @param otherType the type
     * @return whether it is
     */
    public boolean isOf(Reduction otherReduction, DataType otherType) {
        return reduction == otherReduction && type == otherType;
    }

    /**
     * {@return whether left and right may be swapped}
     */
    public boolean isCommutative() {
        return reduction.isCommutative();
    }

    /**
     * {@return the operator's name and traits as descriptors hold them}
     */
    public Label label() {
        return label;
    }

    /**
     * {@return the length of a unit in bytes: elements that must not be separated}
     */
    public long unitBytes() {
        return unitBytes;
    }

    /**
     * Checks that a number of elements is a whole number of units.
     *
     * @param count the number of elements
     * @throws IllegalArgumentException when it is not
     */
    public void checkUnits(long count) {
        if (count % reduction.unit() != 0) {
            throw new IllegalArgumentException("the operator " + reduction + " works on units of " + reduction.unit()
                    + " elements, and " + count + " elements are no whole number of them");
        }
    }

    /**
     * Rounds a length down to whole units.
     *
     * @param bytes the length, at least one unit
     * @return the greatest multiple of {@link #unitBytes} that is not greater
     */
    public long wholeUnits(long bytes) {
        return bytes - bytes % unitBytes;
    }
}
