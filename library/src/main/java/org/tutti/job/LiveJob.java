/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.function.IntConsumer;

import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.JobAbortedException;
import org.tutti.JobOptions;
import org.tutti.choice.Choice;
import org.tutti.job.communicators.JobDeadline;
import org.tutti.job.communicators.LiveCommunicator;
import org.tutti.job.communicators.ProcessCommunicators;
import org.tutti.job.communicators.RankCommunicators;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;

/**
 * Implements {@link Job}. It is one rank's view of its job, and holds the communicators of the rank. Closing it takes
 * the rank out of the job.
 */
final class LiveJob implements Job {
    private static final long FENCE_MILLIS_MAX = 10_000;

    private final Node node;
    private final Network network;
    private final int rank;
    private final JobDeadline deadline;
    private final RankCommunicators communicators;
    private final Communicator world;
    private final IntConsumer onClose;

    /**
     * Creates the job of a rank that has joined.
     *
     * @param shared the state that the ranks of the process share
     * @param rank this rank
     * @param cores the number of cores that the ranks of the node may use together
     * @param choice the requested algorithms
     * @param levels the sizes of the groups of ranks inside a node, ascending
     * @param options the options with the job's deadline
     * @param onClose an action that is run when the rank has left; its argument is the rank
     */
    LiveJob(ProcessCommunicators shared, int rank, int cores, Choice choice, int[] levels, JobOptions options,
            IntConsumer onClose) {
        this.node = shared.node();
        this.network = shared.network();
        this.rank = rank;
        this.onClose = onClose;
        this.deadline = new JobDeadline(rank, options);
        this.communicators = new RankCommunicators(deadline, shared, rank, cores, choice, levels);
        this.world = new LiveCommunicator(communicators);
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
    public void fenceAll() {
        deadline.checkOpen();
        communicators.fenceAll();
    }

    @Override
    public void abort(int status) {
        deadline.checkOpen();
        node.abort(rank, status);
        throw new JobAbortedException(rank, status, "rank " + rank + " aborted the job with status " + status);
    }

    @Override
    public void close() {
        if (deadline.close()) {
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
            if (isWell) {
                communicators.warnOfUnreceived();
            }
            communicators.end();
            if (network != null && isWell) {
                network.fabric().fenceAll(FENCE_MILLIS_MAX); // else news that the rank left could overtake its puts
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
}
