/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.tutti.tool.bench.MeasuredLoop.Repeat;

/** Decides when a rank measures: immediately, or when its turn comes. */
final class BenchTurns implements AutoCloseable {
    private final int repeats;
    private final boolean percentiles;
    private final Gate gate; // null without turns
    private boolean begun;

    private BenchTurns(int repeats, boolean percentiles, Gate gate) {
        this.repeats = repeats;
        this.percentiles = percentiles;
        this.gate = gate;
    }

    /**
     * {@return the turns of a rank}
     *
     * @param repeats the number of repeats of each cell
     * @param percentiles whether each call is timed
     * @param gates the directory of the gates, or empty
     * @param rank the rank
     */
    static BenchTurns of(int repeats, boolean percentiles, String gates, int rank) throws IOException {
        return new BenchTurns(repeats, percentiles, gates.isEmpty() ? null : new Gate(gates, rank));
    }

    /**
     * Measures a cell.
     *
     * @param loop the cell
     * @param isNew whether this is its first measurement, before which much has to be compiled
     * @param report takes the figures: of all repeats at the end, or of each repeat after its turn
     */
    void measure(MeasuredLoop loop, boolean isNew, Consumer<List<Repeat>> report) throws IOException {
        if (percentiles) {
            loop.timeEachCall();
        }
        if (gate != null) {
            measureInTurns(loop, report);
            return;
        }
        if (isNew) {
            warmUp(loop);
        } else {
            loop.warmUpAgain();
        }
        List<Repeat> figures = new ArrayList<>();
        for (int repeat = 0; repeat < repeats; repeat++) {
            figures.add(loop.repeat());
        }
        report.accept(figures);
    }

    /** Takes one turn to warm up, and one for each repeat; reports the figures of each turn immediately. */
    private void measureInTurns(MeasuredLoop loop, Consumer<List<Repeat>> report) throws IOException {
        gate.await();
        warmUp(loop);
        report.accept(List.of(loop.repeat()));
        for (int repeat = 0; repeat < repeats; repeat++) {
            gate.await();
            report.accept(List.of(loop.repeat()));
        }
    }

    private void warmUp(MeasuredLoop loop) {
        loop.warmUp(repeats, !begun);
        begun = true;
    }

    @Override
    public void close() throws IOException {
        if (gate != null) {
            gate.close();
        }
    }
}
