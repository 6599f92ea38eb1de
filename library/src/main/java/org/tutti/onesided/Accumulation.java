/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.EnumSet;
import java.util.Set;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operations with which an accumulate combines the caller's elements with the elements of another rank's memory,
 * for example by adding them. A message names the operation and the type of the elements by one number, the
 * {@linkplain #code code}. Therefore the order of the constants is part of the protocol.
 */
enum Accumulation {
    /** {@code target += scale × source}. */
    SUM(Reduction.SUM, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** The smaller value, as {@link Math#min(double, double)} defines it. */
    MIN(Reduction.MIN, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** The greater value, as {@link Math#max(double, double)} defines it. */
    MAX(Reduction.MAX, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** {@code target & source}. */
    BITWISE_AND(Reduction.BITWISE_AND, EnumSet.of(DataType.INT, DataType.LONG)),
    /** {@code target | source}. */
    BITWISE_OR(Reduction.BITWISE_OR, EnumSet.of(DataType.INT, DataType.LONG)),
    /** {@code target ^ source}. */
    BITWISE_XOR(Reduction.BITWISE_XOR, EnumSet.of(DataType.INT, DataType.LONG)),
    /** The source. */
    REPLACE(null, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** {@code target += scale × source} on complex numbers. Each is a pair of a real and an imaginary part. */
    SUM_OF_COMPLEX(null, EnumSet.of(DataType.FLOAT, DataType.DOUBLE));

    private static final Accumulation[] ALL = values();
    private static final DataType[] TYPES = DataType.values();

    private final Reduction reduction;
    private final Set<DataType> types;

    Accumulation(Reduction reduction, Set<DataType> types) {
        this.reduction = reduction;
        this.types = types;
    }

    /** Returns the accumulation that corresponds to an operator of collectives, or null if there is none. */
    static Accumulation of(Reduction reduction) {
        for (Accumulation each : ALL) {
            if (reduction != null && each.reduction == reduction) {
                return each;
            }
        }
        return null;
    }

    boolean supports(DataType type) {
        return types.contains(type);
    }

    /**
     * Returns the size of the smallest unit in bytes. That is an element, or a pair of elements for a complex number.
     */
    int elementBytes(DataType type) {
        return this == SUM_OF_COMPLEX ? 2 * type.bytes() : type.bytes();
    }

    /** Returns the number that stands for this operation with a type of elements in frames. */
    int code(DataType type) {
        return ordinal() * TYPES.length + type.ordinal();
    }

    /** Returns whether a number that another process has sent is a valid code. */
    static boolean isCode(int code) {
        return code >= 0 && code < ALL.length * TYPES.length && ofCode(code).supports(typeOfCode(code));
    }

    static Accumulation ofCode(int code) {
        return ALL[code / TYPES.length];
    }

    static DataType typeOfCode(int code) {
        return TYPES[code % TYPES.length];
    }
}
