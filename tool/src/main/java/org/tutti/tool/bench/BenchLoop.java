/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import org.tutti.Collective;
import org.tutti.Communicator;

/**
 * A cell of a collective: one algorithm and one size. An element changes with every call and is checked after it; all
 * elements are checked after every repeat.
 */
final class BenchLoop extends MeasuredLoop {
    private static final int PRIME = 31;

    private final Communicator world;
    private final Communicators measured;
    private final Collective collective;
    private final int rank;
    private final int size;
    private final int count;
    private final Operands operands;
    private long call;

    BenchLoop(Communicator world, Communicators measured, Collective collective, long bytes, boolean segments) {
        super(world);
        this.world = world;
        this.measured = measured;
        this.collective = collective;
        this.rank = measured.rank();
        this.size = measured.size();
        this.count = (int) (bytes / Double.BYTES);
        boolean inPlace = !collective.combines();
        this.operands = segments ? Operands.segments(world, count, inPlace) : Operands.arrays(count, inPlace);
        for (int i = 0; i < count; i++) {
            operands.set(i, element(rank, i, 0));
        }
    }

    @Override
    public void close() {
        operands.close();
    }

    @Override
    Run run(int calls, boolean isRepeat) {
        world.barrier();
        world.barrier(); // the second one ends on all ranks at nearly the same time
        long start = System.nanoTime();
        switch (collective) {
            case BARRIER -> barriers(calls);
            case BROADCAST -> broadcasts(calls);
            case REDUCE -> reduces(calls);
            case ALLREDUCE -> allreduces(calls);
        }
        return new Run((double) (System.nanoTime() - start) / calls, calls);
    }

    private void barriers(int calls) {
        for (int i = 0; i < calls; i++) {
            measured.next().barrier();
        }
    }

    private void broadcasts(int calls) {
        for (int i = 0; i < calls; i++) {
            int changed = change(0);
            operands.broadcast(measured.next());
            check(changed, element(0, changed, call));
        }
    }

    private void reduces(int calls) {
        for (int i = 0; i < calls; i++) {
            int changed = change(rank);
            operands.reduce(measured.next());
            if (rank == 0) {
                check(changed, sum(changed, call));
            }
        }
    }

    private void allreduces(int calls) {
        for (int i = 0; i < calls; i++) {
            int changed = change(rank);
            operands.allreduce(measured.next());
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

    @Override
    void checkAll() {
        if (collective.combines() && !collective.receives(rank, 0)) {
            return;
        }
        for (int i = 0; i < count; i++) {
            long changedAt = Math.max(0, call - Math.floorMod(call - i, (long) count));
            long at = changedAt % count == i ? changedAt : 0;
            check(i, collective.combines() ? sum(i, at) : element(0, i, at));
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
