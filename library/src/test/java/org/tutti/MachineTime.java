/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The time that this machine has had since a moment: without what the host of a virtual machine took for others (steal,
 * in steps of 10 ms), so that limits mean the same on a busy host.
 */
public final class MachineTime {
    private static final int STEAL = 8; // the field, as proc(5) has them, after the core's name
    private static final long NANOS_PER_TICK = 10_000_000;

    private final long wallNanos = System.nanoTime();
    private final long stolenNanos = stolenNanos();

    /** {@return the time since then, a mean of the cores} */
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - wallNanos - (stolenNanos() - stolenNanos));
    }

    private static long stolenNanos() {
        try {
            List<String> cores = Files.readAllLines(Path.of("/proc/stat")).stream()
                    .filter(line -> line.matches("cpu\\d+ .*")).toList();
            long ticks = cores.stream().mapToLong(line -> Long.parseLong(line.split(" +")[STEAL])).sum();
            return ticks * NANOS_PER_TICK / cores.size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
