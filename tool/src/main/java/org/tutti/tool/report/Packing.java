/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Arrays;

/**
 * Packs numbers that are mostly small: seven bits a byte, the lowest first, the eighth bit set if more follow
 * (LEB128).
 */
final class Packing {
    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;
    private static final int BYTES_MAX = 10;

    private byte[] bytes = new byte[1 << 12];
    private int size;

    /** Adds a number; a negative one counts as 0. */
    Packing add(long number) {
        if (size + BYTES_MAX > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.multiplyExact(bytes.length, 2));
        }
        long left = Math.max(0, number);
        while (left >= MORE) {
            bytes[size++] = (byte) (left | MORE);
            left >>>= BITS;
        }
        bytes[size++] = (byte) left;
        return this;
    }

    /** {@return the packed numbers} */
    byte[] bytes() {
        return Arrays.copyOf(bytes, size);
    }
}
