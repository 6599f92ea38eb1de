/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** Tells what all threads of this process cost while it waits, as precisely as the scheduler knows it. */
final class IdleMeter {
    private static final int STRETCHES = 6;
    private static final long STRETCH_MILLIS = 1500;

    /** The fields of a thread's {@code schedstat}. */
    private static final int CPU_NANOS = 0;
    private static final int RUNS = 2;

    private IdleMeter() {}

    /** Prints the least share of a core of some stretches of time, and how often threads were woken. */
    static void print() {
        try {
            Thread.sleep(STRETCH_MILLIS);
            long cpuNanos = Long.MAX_VALUE;
            long runs = Long.MAX_VALUE;
            for (int stretch = 0; stretch < STRETCHES; stretch++) {
                long cpuBefore = sum(CPU_NANOS);
                long runsBefore = sum(RUNS);
                Thread.sleep(STRETCH_MILLIS);
                runs = Math.min(runs, sum(RUNS) - runsBefore);
                cpuNanos = Math.min(cpuNanos, sum(CPU_NANOS) - cpuBefore);
            }
            System.out.println("idle " + cpuNanos / (STRETCH_MILLIS * 10_000.0) + " %, "
                    + runs * 1000.0 / STRETCH_MILLIS + " wake-ups/s");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long sum(int field) {
        long sum = 0;
        for (File thread : new File("/proc/self/task").listFiles()) {
            try {
                sum += Long.parseLong(Files.readString(thread.toPath().resolve("schedstat")).strip().split(" ")[field]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return sum;
    }
}
