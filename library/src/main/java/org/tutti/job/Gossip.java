/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;

/**
 * How nodes hear what has happened to ranks elsewhere. What is known of the job is words that grow, or are set once, in
 * the memory of every node; news are such words, and hearing one twice does no harm.
 *
 * <p>A process that notices a change tells all processes that it is connected with, at once; of failures also those
 * that it is connected with later. Besides, the processes of the nodes' lowest ranks, their leaders, form a ring: each
 * keeps a connection to the leaders of the node after its own and of the node before, and passes on what either does
 * not know. So everybody hears everything, over at most half the ring, however few connections there are; and since
 * connected processes notice when one falls silent, each node is watched over by two others. When a leader leaves or
 * fails, the next rank of its node takes its place.
 */
final class Gossip implements FabricListener {
    private static final int STATE = 1;
    private static final int ABORT = 2;
    private static final int BROKEN = 3;

    private final Node node;
    private final Directory directory;
    private final int self;
    private final long silenceMillisMax;
    private final long standstillMillisMax;
    private final byte[] toldAll;
    private final Link next = new Link();
    private final Link previous = new Link();
    private volatile Fabric fabric;
    private volatile Thread watch;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private boolean toldAbort;
    private boolean toldBroken;
    private long changesSeen = -1;
    private boolean settled;
    private volatile boolean newcomers;
    private volatile boolean closed;

    /** What the process at one side of the ring has been told. */
    private final class Link {
        int process = -1;
        byte[] told;
        boolean toldAbort;
        boolean toldBroken;

        void setProcess(int other) {
            if (other != process) {
                process = other;
                told = new byte[node.size()];
                toldAbort = false;
                toldBroken = false;
            }
        }

        /** Tells what has not been told, causes before their consequences; returns whether all has. */
        boolean spread() {
            if (process < 0 || fabric.isGone(process)) {
                return true;
            }
            if (!toldAbort && node.abort() != 0) {
                toldAbort = fabric.tell(process, ABORT, 0, node.abort());
            }
            if (!spread(true)) {
                return false;
            }
            if (!toldBroken && node.broken() != 0) {
                toldBroken = fabric.tell(process, BROKEN, 0, node.broken());
            }
            return spread(false) && toldAbort == (node.abort() != 0)
                    && toldBroken == (node.broken() != 0);
        }

        private boolean spread(boolean failures) {
            for (int rank = 0; rank < told.length; rank++) {
                long state = node.state(rank);
                if (told[rank] != state && isFailure(state) == failures
                        && (state > NodeLayout.JOINED || rank == self)) {
                    if (!fabric.tell(process, STATE, rank, node.word(rank))) {
                        return false;
                    }
                    told[rank] = (byte) state;
                }
            }
            return true;
        }
    }

    /** Whether news of a state are about a failure, which may be why others leave. */
    private static boolean isFailure(long state) {
        return state == NodeLayout.FAILED;
    }

    Gossip(Node node, Directory directory, int self, long silenceMillisMax, long standstillMillisMax) {
        this.node = node;
        this.directory = directory;
        this.self = self;
        this.silenceMillisMax = silenceMillisMax;
        this.standstillMillisMax = standstillMillisMax;
        this.toldAll = new byte[node.size()];
    }

    void setFabric(Fabric opened) {
        fabric = opened;
    }

    void setWatch(Thread thread) {
        watch = thread;
    }

    // ---- hearing

    @Override
    public void news(int kind, long index, long value) {
        boolean changed = switch (kind) {
            case STATE -> index >= 0 && index < node.size() && hearState((int) index, value);
            case ABORT -> node.setAbort(value);
            case BROKEN -> node.setBroken(value);
            default -> false;
        };
        if (changed) {
            wakeWatch();
        }
    }

    private boolean hearState(int rank, long value) {
        return switch ((int) (value & NodeLayout.STATE_MASK)) {
            case (int) NodeLayout.LEFT -> node.markLeft(rank);
            case (int) NodeLayout.FAILED -> node.markFailed(confirmed(RankFailure.of(rank, value)));
            default -> false;
        };
    }

    /** Whoever has lost sight of a host as well says so itself: then it is not two hosts that lost each other. */
    private RankFailure confirmed(RankFailure failure) {
        if (failure.reason() == RankFailure.Reason.SILENT && directory.has(failure.rank())) {
            int process = directory.firstRankOfProcess(failure.rank());
            if (process != self && fabric.isSilent(process)) {
                return new RankFailure(failure.rank(), failure.reason(), self, failure.silentMillis());
            }
        }
        return failure;
    }

    @Override
    public void connected(int process) {
        newcomers = true;
        wakeWatch();
    }

    @Override
    public void left(int process) {
        for (int rank = process; rank < node.size(); rank++) {
            if (isOf(process, rank)) {
                node.markLeft(rank);
            }
        }
        wakeWatch();
    }

    @Override
    public void lost(int process, Loss loss, String reason) {
        System.getLogger(Gossip.class.getName()).log(System.Logger.Level.DEBUG,
                () -> "rank " + self + " has lost the process of rank " + process + ": " + reason);
        if (!closed && failure.get() == null) { // else this process has let go of the other, perhaps before a good-bye
            markFailed(process, new RankFailure(process, reason(loss), self, silentMillis(loss)));
        }
    }

    @Override
    public void failed(Throwable cause) {
        if (failure.compareAndSet(null, cause)) {
            node.markFailed(RankFailure.saidSo(self)); // also before it is in the directory
            markFailed(self, RankFailure.saidSo(self));
            System.getLogger(Gossip.class.getName()).log(System.Logger.Level.ERROR,
                    "the process of rank " + self + " cannot go on", cause);
        }
    }

    /** Why this process itself cannot go on, or null if it can. */
    Throwable failure() {
        return failure.get();
    }

    private void markFailed(int process, RankFailure failed) {
        for (int rank = process; rank < node.size(); rank++) {
            if (isOf(process, rank)) {
                node.markFailed(failed.of(rank));
            }
        }
        wakeWatch();
    }

    private static RankFailure.Reason reason(Loss loss) {
        return switch (loss) {
            case ENDED -> RankFailure.Reason.ENDED;
            case SILENT -> RankFailure.Reason.SILENT;
            case STOOD_STILL -> RankFailure.Reason.STOOD_STILL;
            case UNREACHABLE -> RankFailure.Reason.UNREACHABLE;
            case NONSENSE -> RankFailure.Reason.NONSENSE;
        };
    }

    private long silentMillis(Loss loss) {
        return switch (loss) {
            case SILENT -> silenceMillisMax;
            case STOOD_STILL -> standstillMillisMax;
            default -> 0;
        };
    }

    private boolean isOf(int process, int rank) {
        return directory.has(rank) && directory.firstRankOfProcess(rank) == process;
    }

    private void wakeWatch() {
        LockSupport.unpark(watch);
    }

    // ---- telling

    /** Tells whoever should know what has happened since the last time; returns whether nothing is left to tell. */
    synchronized boolean spread() {
        long changes = node.changes() + (node.broken() != 0 ? 1 : 0);
        if (closed || settled && changes == changesSeen && !newcomers) {
            return true;
        }
        if (newcomers) {
            newcomers = false;
            tellFailuresAgain();
        }
        boolean told = tellAll();
        if (!directory.isComplete()) {
            return false; // nobody knows who leads which node
        }
        changesSeen = changes;
        settled = told;
        if (leader(directory.node(self)) == self) {
            next.setProcess(neighbour(1));
            previous.setProcess(neighbour(-1));
            settled = told & next.spread() & previous.spread();
        }
        return settled;
    }

    /** Whoever has been told knows it already, and hears it once more. */
    private void tellFailuresAgain() {
        toldAbort = false;
        toldBroken = false;
        for (int rank = 0; rank < toldAll.length; rank++) {
            if (isFailure(toldAll[rank])) {
                toldAll[rank] = 0;
            }
        }
    }

    /** Returns whether all failures were told; if there was no room for who has left, the ring will tell it. */
    private boolean tellAll() {
        if (!toldAbort && node.abort() != 0) {
            toldAbort = fabric.tellAll(ABORT, 0, node.abort());
        }
        boolean told = tellAll(true);
        if (!toldBroken && node.broken() != 0) {
            toldBroken = fabric.tellAll(BROKEN, 0, node.broken());
        }
        tellAll(false);
        return told && toldAbort == (node.abort() != 0) && toldBroken == (node.broken() != 0);
    }

    private boolean tellAll(boolean failures) {
        boolean all = true;
        for (int rank = 0; rank < toldAll.length; rank++) {
            long state = node.state(rank);
            if (state > NodeLayout.JOINED && isFailure(state) == failures && toldAll[rank] != state) {
                boolean told = fabric.tellAll(STATE, rank, node.word(rank));
                toldAll[rank] = told || !failures ? (byte) state : 0;
                all &= told;
                abandonProcess(rank, failures);
            }
        }
        return all;
    }

    /** Ends it; whatever is heard later is only noted. */
    synchronized void close() {
        closed = true;
    }

    /** Nobody is to wait for a process that has failed: it may be stopped, and take what is sent to it for long. */
    private void abandonProcess(int rank, boolean failed) {
        if (failed && directory.has(rank) && directory.firstRankOfProcess(rank) != self) {
            RankFailure known = RankFailure.of(rank, node.word(rank));
            if (known.reason() == RankFailure.Reason.SILENT) { // another process of this node may have heard it first
                RankFailure seen = confirmed(known);
                if (seen.witness() == self) {
                    node.confirmFailed(seen);
                }
            }
            fabric.abandon(directory.firstRankOfProcess(rank), "rank " + rank + " has failed");
        }
    }

    /** The leader of the nearest node in a direction that has one, or −1. */
    private int neighbour(int direction) {
        int nodes = node.nodes();
        int own = directory.node(self);
        for (int distance = 1; distance < nodes; distance++) {
            int leader = leader(Math.floorMod(own + direction * distance, nodes));
            if (leader >= 0) {
                return leader;
            }
        }
        return -1;
    }

    /** The process of the lowest rank of a node that is part of the job, or −1. */
    private int leader(int ofNode) {
        for (int rank = 0; rank < node.size(); rank++) {
            if (directory.node(rank) == ofNode && node.state(rank) == NodeLayout.JOINED) {
                return directory.firstRankOfProcess(rank);
            }
        }
        return -1;
    }
}
