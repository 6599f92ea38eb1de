/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.nio.charset.StandardCharsets;

/**
 * The name of an algorithm or operator, in the form in which the descriptor of a call holds it. A label also has the
 * traits of an operator that must be the same at all ranks: its unit, and whether it commutes. A hash stands for name
 * and traits.
 */
public final class Label {
    /** The greatest number of bytes of a name that a descriptor holds. */
    public static final int LENGTH = 32;

    /** The label of a call without an operator: an empty name. */
    public static final Label NONE = new Label("");

    private static final int WORDS = LENGTH / Long.BYTES;

    private final long[] words = new long[WORDS];
    private final long traits;
    private final long hash;
    private final String text;

    /**
     * Creates the label of an algorithm.
     *
     * @param name the name of the algorithm
     */
    public Label(String name) {
        this(name, 1, true);
    }

    /**
     * Creates the label of an operator.
     *
     * @param name the name of the operator
     * @param unit the number of elements that the operator combines as one value, 1 or more
     * @param commutative whether the operands may be swapped
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
        this.text = decode(words);
    }

    /** Returns eight bytes of the name, from byte 8·index on. */
    public long word(int index) {
        return words[index];
    }

    /** Returns the operator's unit, shifted left by one bit; the lowest bit is 1 if the operator commutes. */
    public long traits() {
        return traits;
    }

    /** Returns a hash of the whole name and the traits. */
    public long hash() {
        return hash;
    }

    /** {@return the name, at most {@value #LENGTH} bytes of it} */
    @Override
    public String toString() {
        return text;
    }

    /**
     * Returns the name of a label.
     *
     * @param words all words of the label, as {@link #word} returns them
     */
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

    /**
     * Returns a description of an operator's traits, for messages. A unit of 1 and a commutative operator are not
     * mentioned.
     */
    public static String describeTraits(long traits) {
        long unit = traits >>> 1;
        return (unit == 1 ? "" : " in units of " + unit + " elements")
                + ((traits & 1) == 1 ? "" : " that does not commute");
    }
}
