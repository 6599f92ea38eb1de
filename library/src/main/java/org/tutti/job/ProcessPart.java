/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.NodeMemoryException;
import org.tutti.RankFailedException;
import org.tutti.collective.members.WaitGuard;
import org.tutti.events.JoinEvent;
import org.tutti.job.communicators.ProcessCommunicators;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.network.Network;
import org.tutti.job.network.TcpFabricFactory;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeAccess;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;
import org.tutti.memory.Waits;

/**
 * Holds the resources that the ranks of one process share in a job: the node's memory, the network, and the watch for
 * failed processes. The process frees them when the last of its ranks has left. Under a launcher, the memory and the
 * watch stay until the process ends.
 */
final class ProcessPart {
    /** Determines whether the process ends together with its job. */
    enum Fate {
        /** A launcher started the process, which ends if the job is aborted or the launcher ends. */
        LAUNCHED,
        /** The process was started for the job without a launcher. It ends if the job is aborted. */
        STARTED,
        /** The process belongs to an engine, and goes on when the job has ended or was aborted. */
        LENT
    }

    private static final long POLL_MILLIS_MAX = 20;
    private static final int POLL_FRACTION = 16;

    private final JobEnvironment environment;
    private final NodeAccess access;
    private final Fate fate;
    private final Network network;
    private final RankThreads threads;
    private final ProcessCommunicators communicators;
    private final LivenessWatch watch;
    private int notLeft; // ranks that have joined, or are still to join

    /**
     * Opens the network of a process for a job, and starts the watch for failed processes.
     *
     * @param environment the job, and the ranks of the process
     * @param access the access to the node's memory. If this constructor throws, it closes the access, unless a
     *            launcher started the process
     * @param fate whether the process ends with its job
     * @param deadlineNanos the time until which this constructor tries to look up the name of rank 0's host
     */
    ProcessPart(JobEnvironment environment, NodeAccess access, Fate fate, long deadlineNanos) {
        this.environment = environment;
        this.access = access;
        this.fate = fate;
        this.notLeft = environment.ranks();
        node().beat(environment.firstRank()); // links Words.add, which markFailed needs when memory is used up
        this.network = environment.shape().nodes() == 1 ? null : openNetwork(deadlineNanos);
        this.threads = new RankThreads(node());
        this.communicators = new ProcessCommunicators(node(), network, threads,
                JobEnvironment.callSites(System.getenv()));
        openMessages();
        this.watch = new LivenessWatch(access, environment.firstRank(), environment.ranks(), network, threads,
                environment.standstillMillis(), fate != Fate.LENT);
    }

    private void openMessages() {
        try {
            for (int index = 0; index < environment.ranks(); index++) {
                communicators.openMessages(environment.firstRank() + index, environment.cores());
            }
        } catch (RuntimeException e) {
            if (network != null) {
                network.close();
            }
            if (fate != Fate.LAUNCHED) { // other processes need the launcher's file
                access.close();
            }
            throw e;
        }
    }

    private Network openNetwork(long deadlineNanos) {
        try {
            if (fate != Fate.LENT && !node().hasLauncher() && environment.rendezvous().isEmpty()) {
                throw new JobStartException("rank " + environment.firstRank() + " cannot join a job on "
                        + environment.shape().nodes() + " nodes without knowing where rank 0 listens; set "
                        + JobEnvironment.RENDEZVOUS + " to its address:port on every node");
            }
            return new Network(environment, node(),
                    new TcpFabricFactory(environment, node().secret(), deadlineNanos));
        } catch (RuntimeException e) {
            if (fate != Fate.LAUNCHED) { // other processes need the launcher's file
                access.close();
            }
            throw e;
        }
    }

    Node node() {
        return access.node();
    }

    /** Records that this thread runs a rank's program. */
    void addThread(int rank) {
        threads.add(rank);
    }

    /**
     * Joins the job as a rank of this process, and waits until all ranks have joined. If this method throws, the rank
     * has left the job.
     *
     * @param rank a rank of this process, which has not joined before
     * @param deadlineNanos the time until which all ranks must have joined
     * @param levels the sizes of the groups of ranks inside the node, ascending
     * @param options the options with the job's deadline
     * @param wanted an action that is run repeatedly while the rank waits; it throws if the job is no longer wanted
     * @return the job; the rank leaves it when it is closed
     */
    LiveJob join(int rank, long deadlineNanos, int[] levels, JobOptions options, Runnable wanted) {
        threads.add(rank);
        try {
            node().markJoined(rank, environment.firstRank());
        } catch (Throwable e) { // another process may have this rank, so it has not failed
            leave();
            throw e;
        }
        try {
            if (network != null) {
                network.register(rank);
            }
            var event = new JoinEvent();
            event.begin();
            awaitAll(rank, deadlineNanos, wanted);
            record(event, rank);
            return new LiveJob(communicators, rank, environment.cores(), environment.choice(), levels, options,
                    _ -> leave());
        } catch (Throwable e) {
            failAndLeave(rank);
            throw e;
        }
    }

    private void record(JoinEvent event, int rank) {
        event.end();
        if (event.shouldCommit()) {
            event.rank = rank;
            event.job = environment.shape().job();
            event.size = node().size();
            event.nodes = node().nodes();
            event.node = environment.shape().node();
            event.host = Network.hostName();
            event.process = environment.firstRank();
            event.commit();
        }
    }

    private void failAndLeave(int rank) {
        try {
            fail(rank, RankFailure.Reason.THREW);
        } finally {
            leave();
        }
    }

    private void awaitAll(int self, long deadlineNanos, Runnable wanted) {
        long start = System.nanoTime();
        Waiter.Check check = new JoinWait(self, deadlineNanos, wanted);
        Waits.Wait outer = Waits.begin(check::call, start);
        try {
            while (!areAllHere()) {
                check.check();
                if (network != null && network.isMeeting(self)) {
                    network.meet(check);
                }
                try {
                    long waitedMillis = (System.nanoTime() - start) / 1_000_000;
                    Thread.sleep(Math.clamp(waitedMillis / POLL_FRACTION, 1, POLL_MILLIS_MAX));
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
        } finally {
            Waits.end(outer);
        }
        access.unlink();
        if (network != null) {
            node().directory().requireAgreement();
        }
    }

    private boolean areAllHere() {
        if (node().directory() != null) {
            return node().directory().isComplete();
        }
        for (int rank = 0; rank < node().size(); rank++) {
            if (node().state(rank) == NodeLayout.ABSENT) {
                return false;
            }
        }
        return true;
    }

    /**
     * Checks whether a rank may go on waiting until all others have joined. A check throws if a rank has failed, the
     * deadline has passed or the job is no longer wanted.
     */
    private final class JoinWait extends WaitGuard {
        private final long deadlineNanos;
        private final Runnable wanted;

        JoinWait(int self, long deadlineNanos, Runnable wanted) {
            super(communicators.members(), self);
            this.deadlineNanos = deadlineNanos;
            this.wanted = wanted;
        }

        @Override
        protected boolean checkOthers() {
            wanted.run();
            if (members.failure(-1) instanceof RankFailedException failure) {
                throw failure;
            }
            return true;
        }

        @Override
        protected String called() {
            return RankLocation.JOIN;
        }

        @Override
        protected String awaited() {
            return "all ranks to join";
        }

        @Override
        protected long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        protected RuntimeException interrupted() {
            return new JobStartException("rank " + rank + " was interrupted while it waited for " + awaited());
        }

        @Override
        protected RuntimeException late() {
            return new JobStartException("rank " + rank + " waited " + environment.joinTimeoutMillis()
                    + " ms for all ranks to join, but " + absent() + " did not"
                    + (network == null ? "" : ", as far as this node knows" + network.whereRankZeroIs())
                    + "; see whether they were started"
                    + (network == null ? "" : ", and whether a firewall is between their hosts and this one")
                    + ", or set " + JobEnvironment.JOIN_TIMEOUT_MILLIS);
        }

        @Override
        public WaitingCall call() {
            int absent = IntStream.range(0, node().size()).filter(other -> node().state(other) == NodeLayout.ABSENT)
                    .findFirst().orElse(WaitingCall.UNKNOWN);
            return new WaitingCall(node(), rank, called(), "", 0, absent);
        }
    }

    private String absent() {
        List<String> ranks = new ArrayList<>();
        for (int rank = 0; rank < node().size(); rank++) {
            if (node().state(rank) == NodeLayout.ABSENT) {
                ranks.add("rank " + rank);
            }
        }
        return String.join(", ", ranks);
    }

    /** Marks a rank of this process as failed, unless it has left. Returns whether this call has marked it. */
    boolean fail(int rank, RankFailure.Reason reason) {
        return node().markFailed(RankFailure.saidSo(rank, reason));
    }

    /**
     * Records that a rank of this process could not go on without another rank. Has no effect if that other rank has
     * failed.
     */
    void miss(int rank, int missed) {
        if (missed >= 0 && missed < node().size() && node().state(missed) != NodeLayout.FAILED) {
            node().markMissed(rank, missed);
        }
    }

    /**
     * Removes the name of the node's memory if the launcher is gone. A process under a launcher calls this method when
     * it ends, because it may end before its watch has seen that the launcher is gone.
     */
    void unlinkIfOrphaned() {
        try {
            if (access.isOrphaned()) {
                access.unlink();
            }
        } catch (IOException | NodeMemoryException _) {
            return; // the next job of this user removes the file
        }
    }

    /** Tells other nodes what this process knows of failures. */
    void spreadNews() {
        if (network != null) {
            network.gossip().spread();
        }
    }

    /**
     * Returns whether a rank of the process has not yet left the job. While this is true, memory and network are open.
     */
    synchronized boolean isOpen() {
        return notLeft > 0;
    }

    /**
     * Records that one more rank of this process has left the job. Each rank leaves once, even if it never joined. When
     * the last one leaves, this method frees the memory, the network and the watch.
     */
    void leave() {
        synchronized (this) {
            notLeft--;
            if (notLeft > 0) {
                return;
            }
        }
        try {
            if (fate != Fate.LAUNCHED) {
                watch.close();
            }
        } finally {
            giveBack();
        }
    }

    private void giveBack() {
        try {
            if (network != null) {
                network.close();
            }
        } finally {
            if (fate != Fate.LAUNCHED) {
                access.close();
            }
        }
    }
}
