/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

/**
 * Computes fingerprints. A fingerprint is a number of 64 bits that stands for longer data. Different data have
 * different fingerprints, except with a chance of 2<sup>−64</sup> for each pair. Every bit of the input changes every
 * bit of the fingerprint. Therefore data that differ in a regular way do not share a fingerprint. An example is two
 * lengths of which one grows and the other shrinks.
 */
public final class Fingerprint {
    /**
     * 2<sup>64</sup> divided by the golden ratio. The high bits of a product with this factor are well mixed (Knuth).
     */
    public static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    /** An odd factor that mixes the low bits of a number into the high ones. */
    public static final long MULTIPLIER = 0xC2B2_AE3D_27D4_EB4FL;
    private static final int HALF = 32;

    private Fingerprint() {}

    /**
     * Returns a fingerprint of two numbers. The fingerprint depends on the order of the numbers.
     *
     * @param number the first number
     * @param more the second number
     * @return the fingerprint
     */
    public static long mix(long number, long more) {
        return spread(spread(number) + more);
    }

    /**
     * Returns the fingerprint of a sequence that is extended by one element. The computation takes only one
     * multiplication, because it is a part of each call of a collective.
     *
     * @param sequence the fingerprint of the elements so far
     * @param next the fingerprint of the next element, with well mixed bits
     * @return the fingerprint of the longer sequence
     */
    public static long extend(long sequence, long next) {
        long product = (sequence + next) * MULTIPLIER;
        return product ^ product >>> HALF;
    }

    /** Spreads numbers evenly over 64 bits, by the finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
    private static long spread(long number) {
        long spread = number + GOLDEN;
        spread = (spread ^ spread >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        spread = (spread ^ spread >>> 27) * 0x94D0_49BB_1331_11EBL;
        return spread ^ spread >>> 31;
    }
}
