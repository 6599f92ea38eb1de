/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

/**
 * Numbers of 64 bits that stand for longer things. Different things have different numbers, except by accident, with a
 * chance of 2<sup>−64</sup> for each pair. Every bit of the input changes every bit of the number, so things that
 * differ in a regular way do not share a number: for example two lengths, one longer and one shorter.
 */
public final class Fingerprint {
    /** 2<sup>64</sup> divided by the golden ratio: the high bits of a product with it are well mixed (Knuth). */
    public static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    /** An odd factor that mixes the low bits of a number into the high ones. */
    public static final long MULTIPLIER = 0xC2B2_AE3D_27D4_EB4FL;
    private static final int HALF = 32;

    private Fingerprint() {}

    /**
     * Makes one number of two; their order counts.
     *
     * @param number a number
     * @param more another one
     * @return a number for both
     */
    public static long mix(long number, long more) {
        return spread(spread(number) + more);
    }

    /**
     * Extends the number of a sequence by its next element, with one multiplication, because each call does so.
     *
     * @param sequence the number of the elements so far
     * @param next the number of the next element, with well mixed bits
     * @return the number of the sequence with the element
     */
    public static long extend(long sequence, long next) {
        long product = (sequence + next) * MULTIPLIER;
        return product ^ product >>> HALF;
    }

    /** Spreads numbers evenly: the finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
    private static long spread(long number) {
        long spread = number + GOLDEN;
        spread = (spread ^ spread >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        spread = (spread ^ spread >>> 27) * 0x94D0_49BB_1331_11EBL;
        return spread ^ spread >>> 31;
    }
}
