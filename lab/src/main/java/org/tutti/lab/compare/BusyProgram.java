/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a core busy until its input ends, which it does with whoever has started it, however that one ends; for a day
 * at most. It prints a byte when it begins.
 */
public final class BusyProgram {
    private static final long NANOS_MAX = TimeUnit.DAYS.toNanos(1);
    private static final int STEPS = 1_000_000; // between looks at the clock, some milliseconds

    private BusyProgram() {}

    /** @param none nothing */
    public static void main(String[] none) {
        Thread.ofPlatform().daemon().start(BusyProgram::endWithInput);
        System.out.write('b');
        System.out.flush();
        long start = System.nanoTime();
        long value = 1;
        while (value != 0 && System.nanoTime() - start < NANOS_MAX) { // never 0, which the compiler does not know
            value = compute(value);
        }
    }

    /** Marsaglia's xorshift, as of ranks that compute: it needs a core and no memory. */
    private static long compute(long from) {
        long value = from;
        for (int i = 0; i < STEPS; i++) {
            value ^= value << 13;
            value ^= value >>> 7;
            value ^= value << 17;
        }
        return value;
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                // nothing is said to it
            }
        } catch (IOException _) {
            // then nobody can tell it to go on, either
        }
        Runtime.getRuntime().halt(0);
    }
}
