/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.nio.charset.StandardCharsets;

/**
 * A name as it stands in a call's descriptor: its first {@value #LENGTH} bytes, and a hash of all of it.
 */
public final class Label {
    /** How many bytes of a name a descriptor holds. */
    public static final int LENGTH = 16;

    /** No name. */
    public static final Label NONE = new Label("");

    private final long first;
    private final long second;
    private final long hash;

    /**
     * @param name the name
     */
    public Label(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        long[] halves = new long[2];
        for (int i = 0; i < Math.min(bytes.length, LENGTH); i++) {
            halves[i / Long.BYTES] |= (bytes[i] & 0xffL) << (i % Long.BYTES * Byte.SIZE);
        }
        long mixed = 0xcbf29ce484222325L; // FNV-1a
        for (byte b : bytes) {
            mixed = (mixed ^ b & 0xff) * 0x100000001b3L;
        }
        this.first = halves[0];
        this.second = halves[1];
        this.hash = mixed;
    }

    long first() {
        return first;
    }

    long second() {
        return second;
    }

    long hash() {
        return hash;
    }

    static String decode(long first, long second) {
        byte[] bytes = new byte[LENGTH];
        int length = 0;
        for (int i = 0; i < LENGTH; i++) {
            byte b = (byte) ((i < Long.BYTES ? first : second) >>> (i % Long.BYTES * Byte.SIZE));
            if (b == 0) {
                break;
            }
            bytes[length++] = b;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
