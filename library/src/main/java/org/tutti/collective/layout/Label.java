/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.nio.charset.StandardCharsets;

/**
 * The name of an algorithm or operator as a call's descriptor holds it, with the traits of an operator that must be the
 * same at all ranks, and a hash of both.
 */
public final class Label {
    /** The number of bytes of a name that a descriptor holds. */
    public static final int LENGTH = 32;

    /** No name. */
    public static final Label NONE = new Label("");

    private static final int WORDS = LENGTH / Long.BYTES;

    private final long[] words = new long[WORDS];
    private final long traits;
    private final long hash;

    /**
     * Makes the label of an algorithm.
     *
     * @param name its name
     */
    public Label(String name) {
        this(name, 1, true);
    }

    /**
     * Makes the label of an operator.
     *
     * @param name its name
     * @param unit the number of elements that belong together
     * @param commutative whether operands may be swapped
     */
    public Label(String name, int unit, boolean commutative) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < Math.min(bytes.length, LENGTH); i++) {
            words[i / Long.BYTES] |= (bytes[i] & 0xffL) << (i % Long.BYTES * Byte.SIZE);
        }
        this.traits = (long) unit << 1 | (commutative ? 1 : 0);
        long mixed = 0xcbf29ce484222325L ^ traits; // FNV-1a
        for (byte b : bytes) {
            mixed = (mixed ^ b & 0xff) * 0x100000001b3L;
        }
        this.hash = mixed;
    }

    /** Returns eight bytes of the name. */
    public long word(int index) {
        return words[index];
    }

    /** Returns the traits: the operator's unit, and in the lowest bit whether it commutes. */
    public long traits() {
        return traits;
    }

    /** Returns a hash of the whole name and the traits. */
    public long hash() {
        return hash;
    }

    /** Returns the name in words that {@link #word} has given. */
    public static String decode(long[] words) {
        byte[] bytes = new byte[words.length * Long.BYTES];
        int length = 0;
        while (length < bytes.length) {
            byte b = (byte) (words[length / Long.BYTES] >>> (length % Long.BYTES * Byte.SIZE));
            if (b == 0) {
                break;
            }
            bytes[length++] = b;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Describes an operator's traits; the usual ones have no description. */
    public static String describeTraits(long traits) {
        long unit = traits >>> 1;
        return (unit == 1 ? "" : " in units of " + unit + " elements")
                + ((traits & 1) == 1 ? "" : " that does not commute");
    }
}
