/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.function.IntConsumer;

import org.tutti.Collective;
import org.tutti.Communicator;

/**
 * A cell of a collective: one algorithm and one size. If ranks have blocks, the size is that of a block. Each call
 * changes one element of every block, and checks one element of its result; all elements are checked after every
 * repeat. The calls of this class are blocking.
 */
class BenchLoop extends MeasuredLoop {
    private static final int PRIME = 31;

    private final Communicator world;
    private final Communicators measured;
    private final Collective collective;
    private final int rank;
    private final int size;
    private final int count;
    private final int sourceBlocks;
    private final int targetBlocks;
    private final boolean hasResult;
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
        this.sourceBlocks = collective.sourceHasBlocks(rank, 0) ? size : 1;
        this.targetBlocks = collective.targetHasBlocks(rank, 0) ? size : 1;
        this.hasResult = collective == Collective.BROADCAST || collective.receives(rank, 0);
        int targetCount = collective == Collective.BROADCAST ? 0 : targetBlocks * count;
        this.operands = segments ? Operands.segments(world, sourceBlocks * count, targetCount)
                : Operands.arrays(sourceBlocks * count, targetCount);
        for (int i = 0; i < sourceBlocks * count; i++) {
            operands.set(i, element(rank, i, 0));
        }
    }

    @Override
    public final void close() {
        operands.close();
    }

    @Override
    Run run(int calls, boolean isRepeat) {
        return new Run(nanosPerCall(calls, this::blockingCalls), calls);
    }

    /** The time of a call if this many calls follow each other in a loop. */
    final double nanosPerCall(int calls, IntConsumer loop) {
        world.barrier();
        world.barrier(); // the second one ends on all ranks at nearly the same time
        long start = System.nanoTime();
        makeCalls(calls, loop);
        return (double) (System.nanoTime() - start) / calls;
    }

    private void blockingCalls(int calls) {
        switch (collective) {
            case BARRIER -> barriers(calls);
            case BROADCAST -> broadcasts(calls);
            case REDUCE -> reduces(calls);
            case ALLREDUCE -> allreduces(calls);
            default -> others(calls);
        }
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

    private void others(int calls) {
        for (int i = 0; i < calls; i++) {
            int changed = changeOwn();
            operands.call(measured.next(), collective);
            checkOne(changed);
        }
    }

    final Operands operands() {
        return operands;
    }

    /** The number of elements in a block. */
    final int blockCount() {
        return count;
    }

    /** Changes an element of this rank's contribution, in any collective. */
    final int changeOwn() {
        return count == 0 ? 0 : change(collective == Collective.BROADCAST ? 0 : rank);
    }

    /** Checks an element of the result of any collective, if there is one; each call checks the next block. */
    final void checkOne(int changed) {
        if (hasResult) {
            int checked = changed + (int) (call % targetBlocks) * count;
            check(checked, expected(checked, call));
        }
    }

    /** Changes an element of each block of this rank's source; each call changes the next element. */
    private int change(int contributor) {
        call++;
        int changed = (int) (call % count);
        if (contributor == rank) {
            for (int i = changed; i < sourceBlocks * count; i += count) {
                operands.set(i, element(rank, i, call));
            }
        }
        return changed;
    }

    /** The right value of an element of the result, if the elements that it depends on last changed in this call. */
    private double expected(int index, long at) {
        int ofBlock = rank * count + index % count;
        return switch (collective) {
            case BARRIER -> 0;
            case BROADCAST -> element(0, index, at);
            case REDUCE, ALLREDUCE -> sum(index, at);
            case GATHER, ALLGATHER -> element(index / count, index % count, at);
            case SCATTER -> element(0, ofBlock, at);
            case ALL_TO_ALL -> element(index / count, ofBlock, at);
            case REDUCE_SCATTER -> sum(ofBlock, at);
            case SCAN -> sum(rank + 1, index, at);
            case EXCLUSIVE_SCAN -> sum(rank, index, at);
        };
    }

    private void check(int index, double expected) {
        double result = operands.result(index);
        if (result != expected) {
            throw new IllegalStateException(collective.label() + " of " + count + " doubles on rank " + rank
                    + ", call " + call + ": element " + index + " is " + result + " instead of " + expected);
        }
    }

    @Override
    final void checkAll() {
        if (!hasResult) {
            return;
        }
        for (int i = 0; i < targetBlocks * count; i++) {
            int changed = i % count;
            long changedAt = Math.max(0, call - Math.floorMod(call - changed, (long) count));
            check(i, expected(i, changedAt % count == changed ? changedAt : 0));
        }
    }

    /** Small whole numbers, because their sums are exact in any order. */
    private static double element(int rank, int index, long call) {
        return rank + 1 + index % PRIME + call % PRIME;
    }

    private double sum(int index, long call) {
        return sum(size, index, call);
    }

    private static double sum(int ranks, int index, long call) {
        return ranks * element(0, index, call) + ranks * (ranks - 1) / 2;
    }
}
