/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.EnumSet;
import java.util.Set;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * How accumulated elements are combined with those of a part. Frames carry it with the type of the elements as one
 * number, the {@linkplain #code code}, so the order of the constants is part of the protocol.
 */
enum Accumulation {
    /** {@code target += scale × source}. */
    SUM(Reduction.SUM, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** The smaller one, as {@link Math#min(double, double)} has it. */
    MIN(Reduction.MIN, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** The greater one. */
    MAX(Reduction.MAX, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** {@code target & source}. */
    BITWISE_AND(Reduction.BITWISE_AND, EnumSet.of(DataType.INT, DataType.LONG)),
    /** {@code target | source}. */
    BITWISE_OR(Reduction.BITWISE_OR, EnumSet.of(DataType.INT, DataType.LONG)),
    /** {@code target ^ source}. */
    BITWISE_XOR(Reduction.BITWISE_XOR, EnumSet.of(DataType.INT, DataType.LONG)),
    /** The source. */
    REPLACE(null, EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE)),
    /** {@code target += scale × source} of complex numbers, each a pair: its real part, then the imaginary one. */
    SUM_OF_COMPLEX(null, EnumSet.of(DataType.FLOAT, DataType.DOUBLE));

    private static final Accumulation[] ALL = values();
    private static final DataType[] TYPES = DataType.values();

    private final Reduction reduction;
    private final Set<DataType> types;

    Accumulation(Reduction reduction, Set<DataType> types) {
        this.reduction = reduction;
        this.types = types;
    }

    /** The one that does what an operator of collectives does, or null. */
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

    /** How many bytes are combined at once: those of an element, or of a pair. */
    int elementBytes(DataType type) {
        return this == SUM_OF_COMPLEX ? 2 * type.bytes() : type.bytes();
    }

    /** A number for this and a type. */
    int code(DataType type) {
        return ordinal() * TYPES.length + type.ordinal();
    }

    /** Whether a number, which somebody else has sent, is the code of something. */
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
