/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The type of the elements of a {@link Span}: Java's eight primitive types, in the byte order of the machine.
 */
public enum DataType {
    /** {@code boolean}: one byte, 0 or 1. */
    BOOLEAN(1),
    /** {@code byte}: a signed 8-bit integer. */
    BYTE(1),
    /** {@code char}: an unsigned 16-bit code unit; it can be moved and compared, but not added. */
    CHAR(2),
    /** {@code short}: a signed 16-bit integer. */
    SHORT(2),
    /** {@code int}: a signed 32-bit integer. */
    INT(4),
    /** {@code long}: a signed 64-bit integer. */
    LONG(8),
    /** {@code float}: a 32-bit IEEE 754 number. */
    FLOAT(4),
    /** {@code double}: a 64-bit IEEE 754 number. */
    DOUBLE(8);

    private final int bytes;

    DataType(int bytes) {
        this.bytes = bytes;
    }

    /**
     * {@return the size of an element, in bytes}
     */
    public int bytes() {
        return bytes;
    }

    /**
     * Returns whether a segment can hold elements of this type. Any native segment can, and so can a segment of a
     * {@code byte[]} or of an array of this type. No segment can be over a {@code boolean[]}, so {@link #BOOLEAN}
     * elements in segments are bytes.
     *
     * @param segment the memory that would hold the elements
     * @return whether a {@link Span} of this type can be made over the segment
     */
    public boolean fits(MemorySegment segment) {
        Object array = Objects.requireNonNull(segment, "segment").heapBase().orElse(null);
        return switch (array) {
            case null -> segment.isNative();
            case byte[] _ -> true;
            case char[] _ -> this == CHAR;
            case short[] _ -> this == SHORT;
            case int[] _ -> this == INT;
            case long[] _ -> this == LONG;
            case float[] _ -> this == FLOAT;
            case double[] _ -> this == DOUBLE;
            default -> false;
        };
    }
}
