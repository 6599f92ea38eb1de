/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.NonBlockingCommunicator;
import org.tutti.PreparedCall;
import org.tutti.PreparedCommunicator;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.Span;

/** A cell of calls that are started and then awaited, or prepared, or have blocks. */
class StartedLoop extends BenchLoop {
    private final Collective collective;
    private final Span source;
    private final Span target;
    private final List<Supplier<Request>> starts; // one for each communicator, called in turn
    private int latest;
    private long computed = 1;

    StartedLoop(Communicator world, Communicators measured, Collective collective, long bytes, boolean segments,
            CallKind kind) {
        super(world, measured, collective, bytes, segments);
        this.collective = collective;
        this.source = operands().sourceSpan();
        this.target = operands().targetSpan();
        this.starts = measured.stream().map(each -> start(each, kind)).toList();
    }

    /** Returns the start of a call; its result is null if the call is complete. */
    private Supplier<Request> start(Communicator communicator, CallKind kind) {
        return switch (kind) {
            case WITH_BLOCKS -> {
                var blocks = blocks(communicator.size());
                yield () -> {
                    call(communicator, blocks);
                    return null;
                };
            }
            case PREPARED -> {
                var call = prepare(communicator.prepare());
                yield () -> {
                    call.run();
                    return null;
                };
            }
            case PREPARED_STARTED -> prepare(communicator.prepare())::start;
            case BLOCKING, NON_BLOCKING, OVERLAPPED -> {
                var requests = communicator.nonBlocking();
                yield () -> start(requests);
            }
        };
    }

    @Override
    Run run(int calls, boolean isRepeat) {
        return new Run(nanosPerCall(calls, count -> startedCalls(count, 0)), calls);
    }

    /** Starts calls and awaits each; between the two, the rank computes for some steps. */
    final void startedCalls(int calls, long steps) {
        for (int i = 0; i < calls; i++) {
            int checked = rewrite();
            latest = latest + 1 == starts.size() ? 0 : latest + 1;
            var request = starts.get(latest).get();
            compute(steps);
            if (request != null) {
                request.await();
            }
            checkOne(checked);
        }
    }

    /**
     * Marsaglia's xorshift, which no compiler can shorten: each step needs the one before, and no step needs memory.
     * The result is kept, so that the compiler cannot leave the steps out.
     */
    final void compute(long steps) {
        long value = computed;
        for (long i = 0; i < steps; i++) {
            value ^= value << 13;
            value ^= value >>> 7;
            value ^= value << 17;
        }
        computed = value;
    }

    /** Blocks of equal length, one for each rank, as long as a block of the collective. */
    private Blocks blocks(int ranks) {
        int[] counts = new int[ranks];
        Arrays.fill(counts, blockCount());
        return Blocks.of(counts);
    }

    private void call(Communicator communicator, Blocks blocks) {
        switch (collective) {
            case GATHER -> communicator.gather(source, target, blocks, 0);
            case SCATTER -> communicator.scatter(source, blocks, target, 0);
            case ALLGATHER -> communicator.allgather(source, target, blocks);
            case ALL_TO_ALL -> communicator.allToAll(source, blocks, target, blocks);
            case REDUCE_SCATTER -> communicator.reduceScatter(source, blocks, target, Reduction.SUM);
            default -> throw new IllegalArgumentException(collective.label() + " has no blocks");
        }
    }

    private Request start(NonBlockingCommunicator communicator) {
        return switch (collective) {
            case BARRIER -> communicator.barrier();
            case BROADCAST -> communicator.broadcast(source, 0);
            case REDUCE -> communicator.reduce(source, target, Reduction.SUM, 0);
            case ALLREDUCE -> communicator.allreduce(source, target, Reduction.SUM);
            case GATHER -> communicator.gather(source, target, 0);
            case SCATTER -> communicator.scatter(source, target, 0);
            case ALLGATHER -> communicator.allgather(source, target);
            case ALL_TO_ALL -> communicator.allToAll(source, target);
            case REDUCE_SCATTER -> communicator.reduceScatter(source, target, Reduction.SUM);
            case SCAN -> communicator.scan(source, target, Reduction.SUM);
            case EXCLUSIVE_SCAN -> communicator.exclusiveScan(source, target, Reduction.SUM);
        };
    }

    private PreparedCall prepare(PreparedCommunicator communicator) {
        return switch (collective) {
            case BARRIER -> communicator.barrier();
            case BROADCAST -> communicator.broadcast(source, 0);
            case REDUCE -> communicator.reduce(source, target, Reduction.SUM, 0);
            case ALLREDUCE -> communicator.allreduce(source, target, Reduction.SUM);
            case GATHER -> communicator.gather(source, target, 0);
            case SCATTER -> communicator.scatter(source, target, 0);
            case ALLGATHER -> communicator.allgather(source, target);
            case ALL_TO_ALL -> communicator.allToAll(source, target);
            case REDUCE_SCATTER -> communicator.reduceScatter(source, target, Reduction.SUM);
            case SCAN -> communicator.scan(source, target, Reduction.SUM);
            case EXCLUSIVE_SCAN -> communicator.exclusiveScan(source, target, Reduction.SUM);
        };
    }
}
