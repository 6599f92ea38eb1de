/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.collective.layout.Label;

/**
 * An operator for elements of one type: what an algorithm calls, without ever seeing the elements. One thread at a time
 * uses it.
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
     * Finds the kernel of an operator.
     *
     * @param reduction the operator
     * @param type the elements' type
     * @return the kernel
     * @throws IllegalArgumentException when the operator does not support the type
     */
    public static Kernel of(Reduction reduction, DataType type) {
        if (!Objects.requireNonNull(reduction, "reduction").supports(type)) {
            throw new IllegalArgumentException(
                    "the operator " + reduction + " does not work on elements of type " + type
                            + "; the table at org.tutti.Reduction says which do");
        }
        if (reduction.operator().isPresent()) {
            return new UserKernel(reduction, type, reduction.operator().get());
        }
        ArrayKernel plain = plain(reduction, type);
        return Vectors.areInUse() && VectorLoops.support(reduction, type)
                ? new VectorKernel(reduction, type, plain)
                : plain;
    }

    /** The kernel of a built-in operator that needs nothing but arrays. */
    static ArrayKernel plain(Reduction reduction, DataType type) {
        return switch (type) {
            case INT -> new IntKernel(reduction);
            case LONG -> new LongKernel(reduction);
            case FLOAT -> new FloatKernel(reduction);
            case DOUBLE -> new DoubleKernel(reduction);
            case BOOLEAN, BYTE, CHAR, SHORT -> new SmallKernel(reduction, type);
        };
    }

    /**
     * Combines two ranges: {@code target = left op right}. The target may be left or right.
     *
     * @param left elements of lower ranks
     * @param leftOffset at which byte
     * @param right elements of higher ranks
     * @param rightOffset at which byte
     * @param target where the result goes
     * @param targetOffset at which byte
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
     * {@return the operator's name as descriptors hold it}
     */
    public Label label() {
        return label;
    }

    /**
     * {@return the bytes that must not be cut: those of one unit}
     */
    public long unitBytes() {
        return unitBytes;
    }

    /**
     * Makes sure that no unit would be cut.
     *
     * @param count how many elements there are
     * @throws IllegalArgumentException when they are no whole number of units
     */
    public void checkUnits(long count) {
        if (count % reduction.unit() != 0) {
            throw new IllegalArgumentException("the operator " + reduction + " works on units of " + reduction.unit()
                    + " elements, and " + count + " elements are no whole number of them");
        }
    }

    /**
     * Rounds down to whole units.
     *
     * @param bytes how many bytes there is room for, at least one unit
     * @return the greatest multiple of {@link #unitBytes} that is not greater
     */
    public long wholeUnits(long bytes) {
        return bytes - bytes % unitBytes;
    }
}
