/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a core busy until its input ends, for a day at most. The input ends together with the process that started this
 * program, even if that process is killed. The program prints a byte when it begins.
 */
public final class BusyProgram {
    private static final long NANOS_MAX = TimeUnit.DAYS.toNanos(1);
    private static final int STEPS = 1_000_000; // between two looks at the clock, some milliseconds

    private BusyProgram() {}

    /** @param none no arguments */
    public static void main(String[] none) {
        Thread.ofPlatform().daemon().start(BusyProgram::endWithInput);
        System.out.write('b');
        System.out.flush();
        long start = System.nanoTime();
        long value = 1;
        while (value != 0 && System.nanoTime() - start < NANOS_MAX) { // always, but no compiler knows
            value = compute(value);
        }
    }

    /** Marsaglia's xorshift, as in computing ranks: it needs a core and no memory. */
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
                // the input carries no messages
            }
        } catch (IOException _) {
            // the input is broken, and so has ended too
        }
        Runtime.getRuntime().halt(0);
    }
}
