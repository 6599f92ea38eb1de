/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * When a rank measures: at once, or whenever it is its turn.
 *
 * @param repeats how often to repeat a cell
 * @param gate where it waits for its turns, or null
 */
record Turns(int repeats, Gate gate) implements AutoCloseable {
    /** {@return the turns of a rank; `gates` is their directory, or nothing} */
    static Turns of(int repeats, String gates, int rank) throws IOException {
        return new Turns(repeats, gates.isEmpty() ? null : new Gate(gates, rank));
    }

    /** Measures a cell, and reports the microseconds of its repeats: all at the end, or each after its turn. */
    void measure(MeasuredLoop loop, Consumer<double[]> report) throws IOException {
        if (gate != null) {
            measureInTurns(loop, report);
            return;
        }
        loop.warmUp();
        double[] microseconds = new double[repeats];
        for (int repeat = 0; repeat < repeats; repeat++) {
            microseconds[repeat] = loop.repeat();
        }
        report.accept(microseconds);
    }

    /** A turn for each repeat, and one before, to warm up; each is told at once. */
    private void measureInTurns(MeasuredLoop loop, Consumer<double[]> report) throws IOException {
        gate.await();
        loop.warmUp();
        report.accept(new double[]{loop.repeat()});
        for (int repeat = 0; repeat < repeats; repeat++) {
            gate.await();
            report.accept(new double[]{loop.repeat()});
        }
    }

    @Override
    public void close() throws IOException {
        if (gate != null) {
            gate.close();
        }
    }
}
