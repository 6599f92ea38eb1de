/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.nio.charset.StandardCharsets;

/**
 * The name of an algorithm or operator as it stands in a call's descriptor, with what else must be the same of an
 * operator, and a hash of all of it.
 */
public final class Label {
    /** How many bytes of a name a descriptor holds. */
    public static final int LENGTH = 32;

    /** No name. */
    public static final Label NONE = new Label("");

    private static final int WORDS = LENGTH / Long.BYTES;

    private final long[] words = new long[WORDS];
    private final long traits;
    private final long hash;

    /**
     * @param name an algorithm's name
     */
    public Label(String name) {
        this(name, 1, true);
    }

    /**
     * @param name an operator's name
     * @param unit how many elements belong together
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

    public long word(int index) {
        return words[index];
    }

    public long traits() {
        return traits;
    }

    public long hash() {
        return hash;
    }

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

    /** What there is to say of an operator's traits: nothing of the usual ones. */
    public static String describeTraits(long traits) {
        long unit = traits >>> 1;
        return (unit == 1 ? "" : " in units of " + unit + " elements")
                + ((traits & 1) == 1 ? "" : " that does not commute");
    }
}
