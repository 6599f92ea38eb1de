/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The time that this machine has had. A virtual machine gets none while its host runs others, which Linux counts as
 * stolen; what was measured then says little, and whoever waited then has not waited in vain.
 */
public final class MachineTime {
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final int STEAL_FIELD = 8; // after the name: user nice system idle iowait irq softirq steal
    private static final long NANOS_PER_TICK = 10_000_000; // of USER_HZ
    private static final double SHARE_WORTH_A_WORD = 0.05;

    private final long wallNanos = System.nanoTime();
    private final long stolenNanos = stolenNanos();

    /** Begins to measure. */
    public MachineTime() {
        // all is in the fields
    }

    /** {@return the time since then without what was stolen, in steps of 10 ms, a mean of the cores} */
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - wallNanos - (stolenNanos() - stolenNanos));
    }

    /** {@return a sentence for whoever reads figures, if the host has taken more than a twentieth since then} */
    public Optional<String> warning() {
        return warning((double) (stolenNanos() - stolenNanos) / (System.nanoTime() - wallNanos));
    }

    static Optional<String> warning(double share) {
        return share < SHARE_WORTH_A_WORD ? Optional.empty()
                : Optional
                        .of(String
                                .format(Locale.ROOT,
                                        "tutti: the host of this virtual machine took %.0f %% of its time for"
                                                + " others meanwhile, so the figures say little; measure again",
                                        100 * share));
    }

    private static long stolenNanos() {
        if (!Files.isReadable(STATISTICS)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(STATISTICS)) {
            return (long) lines.filter(line -> line.matches("cpu\\d+ .*")).map(line -> line.split(" +"))
                    .filter(fields -> fields.length > STEAL_FIELD)
                    .mapToLong(fields -> NANOS_PER_TICK * Long.parseLong(fields[STEAL_FIELD])).average().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
