/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.network.Gossip;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeAccess;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.StackQuery;
import org.tutti.memory.WaitClock;

/**
 * Notices when another process of the job fails, and marks the ranks of that process as failed. Every {@value
 * #INTERVAL_MILLIS} ms a daemon thread of this process checks whether the next process of the node lives and runs,
 * whether the launcher lives, and whether the job was aborted. If the job has several nodes, the thread also tells
 * other nodes of failures ({@link Gossip}), and is woken when there are some to tell. It also answers questions about
 * where the ranks of its process are ({@link StackQuery}).
 *
 * <p>Each process watches only one other process: the next one of its node, in the order of first ranks, that is still
 * part of the job. If that process has died or stands still, the thread marks its ranks as failed, and watches the
 * process after it. A process has died if its lock on the node's memory file is free. It stands still if its beat, a
 * word that a living process increments, has not grown for {@code standstillMillisMax}. Therefore any number of deaths
 * is noticed, although each process watches only one other. Time counts only while the watching process itself runs. If
 * all processes were stopped and go on, none has failed. If the launcher is gone, this process ends, because nothing
 * would end it later.
 *
 * <p>If a check throws, the thread logs the exception, once for each kind, and checks again later.
 */
final class LivenessWatch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 200;
    private static final long INTERVAL_NANOS = INTERVAL_MILLIS * 1_000_000;
    private static final long ABORT_GRACE_MILLIS = 1000;
    private static final int STATUS_LAUNCHER_GONE = 143;
    private static final int LOGGED_MAX = 16;
    private static final System.Logger LOG = System.getLogger(LivenessWatch.class.getName());

    private final NodeAccess access;
    private final int self;
    private final int ranks;
    private final Network network;
    private final RankThreads threads;
    private final long standstillNanosMax;
    private final boolean endsProcess;
    private final WaitClock clock;
    private final Thread thread;
    private int watched = -1;
    private long beatsSeen;
    private long stillNanos;
    private final Set<String> logged = new HashSet<>();
    private volatile boolean closed;

    /**
     * Creates a watch, and starts its thread.
     *
     * @param access the access to the node's memory, which shows whether other processes live
     * @param self the first rank of this process
     * @param ranks the number of ranks of this process
     * @param network the connection to other nodes; null if the job has one node
     * @param threads the threads on which the ranks of this process run
     * @param standstillMillisMax the time in milliseconds for which a process may stand still before its ranks fail
     * @param endsProcess whether an abort of the job ends this process
     */
    LivenessWatch(NodeAccess access, int self, int ranks, Network network, RankThreads threads,
            long standstillMillisMax, boolean endsProcess) {
        this(access, self, ranks, network, threads, standstillMillisMax, endsProcess, WaitClock.SYSTEM);
    }

    /** Creates a watch that reads the given clock. */
    LivenessWatch(NodeAccess access, int self, int ranks, Network network, RankThreads threads,
            long standstillMillisMax, boolean endsProcess, WaitClock clock) {
        this.access = access;
        this.clock = clock;
        this.self = self;
        this.ranks = ranks;
        this.network = network;
        this.threads = threads;
        this.standstillNanosMax = standstillMillisMax * 1_000_000;
        this.endsProcess = endsProcess;
        this.thread = Thread.ofPlatform().daemon().name("tutti watch").unstarted(this::run);
        if (network != null) {
            network.gossip().setWatch(thread);
        }
        thread.start();
    }

    private void run() {
        long lookedNanos = clock.nanos();
        while (!closed) {
            clock.park(INTERVAL_NANOS);
            long nowNanos = clock.nanos();
            try {
                if (network != null) {
                    network.gossip().spread();
                }
                if (nowNanos - lookedNanos >= INTERVAL_NANOS) {
                    look(Math.min(nowNanos - lookedNanos, 2 * INTERVAL_NANOS));
                    lookedNanos = nowNanos;
                }
            } catch (IOException | RuntimeException | Error e) { // too little memory, or too many open files
                logOnce("see whether the others live", e);
            }
            answer();
        }
    }

    private void logOnce(String purpose, Throwable trouble) {
        if (logged.size() < LOGGED_MAX && logged.add(purpose + trouble)) {
            LOG.log(System.Logger.Level.WARNING,
                    "the process of rank " + self + " cannot " + purpose + ", and tries again", trouble);
        }
    }

    private void look(long elapsedNanos) throws IOException {
        access.node().beat(self);
        if (endsProcess) {
            watchAbort();
        }
        watchLauncher();
        watchNeighbour(elapsedNanos);
        watchFailed();
    }

    /**
     * Answers the question where the ranks of this process are, if it was asked. If that throws, the exception is
     * logged, because nothing else depends on the answer.
     */
    private void answer() {
        try {
            Node node = access.node();
            if (node.stackQuery().isAsked(self)) {
                node.stackQuery().answer(self, threads::text, (long) ranks * RankLocation.TEXT_BYTES_MAX);
            }
        } catch (RuntimeException | Error e) { // too little memory for the text: the asking process reports silence
            logOnce("say where its ranks are", e);
        }
    }

    private void watchLauncher() throws IOException {
        if (access.isOrphaned()) {
            try {
                access.unlink();
                System.err.println("tutti: the process of rank " + self + " ends, because its launcher is gone");
            } finally {
                Runtime.getRuntime().halt(STATUS_LAUNCHER_GONE);
            }
        }
    }

    private void watchNeighbour(long elapsedNanos) throws IOException {
        Node node = access.node();
        int size = node.size();
        for (int distance = 1; distance < size; distance++) {
            int rank = (self + distance) % size;
            if (node.state(rank) == NodeLayout.JOINED && node.isHere(rank) && node.firstRankOfProcess(rank) != self) {
                int firstRank = node.firstRankOfProcess(rank);
                if (!access.livesProcess(firstRank)) {
                    node.markFailed(new RankFailure(rank, RankFailure.Reason.ENDED, self, 0));
                } else if (standsStill(firstRank, elapsedNanos)) {
                    node.markFailed(new RankFailure(rank, RankFailure.Reason.STOOD_STILL, self,
                            standstillNanosMax / 1_000_000));
                } else {
                    return;
                }
            }
        }
    }

    /**
     * Records which processes of failed ranks have ended. Until its process has ended, a failed rank may still read the
     * memory that other ranks show it.
     */
    private void watchFailed() throws IOException {
        Node node = access.node();
        for (int rank = 0; node.firstFailedRank() >= 0 && rank < node.size(); rank++) {
            if (node.state(rank) == NodeLayout.FAILED && node.isHere(rank) && !node.hasEnded(rank)
                    && node.firstRankOfProcess(rank) != self && !access.livesProcess(node.firstRankOfProcess(rank))) {
                node.markEnded(rank);
            }
        }
    }

    private boolean standsStill(int firstRank, long elapsedNanos) {
        long beats = access.node().beats(firstRank);
        if (firstRank != watched || beats != beatsSeen) {
            watched = firstRank;
            beatsSeen = beats;
            stillNanos = 0;
        } else {
            stillNanos += elapsedNanos;
        }
        return stillNanos >= standstillNanosMax;
    }

    private void watchAbort() {
        int status = access.node().abortStatus();
        if (status >= 0) {
            long untilNanos = clock.nanos() + ABORT_GRACE_MILLIS * 1_000_000;
            while (!closed && clock.nanos() - untilNanos < 0) {
                if (network != null) {
                    network.gossip().spread();
                }
                clock.park(INTERVAL_NANOS);
            }
            if (!closed) {
                Runtime.getRuntime().halt(status);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) { // it must not read memory that is freed next
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
