/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import org.tutti.Communicator;
import org.tutti.Reduction;
import org.tutti.Tutti;
import org.tutti.simulator.Model;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.run.StepLine;

/**
 * The program that {@code tutti simulate --measure-model} runs in one process: measures this machine, and writes its
 * model. It uses only constants of the simulator, because ranks do not find the simulator's classes.
 */
public final class MeasureProgram {
    private static final double NANOS = 1e3;

    /** The least figure. Some figures are differences of two measurements, and noise must not make them negative. */
    private static final double LEAST = 1e-4;

    private static final int PASSES = 5;
    private static final int FIGURES = 16; // of a pass

    private final StringBuilder text = new StringBuilder();
    private final Map<String, Double> shortest = new HashMap<>();
    private int figures;
    private final boolean coreForEach = Runtime.getRuntime().availableProcessors() > 1;

    private MeasureProgram() {
        text.append("# This machine, as tutti simulate --measure-model found it on ")
                .append(LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS))
                .append(".\n# Every time is the shortest of several, after a warm-up.\n");
    }

    /** @param arguments the file to write */
    public static void main(String[] arguments) throws IOException {
        OutputFiles.runAsRank(() -> run(Path.of(arguments[0])));
    }

    private static void run(Path file) {
        MeasureProgram program = new MeasureProgram();
        try (var job = Tutti.join()) {
            program.measure(job.world());
        }
        OutputFiles.write(file, program.text);
        System.out.print(program.text);
    }

    /**
     * Measures everything several times, some seconds apart. On a virtual machine, two cores may for a while be parts
     * of one real core; they then hand a line over in a third of the usual time.
     */
    private void measure(Communicator world) {
        Timing calls = new Timing();
        double[] one = new double[1];
        MemoryMeasurement memory = new MemoryMeasurement(coreForEach);
        try (RailMeasurement rail = new RailMeasurement(coreForEach)) {
            for (int pass = 0; pass < PASSES; pass++) {
                note("call", Timing.shortest(rounds -> calls.nanosPerRound(rounds, () -> {
                }, _ -> world.allreduce(one, Reduction.SUM))));
                note("word", memory.wordNanos());
                note("hand over", memory.handOverNanos());
                note("copy", memory.copyNanosPerByte());
                note("shared copy", memory.sharedCopyNanosPerByte());
                note("combine", memory.combineNanos());
                note("combine a byte", memory.combineNanosPerByte());
                note("one way", rail.oneWayNanos());
                note("put", rail.putNanos(RailMeasurement.SMALL_BYTES));
                note("large put", rail.putNanos(RailMeasurement.LARGE_BYTES));
                note("receive", rail.receiveNanos(RailMeasurement.SMALL_BYTES));
                note("large receive", rail.receiveNanos(RailMeasurement.LARGE_BYTES));
                note("gap", rail.streamNanos(RailMeasurement.SMALL_BYTES));
                note("large gap", rail.streamNanos(RailMeasurement.LARGE_BYTES));
                note("switch", memory.switchNanos());
                note("turn", memory.turnNanos(rail.waiter(0), rail.waiter(1)));
            }
        }
        writeMemory();
        writeRail();
        writeCores();
    }

    private void note(String what, double nanos) {
        StepLine.print(++figures, PASSES * FIGURES, what);
        shortest.merge(what, nanos, Math::min);
    }

    private double nanos(String what) {
        return shortest.get(what);
    }

    private void writeMemory() {
        double word = nanos("word");
        figure("callMicros", "an allreduce of 8 bytes of a communicator of one rank", nanos("call") / NANOS);
        figure("memoryLatencyMicros", "a word handed over by two threads on two cores that look at it without pause,"
                + " less a store and a look", (nanos("hand over") - 2 * word) / NANOS);
        figure("memoryOverheadMicros", "a store to a word that nobody else uses, and a look at it, halved",
                word / NANOS);
        figure("memoryNanosPerByte", "1 MiB copied from an array to off-heap memory and back by one thread",
                nanos("copy"));
        figure("crossNanosPerByte", "1 MiB copied there by one thread and from there by another, less the above",
                nanos("shared copy") - nanos("copy"));
        figure("combineMicros", "a double off the heap added to one of an array, into another one",
                nanos("combine") / NANOS);
        figure("combineNanosPerByte", "1 MiB of doubles off the heap added to those of an array, into another one",
                nanos("combine a byte"));
    }

    private void writeRail() {
        figure("railLatencyMicros", "a put of 8 bytes over loopback, both ends polling, there and back, halved, less"
                + " what it occupies them", (nanos("one way") - nanos("put") - nanos("receive")) / NANOS);
        figure("railOverheadMicros", "what such a put occupies its caller", nanos("put") / NANOS);
        figure("railReceiveMicros", "what taking it in occupies the other end", nanos("receive") / NANOS);
        figure("railOverheadNanosPerByte", "what a put of 64 KiB occupies its caller longer",
                (nanos("large put") - nanos("put")) / RailMeasurement.LARGE_BYTES);
        figure("railReceiveNanosPerByte", "what taking in a put of 64 KiB occupies the other end longer",
                (nanos("large receive") - nanos("receive")) / RailMeasurement.LARGE_BYTES);
        String stream = RailMeasurement.STREAM_PUTS + " in a row";
        figure("railGapMicros", "the time between puts of 8 bytes, each sent at once, " + stream,
                nanos("gap") / NANOS);
        figure("railNanosPerByte", "the time between puts of 64 KiB, " + stream + ", less the gap",
                (nanos("large gap") - nanos("gap")) / RailMeasurement.LARGE_BYTES);
        figure("rails", "loopback is one", 1);
        figure("stripeBytes", "of no effect with one rail", Model.COUNT_MAX);
    }

    private void writeCores() {
        figure("cores", "those that the ranks may use", Runtime.getRuntime().availableProcessors());
        figure("nodesPerHost", "as many as there are: namespaces of this machine, or --nodes", Model.COUNT_MAX);
        figure("switchMicros", "a word handed over by two threads that yield one core to each other",
                nanos("switch") / NANOS);
        figure("pollMicros", "the same when they poll a connection over loopback besides, less the above",
                (nanos("turn") - nanos("switch")) / NANOS);
    }

    private void figure(String key, String how, double measured) {
        text.append("\n# ").append(how).append('\n').append(key)
                .append(String.format(Locale.ROOT, " = %.4f%n", Math.max(measured, LEAST)));
    }

    private void figure(String key, String how, int count) {
        text.append("\n# ").append(how).append('\n').append(key).append(" = ").append(count).append('\n');
    }
}
