/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The time that this machine has had since a moment: without what the host of a virtual machine took for others (steal,
 * in steps of 10 ms), so that limits mean the same on a busy host.
 */
public final class MachineTime {
    private static final int STEAL = 8;

    private final long wallNanos = System.nanoTime();
    private final long stolenNanos = stolenNanos();

    /** {@return the time since then, a mean of the cores} */
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - wallNanos - (stolenNanos() - stolenNanos));
    }

    private static long stolenNanos() {
        try {
            String[] fields = Files.readAllLines(Path.of("/proc/stat")).getFirst().split(" +"); // of all cores together
            return Long.parseLong(fields[STEAL]) * 10_000_000 / Runtime.getRuntime().availableProcessors();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
