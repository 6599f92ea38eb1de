/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import org.tutti.Communicator;
import org.tutti.Tutti;
import org.tutti.simulator.Model;

/**
 * What {@code tutti simulate --measure-model} runs, in one process: measures this machine, and writes its model. Of the
 * simulator it has constants only, as ranks do not find its classes.
 */
public final class MeasureProgram {
    private static final double NANOS = 1e3;

    /** Some figures are what one measurement takes more than another: noise must not make them negative. */
    private static final double LEAST = 1e-4;

    private final StringBuilder text = new StringBuilder();
    private final boolean coreForEach = Runtime.getRuntime().availableProcessors() > 1;

    private MeasureProgram() {
        text.append("# This machine, as tutti simulate --measure-model found it on ")
                .append(LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS))
                .append(".\n# Every figure is the median of several repeats, after a warm-up.\n");
    }

    /** @param arguments the file to write */
    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        MeasureProgram program = new MeasureProgram();
        try (var job = Tutti.join()) {
            program.measure(job.world());
        }
        Files.writeString(file, program.text);
        System.out.print(program.text);
    }

    private void measure(Communicator world) {
        Timing calls = new Timing();
        figure("callMicros", "a barrier of a communicator of one rank", Timing.median(
                rounds -> calls.nanosPerRound(rounds, () -> {
                }, _ -> world.barrier())) / NANOS);
        double switchNanos = measureMemory(new MemoryMeasurement(coreForEach));
        try (RailMeasurement rail = new RailMeasurement(coreForEach)) {
            measureRail(rail);
        }
        figure("rails", "loopback is one", 1);
        figure("stripeBytes", "of no effect with one rail", Model.COUNT_MAX);
        figure("cores", "those that the ranks may use", Runtime.getRuntime().availableProcessors());
        figure("nodesPerHost", "as many as there are: namespaces of this machine, or --nodes", Model.COUNT_MAX);
        figure("switchMicros", "a word handed over by two threads that yield one core to each other",
                switchNanos / NANOS);
    }

    /** Returns the nanoseconds of a switch. */
    private double measureMemory(MemoryMeasurement memory) {
        double word = memory.wordNanos();
        figure("memoryLatencyMicros", "a word handed over by two threads on two cores that look at it without pause,"
                + " less a store and a look", (memory.handOverNanos() - 2 * word) / NANOS);
        figure("memoryOverheadMicros", "a store to a word that nobody else uses, and a look at it, halved",
                word / NANOS);
        double copy = memory.copyNanosPerByte();
        figure("memoryNanosPerByte", "1 MiB copied from an array to off-heap memory and back by one thread", copy);
        figure("crossNanosPerByte", "1 MiB copied there by one thread and from there by another, less the above",
                memory.sharedCopyNanosPerByte() - copy);
        figure("combineNanosPerByte", "1 MiB of doubles off the heap added to those of an array, into another one",
                memory.combineNanosPerByte());
        return memory.switchNanos();
    }

    private void measureRail(RailMeasurement rail) {
        double put = rail.putNanos(RailMeasurement.SMALL_BYTES);
        figure("railLatencyMicros", "a put of 8 bytes over loopback, both ends polling, there and back, halved, less"
                + " what it occupies its caller", rail.latencyNanos() / NANOS);
        figure("railOverheadMicros", "what such a put occupies its caller", put / NANOS);
        figure("railOverheadNanosPerByte", "what a put of 64 KiB occupies its caller longer",
                (rail.putNanos(RailMeasurement.LARGE_BYTES) - put) / RailMeasurement.LARGE_BYTES);
        double gap = rail.streamNanos(RailMeasurement.SMALL_BYTES);
        String stream = RailMeasurement.STREAM_PUTS + " in a row";
        figure("railGapMicros", "the time between puts of 8 bytes, each sent at once, " + stream, gap / NANOS);
        figure("railNanosPerByte", "the time between puts of 64 KiB, " + stream + ", less the gap",
                (rail.streamNanos(RailMeasurement.LARGE_BYTES) - gap) / RailMeasurement.LARGE_BYTES);
    }

    private void figure(String key, String how, double measured) {
        text.append("\n# ").append(how).append('\n').append(key)
                .append(String.format(Locale.ROOT, " = %.4f%n", Math.max(measured, LEAST)));
    }

    private void figure(String key, String how, int count) {
        text.append("\n# ").append(how).append('\n').append(key).append(" = ").append(count).append('\n');
    }
}
