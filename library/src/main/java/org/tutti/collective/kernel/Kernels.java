/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.util.Objects;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * Creates the {@link Kernel} of an operator and a type. The kernel of a predefined operator loops over arrays or over
 * vectors; the kernel of a user's operator calls the user's code.
 */
public final class Kernels {
    private Kernels() {}

    /**
     * Creates the kernel of an operator.
     *
     * @param reduction the operator
     * @param type the elements' type
     * @return a kernel that applies the operator to elements of the type
     * @throws IllegalArgumentException if the operator does not support the type
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

    /** Returns the scalar kernel of a predefined operator, which does not need the Vector API. */
    static ArrayKernel plain(Reduction reduction, DataType type) {
        return switch (type) {
            case INT -> new IntKernel(reduction);
            case LONG -> new LongKernel(reduction);
            case FLOAT -> new FloatKernel(reduction);
            case DOUBLE -> new DoubleKernel(reduction);
            case BOOLEAN, BYTE, CHAR, SHORT -> new SmallKernel(reduction, type);
        };
    }
}
