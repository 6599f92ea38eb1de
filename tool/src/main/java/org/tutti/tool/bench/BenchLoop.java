/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.Reduction;

/**
 * Measures one cell: one collective with one algorithm and one size. An element changes with every call and is checked
 * after it; all elements are checked after every repeat. Calls follow each other without pause, as in an application's
 * loop.
 */
final class BenchLoop {
    private static final double REPEAT_NANOS = 50_000_000;
    private static final int CALLS_MAX = 1_000_000;
    private static final int CALLS_MIN = 4;
    private static final int GROWTH_MAX = 8;
    private static final double WARM_UP_NANOS_MIN = 400_000_000;
    private static final double WARM_UP_NANOS_MAX = 5_000_000_000.0;
    private static final int STEADY_RUNS = 5;
    private static final double STEADY_RATIO = 1.25;
    private static final int PRIME = 31;

    private final Communicator world;
    private final Communicator measured;
    private final Collective collective;
    private final int rank;
    private final int size;
    private final int count;
    private final Operands operands;
    private int calls = CALLS_MIN; // of a repeat, the same at every rank
    private long call;

    BenchLoop(Communicator world, Communicator measured, Collective collective, long bytes,
            boolean segments) {
        this.world = world;
        this.measured = measured;
        this.collective = collective;
        this.rank = world.rank();
        this.size = world.size();
        this.count = (int) (bytes / Double.BYTES);
        boolean inPlace = collective == Collective.BROADCAST;
        this.operands = segments ? Operands.segments(count, inPlace) : Operands.arrays(count, inPlace);
        for (int i = 0; i < count; i++) {
            operands.set(i, element(rank, i, 0));
        }
    }

    /**
     * Finds how many calls make a repeat, and runs until several in a row take about as long as the first of them: then
     * everything is compiled.
     */
    void warmUp() {
        double first = 0;
        int steady = 0;
        for (double total = 0; total < WARM_UP_NANOS_MIN || total < WARM_UP_NANOS_MAX && steady < STEADY_RUNS;) {
            double nanos = slowest(run());
            total += nanos * calls;
            boolean same = first / STEADY_RATIO <= nanos && nanos <= first * STEADY_RATIO;
            steady = same && nanos * calls >= REPEAT_NANOS / 2 ? steady + 1 : 0;
            first = steady == 0 ? nanos : first;
            calls = (int) Math.clamp(REPEAT_NANOS / nanos, CALLS_MIN, Math.min(CALLS_MAX, GROWTH_MAX * calls));
        }
    }

    /** {@return the microseconds of a call on the slowest rank; all ranks are done with their checks} */
    double repeat() {
        double microseconds = slowest(run()) / 1e3;
        checkAll();
        world.barrier();
        return microseconds;
    }

    /** {@return the calls of a repeat} */
    int calls() {
        return calls;
    }

    private double slowest(double nanos) {
        double[] most = {nanos};
        world.allreduce(most, Reduction.MAX);
        return most[0];
    }

    private double run() {
        world.barrier();
        world.barrier(); // the second one ends on all ranks at nearly the same time
        long start = System.nanoTime();
        switch (collective) {
            case BARRIER -> barriers();
            case BROADCAST -> broadcasts();
            case REDUCE -> reduces();
            case ALLREDUCE -> allreduces();
        }
        return (double) (System.nanoTime() - start) / calls;
    }

    private void barriers() {
        for (int i = 0; i < calls; i++) {
            measured.barrier();
        }
    }

    private void broadcasts() {
        for (int i = 0; i < calls; i++) {
            int changed = change(0);
            operands.broadcast(measured);
            check(changed, element(0, changed, call));
        }
    }

    private void reduces() {
        for (int i = 0; i < calls; i++) {
            int changed = change(rank);
            operands.reduce(measured);
            if (rank == 0) {
                check(changed, sum(changed, call));
            }
        }
    }

    private void allreduces() {
        for (int i = 0; i < calls; i++) {
            int changed = change(rank);
            operands.allreduce(measured);
            check(changed, sum(changed, call));
        }
    }

    /** Changes an element of this rank's source, the next one in each call. */
    private int change(int contributor) {
        call++;
        int changed = (int) (call % count);
        if (contributor == rank) {
            operands.set(changed, element(rank, changed, call));
        }
        return changed;
    }

    private void check(int index, double expected) {
        double result = operands.result(index);
        if (result != expected) {
            throw new IllegalStateException(collective.label() + " of " + count + " doubles on rank " + rank
                    + ", call " + call + ": element " + index + " is " + result + " instead of " + expected);
        }
    }

    private void checkAll() {
        if (collective == Collective.BARRIER || collective == Collective.REDUCE && rank != 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            long changedAt = Math.max(0, call - Math.floorMod(call - i, (long) count));
            long at = changedAt % count == i ? changedAt : 0;
            check(i, collective == Collective.BROADCAST ? element(0, i, at) : sum(i, at));
        }
    }

    /** Small whole numbers, so that sums are exact in any order. */
    private static double element(int rank, int index, long call) {
        return rank + 1 + index % PRIME + call % PRIME;
    }

    private double sum(int index, long call) {
        return size * element(0, index, call) + size * (size - 1) / 2;
    }
}
