/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures how much time this machine has had for this process and the processes that it has started. While the host of
 * a virtual machine runs other machines, the virtual machine gets no time, and Linux counts that time as stolen. Other
 * programs also take time. Speeds that are measured meanwhile are unreliable, and a long wait then proves nothing. Only
 * this machine is measured. Without {@code /proc/stat} all time counts.
 */
public final class MachineTime {
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final long NANOS_PER_TICK = 10_000_000; // of USER_HZ
    private static final double SHARE_WORTH_A_WORD = 0.05;
    private static final long LOOK_MILLIS = 250;

    /**
     * The part of the clock's time, one tenth, that always counts. Because of it, a wait that is measured by this class
     * ends even if other programs use all cores.
     */
    private static final int PASSING_PART = 10;

    private final long wallNanos = System.nanoTime();
    private final Ticks start = Ticks.now();
    private final long startOwnTicks = OwnTicks.now();

    /** Begins to measure. */
    public MachineTime() {
        // the fields' initializers begin the measurement
    }

    /**
     * The time that the cores of this machine have spent, in ticks of 10 ms.
     *
     * @param cores the number of cores
     * @param busy the ticks in which a core ran a program
     * @param stolen the ticks in which a core had a program to run, and the host ran something else
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

        /** Reads the lines of {@code /proc/stat}. */
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

        /** {@return the time stolen since {@code then}, a mean of the cores} */
        long stolenNanosSince(Ticks then) {
            return Math.max(0, stolen - then.stolen) * NANOS_PER_TICK / cores;
        }

        /** {@return the time that other programs have used since {@code then}, a mean of the cores} */
        long othersNanosSince(Ticks then, long ownTicks) {
            return Math.max(0, busy - then.busy - ownTicks) * NANOS_PER_TICK / cores;
        }

        /** {@return the stolen share of the time for which programs wanted to run since {@code then}} */
        double stolenShareSince(Ticks then) {
            double taken = Math.max(0, stolen - then.stolen);
            return taken / Math.max(1, taken + busy - then.busy);
        }
    }

    /** The ticks that this process and its descendants have used, including descendants that have ended. */
    static final class OwnTicks {
        private static final int AFTER_NAME = 2; // the fields up to the name, which proc(5) numbers, too
        private static final int USER = 14 - AFTER_NAME - 1;
        private static final int FIELDS = 4; // utime stime cutime cstime

        private OwnTicks() {}

        private static long now() {
            ProcessHandle self = ProcessHandle.current();
            return Stream.concat(Stream.of(self), self.descendants()).mapToLong(process -> of(process.pid())).sum();
        }

        private static long of(long process) {
            try {
                Path file = Path.of("/proc", String.valueOf(process), "stat");
                return Files.isReadable(file) ? of(Files.readString(file)) : 0;
            } catch (IOException _) { // the process has ended, and its parent's ticks include its own
                return 0;
            }
        }

        /** Reads the line of {@code /proc/PID/stat}. The name, in parentheses, may contain any character. */
        static long of(String line) {
            var fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ");
            return IntStream.range(USER, USER + FIELDS).mapToLong(field -> Long.parseLong(fields[field])).sum();
        }
    }

    /**
     * Measures for a quarter of a second how much of this machine other programs use.
     *
     * @return a warning, if other programs use more than a twentieth of the machine's cores
     */
    public static Optional<String> warningOfOthers() throws InterruptedException {
        Ticks before = Ticks.now();
        long ownBefore = OwnTicks.now();
        Thread.sleep(LOOK_MILLIS);
        Ticks now = Ticks.now();
        long own = OwnTicks.now() - ownBefore;
        double all = LOOK_MILLIS * 1e6 / NANOS_PER_TICK * now.cores;
        return warningOfOthers((now.busy - before.busy - own) / all);
    }

    static Optional<String> warningOfOthers(double share) {
        return share < SHARE_WORTH_A_WORD ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "tutti: other programs use %.0f %% of this machine's cores, so"
                        + " the figures will say little; let nothing else run", 100 * Math.min(1, share)));
    }

    /**
     * Returns the time that this machine has had for this process since this object was made. It is the time by the
     * clock, less the stolen time and the time that other programs used. Both are means of the cores, in steps of 10
     * ms.
     *
     * @return the time, at least a tenth of the time by the clock
     */
    public Duration elapsed() {
        return elapsed(System.nanoTime() - wallNanos, start, Ticks.now(), OwnTicks.now() - startOwnTicks);
    }

    static Duration elapsed(long wallNanos, Ticks then, Ticks now, long ownTicks) {
        return Duration.ofNanos(Math.max(wallNanos / PASSING_PART,
                wallNanos - now.stolenNanosSince(then) - now.othersNanosSince(then, ownTicks)));
    }

    /** {@return a warning, if the host took more than a twentieth of the time that programs wanted to run} */
    public Optional<String> warning() {
        return warning(Ticks.now().stolenShareSince(start));
    }

    static Optional<String> warning(double share) {
        return share < SHARE_WORTH_A_WORD ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "tutti: the host of this virtual machine took %.0f %% of its"
                        + " time for others meanwhile, so the figures say little; measure again", 100 * share));
    }
}
