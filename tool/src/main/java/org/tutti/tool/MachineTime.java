/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The time that this machine has had. A virtual machine gets none while its host runs others, which Linux counts as
 * stolen; what was measured then says little, and whoever waited then has not waited in vain. Nothing is known of other
 * machines, nor where there is no {@code /proc/stat}: there nothing counts as stolen.
 */
public final class MachineTime {
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final long NANOS_PER_TICK = 10_000_000; // of USER_HZ
    private static final double SHARE_WORTH_A_WORD = 0.05;
    private static final long LOOK_MILLIS = 250;

    private final long wallNanos = System.nanoTime();
    private final Ticks start = Ticks.now();

    /** Begins to measure. */
    public MachineTime() {
        // all is in the fields
    }

    /**
     * What the cores of this machine have done.
     *
     * @param cores how many they are
     * @param busy ticks in which one ran something
     * @param stolen ticks in which one had something to run, and the host ran something else
     */
    record Ticks(int cores, long busy, long stolen) {
        private static final int USER = 1; // after the name: user nice system idle iowait irq softirq steal
        private static final int IDLE = 4;
        private static final int IO_WAIT = 5;
        private static final int STEAL = 8;

        private static Ticks now() {
            try {
                return Files.isReadable(STATISTICS) ? of(Files.readAllLines(STATISTICS)) : new Ticks(1, 0, 0);
            } catch (IOException _) {
                return new Ticks(1, 0, 0);
            }
        }

        /** Reads what {@code /proc/stat} says. */
        static Ticks of(List<String> lines) {
            int cores = 0;
            long busy = 0;
            long stolen = 0;
            for (var line : lines) {
                var fields = line.split(" +");
                if (fields[0].matches("cpu\\d+") && fields.length > STEAL) {
                    cores++;
                    stolen += Long.parseLong(fields[STEAL]);
                    for (int field = USER; field < STEAL; field++) {
                        busy += field == IDLE || field == IO_WAIT ? 0 : Long.parseLong(fields[field]);
                    }
                }
            }
            return new Ticks(Math.max(1, cores), busy, stolen);
        }

        /** {@return what was stolen since then, the mean of the cores} */
        long stolenNanosSince(Ticks then) {
            return Math.max(0, stolen - then.stolen) * NANOS_PER_TICK / cores;
        }

        /** {@return how much of the time that was wanted since then was stolen} */
        double stolenShareSince(Ticks then) {
            double taken = Math.max(0, stolen - then.stolen);
            return taken / Math.max(1, taken + busy - then.busy);
        }
    }

    /**
     * Looks what others do on this machine, for a quarter of a second.
     *
     * @return a sentence for whoever is about to measure, if they use more than a twentieth of its cores
     */
    public static Optional<String> warningOfOthers() throws InterruptedException {
        Ticks before = Ticks.now();
        Duration ownBefore = ownTime();
        Thread.sleep(LOOK_MILLIS);
        Ticks now = Ticks.now();
        long own = ownTime().minus(ownBefore).toNanos() / NANOS_PER_TICK;
        double all = LOOK_MILLIS * 1e6 / NANOS_PER_TICK * now.cores;
        return warningOfOthers((now.busy - before.busy - own) / all);
    }

    private static Duration ownTime() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    static Optional<String> warningOfOthers(double share) {
        return share < SHARE_WORTH_A_WORD ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "tutti: other programs use %.0f %% of this machine's cores, so"
                        + " the figures will say little; let nothing else run", 100 * Math.min(1, share)));
    }

    /** {@return the time since then without what was stolen, in steps of 10 ms, a mean of the cores} */
    public Duration elapsed() {
        return Duration.ofNanos(Math.max(0, System.nanoTime() - wallNanos - Ticks.now().stolenNanosSince(start)));
    }

    /** {@return a sentence for whoever reads figures, if the host took more than a twentieth of what was wanted} */
    public Optional<String> warning() {
        return warning(Ticks.now().stolenShareSince(start));
    }

    static Optional<String> warning(double share) {
        return share < SHARE_WORTH_A_WORD ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "tutti: the host of this virtual machine took %.0f %% of its"
                        + " time for others meanwhile, so the figures say little; measure again", 100 * share));
    }
}
