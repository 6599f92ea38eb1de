/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.function.IntConsumer;

import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.JobAbortedException;
import org.tutti.JobOptions;
import org.tutti.choice.Choice;

/**
 * The job as one rank sees it.
 */
final class LiveJob implements Job {
    private static final long FENCE_MILLIS_MAX = 10_000;

    private final Node node;
    private final Network network;
    private final int rank;
    private final Communicators communicators;
    private final Communicator world;
    private final IntConsumer onClose;
    private final long deadlineNanos;
    private volatile boolean closed;

    /**
     * @param node what the ranks of the node share
     * @param network how other nodes are reached, or null when there are none
     * @param rank this rank
     * @param cores how many cores the ranks of the node may use together
     * @param choice the algorithms that were asked for
     * @param levels the levels inside a node
     * @param options the job's deadline
     * @param onClose is told the rank when it leaves
     */
    LiveJob(Node node, Network network, int rank, int cores, Choice choice, int[] levels, JobOptions options,
            IntConsumer onClose) {
        this.node = node;
        this.network = network;
        this.rank = rank;
        this.onClose = onClose;
        this.deadlineNanos = options.deadline().map(limit -> LiveCommunicator.nanos(limit))
                .filter(nanos -> nanos < Long.MAX_VALUE / 2).map(nanos -> System.nanoTime() + nanos)
                .orElse(Long.MAX_VALUE);
        this.communicators = new Communicators(this, node, network, rank, cores, choice, levels);
        this.world = communicators.world();
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return node.size();
    }

    @Override
    public Communicator world() {
        return world;
    }

    @Override
    public void abort(int status) {
        checkOpen();
        node.abort(rank, status);
        throw new JobAbortedException(rank, status, "rank " + rank + " aborted the job with status " + status);
    }

    @Override
    public void close() {
        boolean first;
        synchronized (this) {
            first = !closed;
            closed = true;
        }
        if (first) {
            try {
                leave();
            } finally {
                onClose.accept(rank);
            }
        }
    }

    private void leave() {
        try {
            boolean isWell = node.abortStatus() < 0 && node.state(rank) == NodeLayout.JOINED;
            var mismatch = communicators.compareCalls();
            communicators.end();
            if (network != null && isWell) {
                network.fabric().fenceAll(FENCE_MILLIS_MAX); // or news that it has left could overtake what it has put
            }
            if (mismatch != null) {
                throw mismatch;
            }
            node.markLeft(rank);
        } catch (Throwable failure) {
            node.markFailed(RankFailure.threw(rank));
            throw failure;
        } finally {
            communicators.leaveAll();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** When a call that begins now must end, by its own limit and by the job's; the greatest long for never. */
    long deadlineNanos(long ofCall) {
        checkOpen();
        if (ofCall == Long.MAX_VALUE && deadlineNanos == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        return now + Math.min(ofCall, deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - now);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "rank " + rank + " has left its job: the job is closed, so its communicators "
                            + "cannot be used");
        }
    }
}
