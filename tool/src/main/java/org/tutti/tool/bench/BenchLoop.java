/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.function.IntConsumer;

import org.tutti.Collective;
import org.tutti.Communicator;

/**
 * A cell of a collective: one algorithm and one size. The size is the length of a block, if ranks have blocks. Before
 * each call all ranks rewrite their sources, also ranks whose sources the call does not read. The receivers of a
 * broadcast write wrong values, so that they hold no right one before the call. After each call one element of its
 * result is checked, and after every repeat all elements. The calls of this class are blocking.
 */
class BenchLoop extends MeasuredLoop {
    private static final double WRONG = 0.5; // all right values are whole numbers

    private final Communicator world;
    private final Communicators measured;
    private final Collective collective;
    private final int rank;
    private final int size;
    private final int count;
    private final int sourceBlocks;
    private final int targetBlocks;
    private final boolean hasResult;
    private final Pattern pattern;
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
        this.sourceBlocks = collective.sourceHasBlocks(0, 0) ? size : 1; // as at the root, to rewrite the same bytes
        this.targetBlocks = collective.targetHasBlocks(rank, 0) ? size : 1;
        this.hasResult = collective == Collective.BROADCAST || collective.receives(rank, 0);
        this.pattern = new Pattern(collective == Collective.BROADCAST && rank > 0 ? WRONG : first(rank));
        int targetCount = collective == Collective.BROADCAST ? 0 : targetBlocks * count;
        this.operands = segments ? Operands.segments(world, sourceBlocks * count, targetCount)
                : Operands.arrays(sourceBlocks * count, targetCount);
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
            int checked = rewrite();
            operands.broadcast(measured.next());
            check(checked, element(0, checked, call));
        }
    }

    private void reduces(int calls) {
        for (int i = 0; i < calls; i++) {
            int checked = rewrite();
            operands.reduce(measured.next());
            if (rank == 0) {
                check(checked, sum(checked, call));
            }
        }
    }

    private void allreduces(int calls) {
        for (int i = 0; i < calls; i++) {
            int checked = rewrite();
            operands.allreduce(measured.next());
            check(checked, sum(checked, call));
        }
    }

    private void others(int calls) {
        for (int i = 0; i < calls; i++) {
            int checked = rewrite();
            operands.call(measured.next(), collective);
            checkOne(checked);
        }
    }

    final Operands operands() {
        return operands;
    }

    /** The number of elements in a block. */
    final int blockCount() {
        return count;
    }

    /** Rewrites this rank's source for the next call; returns the element of a block to check after it. */
    final int rewrite() {
        if (count == 0) {
            return 0;
        }
        call++;
        pattern.write(operands, sourceBlocks * count, call);
        return (int) (call % count);
    }

    @Override
    final boolean hasMuchData() {
        return count > 1; // groups may have different sizes, so their sources may differ
    }

    @Override
    final void rewriteOnly(int times) {
        for (int i = 0; i < times; i++) {
            pattern.write(operands, sourceBlocks * count, call);
        }
    }

    /** Checks an element of the result of any collective, if there is one; each call checks the next block. */
    final void checkOne(int ofBlock) {
        if (hasResult) {
            int checked = ofBlock + (int) (call % targetBlocks) * count;
            check(checked, expected(checked));
        }
    }

    /** The right value of an element of the latest call's result. */
    private double expected(int index) {
        int ofBlock = rank * count + index % count;
        return switch (collective) {
            case BARRIER -> 0;
            case BROADCAST -> element(0, index, call);
            case REDUCE, ALLREDUCE -> sum(index, call);
            case GATHER, ALLGATHER -> element(index / count, index % count, call);
            case SCATTER -> element(0, ofBlock, call);
            case ALL_TO_ALL -> element(index / count, ofBlock, call);
            case REDUCE_SCATTER -> sum(ofBlock, call);
            case SCAN -> sum(rank + 1, index, call);
            case EXCLUSIVE_SCAN -> sum(rank, index, call);
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
            check(i, expected(i));
        }
    }

    /** Small whole numbers, because their sums are exact in any order. */
    private static double element(int rank, int index, long call) {
        return Pattern.value(first(rank), index, call);
    }

    private static double first(int rank) {
        return rank + 1;
    }

    private double sum(int index, long call) {
        return sum(size, index, call);
    }

    private static double sum(int ranks, int index, long call) {
        return ranks * element(0, index, call) + ranks * (ranks - 1) / 2;
    }
}
