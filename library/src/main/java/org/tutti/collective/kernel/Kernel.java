/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.layout.Label;

/**
 * An operator, such as a sum, for elements of one type. Algorithms combine ranges of bytes with a kernel and never
 * access the elements themselves. {@code Kernels} creates the kernel of an operator. Only one thread at a time may use
 * a kernel.
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
     * Combines the elements of two ranges of memory one by one: {@code target = left op right}. The target may be the
     * left or the right range.
     *
     * @param left the memory that holds the elements of lower ranks
     * @param leftOffset the offset of the first element in {@code left}, in bytes
     * @param right the memory that holds the elements of higher ranks
     * @param rightOffset the offset of the first element in {@code right}, in bytes
     * @param target the memory for the result
     * @param targetOffset the offset of the result in {@code target}, in bytes
     * @param bytes the length of each range in bytes, a multiple of {@link #unitBytes}
     */
    public abstract void combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes);

    /**
     * Returns whether this kernel applies an operator to elements of a type.
     *
     * @param otherReduction the operator
     * @param otherType the type of the elements
     * @return true if this kernel has that operator and that type
     */
    public boolean isOf(Reduction otherReduction, DataType otherType) {
        return reduction == otherReduction && type == otherType;
    }

    /**
     * {@return whether the operator is commutative, so that left and right may be swapped}
     */
    public boolean isCommutative() {
        return reduction.isCommutative();
    }

    /**
     * {@return the operator's name and traits, in the form in which the descriptor of a call holds them}
     */
    public Label label() {
        return label;
    }

    /**
     * {@return the length of a unit in bytes; a unit consists of the elements that the operator combines as one value}
     */
    public long unitBytes() {
        return unitBytes;
    }

    /**
     * Checks that a number of elements is a whole number of units. A unit consists of the elements that the operator
     * combines as one value.
     *
     * @param count the number of elements
     * @throws IllegalArgumentException if the last unit is incomplete
     */
    public void checkUnits(long count) {
        if (count % reduction.unit() != 0) {
            throw new IllegalArgumentException("the operator " + reduction + " works on units of " + reduction.unit()
                    + " elements, and " + count + " elements are no whole number of them");
        }
    }

    /**
     * Rounds a length down to whole units, the elements that the operator combines as one value.
     *
     * @param bytes the length in bytes, at least one unit
     * @return the greatest multiple of {@link #unitBytes} that is not greater than {@code bytes}
     */
    public long wholeUnits(long bytes) {
        return bytes - bytes % unitBytes;
    }
}
