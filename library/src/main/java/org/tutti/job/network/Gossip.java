/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.Breakage;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Farewell;
import org.tutti.fabric.Loss;
import org.tutti.fabric.NewsChannel;
import org.tutti.job.node.Directory;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.memory.Words;

/**
 * Exchanges news with other nodes. News tell that ranks have failed or left, that the job was aborted, or that a
 * communicator is broken. In the memory of every node, each piece of news is a word that grows or is set once, so a
 * node may hear it twice without harm.
 *
 * <p><b>The job.</b> A process that notices a change immediately tells all processes that it is connected with.
 * Processes that connect later are also told of failures. On each node the process of the lowest rank is the leader.
 * The leaders form a ring. Each leader keeps a connection to the leaders of the next and the previous node, and passes
 * on the news that these lack. Therefore every node hears all news over at most half the ring, even if there are few
 * other connections. Connected processes notice when one of them falls silent, so two other nodes watch over each node.
 * When a leader leaves or fails, the process of the next rank of its node becomes the leader. A process tells of the
 * first failure before it tells of others. Therefore a rank hears why another rank gave up before it hears that this
 * rank gave up. The only exception is a process that has no room for the news of the first failure.
 *
 * <p><b>A communicator.</b> News that a communicator is broken concern its ranks only. They name the communicator, and
 * go round a ring of the nodes that have ranks of it. On each of these nodes, the process of the communicator's lowest
 * rank passes them on to the next and the previous node. If each rank of a communicator counts as a node, each of its
 * processes has a block of its own, and the ring is one of processes. A process that does not know the communicator
 * forgets the news, so other processes cannot make its memory grow. No news are lost in this way. A process knows a
 * communicator before it tells the other ranks where the communicator's words in its memory are. A rank can break the
 * communicator only when it knows where the words of all ranks are.
 */
public final class Gossip implements FabricListener {
    private static final int STATE = 1;
    private static final int ABORT = 2;
    private static final int BROKEN = 3;
    private static final int NOBODY = -1;

    private final Node node;
    private final Directory directory;
    private final Farewells farewells;
    private final int self;
    private final long silenceMillisMax;
    private final long standstillMillisMax;
    private final byte[] toldAll;
    private final Link next = new Link();
    private final Link previous = new Link();
    private volatile NewsChannel fabric;
    private volatile Thread watch;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Map<Long, NewsRing> circles = new ConcurrentHashMap<>();
    private final NewsRing everybody;
    private boolean toldAbort;
    private long changesSeen = -1;
    private boolean settled;
    private volatile boolean newcomers;
    private volatile boolean closed;

    /** Records which news this process, as a leader, has told the leader of the next or of the previous node. */
    private final class Link {
        int process = NOBODY;
        byte[] told;
        boolean toldAbort;

        void setProcess(int other) {
            if (other != process) {
                process = other;
                told = new byte[node.size()];
                toldAbort = false;
            }
        }

        /** Tells of an abort and of failures that are still untold. Returns whether all are told. */
        boolean spreadCauses() {
            if (process < 0 || fabric.isGone(process)) {
                return true;
            }
            if (!toldAbort && node.abort() != 0) {
                toldAbort = fabric.tell(process, ABORT, 0, node.abort());
            }
            return spread(true) && toldAbort == (node.abort() != 0);
        }

        /** Tells of ranks that have left, if that is still untold. Returns whether all are told. */
        boolean spreadLeavings() {
            return process < 0 || fabric.isGone(process) || spread(false);
        }

        private boolean spread(boolean failures) {
            for (int rank = 0; rank < told.length; rank++) {
                long state = node.state(rank);
                if (told[rank] != state && isFailure(state) == failures
                        && (state > NodeLayout.JOINED || rank == self)) {
                    int cause = failures ? causeOf(rank, told) : NOBODY;
                    if (cause != NOBODY && !tell(cause, NodeLayout.FAILED) || !tell(rank, state)) {
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean tell(int rank, long state) {
            if (!fabric.tell(process, STATE, rank, node.word(rank))) {
                return false;
            }
            told[rank] = (byte) state;
            return true;
        }
    }

    /**
     * Tells other processes that a communicator is broken. Holds the communicator's ranks, its memory on this node with
     * a word that is set when it is broken, and the processes that have been told.
     */
    private final class NewsRing {
        final long id;
        final MemorySegment ring;
        final int[] ranks;
        final boolean isFlat; // each rank is a node of its own, also beside others on its host
        private boolean toldAll;
        private int toldNext = NOBODY;
        private int toldPrevious = NOBODY;

        NewsRing(long id, MemorySegment ring, int[] ranks, boolean isFlat) {
            this.id = id;
            this.ring = ring;
            this.ranks = ranks;
            this.isFlat = isFlat;
        }

        /** Returns the number of the node that a rank of the job belongs to in the communicator. */
        int nodeOf(int rank) {
            return isFlat ? directory.firstRankOfProcess(rank) : directory.node(rank);
        }

        /** Sets the communicator's broken word, unless it is set. Returns whether this call set it. */
        boolean hear(long value) {
            return Words.compareAndSet(ring, RingLayout.BROKEN, 0, value);
        }

        boolean isBroken() {
            return Words.load(ring, RingLayout.BROKEN) != 0;
        }

        void tellAgain() {
            toldAll = false;
        }

        /** Returns whether all connected processes have been told, or the communicator is not broken. */
        boolean isTold() {
            return toldAll || !isBroken();
        }

        /** Tells all connected processes that have not been told. Returns whether all are told. */
        boolean tellAll() {
            if (!isTold()) {
                toldAll = fabric.tellAll(BROKEN, id, Words.load(ring, RingLayout.BROKEN));
            }
            return isTold();
        }

        /**
         * Tells the leaders of the next and the previous node that the communicator is broken, if it is and this
         * process leads its node. Returns whether nothing is left to tell.
         */
        boolean spread() {
            if (!isBroken() || leader(nodeOf(self)) != self) {
                return true;
            }
            int nextLeader = neighbour(1);
            int previousLeader = neighbour(-1);
            toldNext = spread(nextLeader, toldNext);
            toldPrevious = spread(previousLeader, toldPrevious);
            return toldNext == nextLeader && toldPrevious == previousLeader;
        }

        /** Tells the leader in one direction, unless it was told. Returns the process that has been told. */
        private int spread(int process, int told) {
            boolean knows = process == told || process == NOBODY || fabric.isGone(process)
                    || fabric.tell(process, BROKEN, id, Words.load(ring, RingLayout.BROKEN));
            return knows ? process : told;
        }

        /** Returns the leader of the nearest node in a direction that has a leader, or {@link #NOBODY}. */
        int neighbour(int direction) {
            int nodes = isFlat ? node.size() : node.nodes();
            int own = nodeOf(self);
            for (int distance = 1; distance < nodes; distance++) {
                int leader = leader(Math.floorMod(own + direction * distance, nodes));
                if (leader != NOBODY) {
                    return leader;
                }
            }
            return NOBODY;
        }

        /** Returns the process of the lowest rank on a node that takes part in the job, or {@link #NOBODY}. */
        int leader(int ofNode) {
            for (int rank : ranks) {
                if (nodeOf(rank) == ofNode && node.state(rank) == NodeLayout.JOINED) {
                    return directory.firstRankOfProcess(rank);
                }
            }
            return NOBODY;
        }
    }

    /** Returns whether a state is a failure. A failure may be the reason why other ranks leave. */
    private static boolean isFailure(long state) {
        return state == NodeLayout.FAILED;
    }

    Gossip(Node node, Directory directory, int self, long silenceMillisMax, long standstillMillisMax) {
        this.node = node;
        this.farewells = new Farewells(node, self);
        this.directory = directory;
        this.self = self;
        this.silenceMillisMax = silenceMillisMax;
        this.standstillMillisMax = standstillMillisMax;
        this.toldAll = new byte[node.size()];
        know(Node.WORLD, node.ring(), IntStream.range(0, node.size()).toArray(), false);
        this.everybody = circles.get(Node.WORLD);
    }

    void setFabric(NewsChannel opened) {
        fabric = opened;
    }

    /** Sets the thread that spreads the news, which is woken when there are news. */
    public void setWatch(Thread thread) {
        watch = thread;
    }

    /**
     * Registers a communicator that has ranks of this process, so that this process hears and tells when it is broken.
     * The caller does so before other ranks can begin the communicator's operations.
     *
     * @param id the number by which all ranks know the communicator
     * @param ring the communicator's shared memory on this node
     * @param ranks the communicator's ranks, by their numbers in the job, ascending
     * @param isFlat whether each rank counts as a node of its own, so that each has its own memory of the communicator
     */
    public void know(long id, MemorySegment ring, int[] ranks, boolean isFlat) {
        circles.put(id, new NewsRing(id, ring, ranks, isFlat));
    }

    /**
     * Removes a communicator that has no ranks of this process any more. After this call no thread begins to read the
     * communicator's shared memory here.
     *
     * @param id the number by which all ranks know the communicator
     */
    public synchronized void forget(long id) {
        spread(); // tells the others the last news of it
        circles.remove(id);
    }

    // ---- hearing

    @Override
    public void news(int kind, long index, long value) {
        boolean changed = switch (kind) {
            case STATE -> index >= 0 && index < node.size() && hearState((int) index, value);
            case ABORT -> node.setAbort(value);
            case BROKEN -> hearBroken(index, value);
            default -> false;
        };
        if (changed) {
            wakeWatch();
        }
    }

    private boolean hearBroken(long id, long value) {
        NewsRing circle = circles.get(id);
        return circle != null && Breakage.isWord(value, node.size(), circle.ranks.length) && circle.hear(value);
    }

    private boolean hearState(int rank, long value) {
        return switch ((int) (value & NodeLayout.STATE_MASK)) {
            case (int) NodeLayout.LEFT -> node.markLeft(rank);
            case (int) NodeLayout.FAILED -> node.markFailed(confirmed(RankFailure.of(rank, value)));
            default -> false;
        };
    }

    /**
     * Returns the failure to record when a process has reported one. It is the same failure, unless a rank is reported
     * as silent and this process has also heard nothing of it. Then this process becomes the witness, which shows that
     * more than one host has lost the rank's host.
     */
    private RankFailure confirmed(RankFailure failure) {
        if (failure.reason() == RankFailure.Reason.SILENT && directory.has(failure.rank())) {
            int process = directory.firstRankOfProcess(failure.rank());
            if (process != self && fabric.isSilent(process)) {
                return new RankFailure(failure.rank(), failure.reason(), self, failure.detail());
            }
        }
        return failure;
    }

    @Override
    public void connected(int process) {
        newcomers = true;
        wakeWatch();
    }

    /** Returns the good-byes that this process says and hears. */
    public Farewells farewells() {
        return farewells;
    }

    @Override
    public Farewell farewell(int process) {
        return farewells.to(process);
    }

    @Override
    public void hear(int process, Farewell farewell) {
        farewells.hear(process, farewell);
    }

    @Override
    public void raised(MemorySegment memory, long offset) {
        node.futexes().wake(memory, offset);
    }

    @Override
    public void railLost(int process, int rail) {
        node.record(self).ifPresent(record -> record.rails().addLoss());
    }

    @Override
    public void railRestored(int process, int rail) {
        node.record(self).ifPresent(record -> record.rails().addReturn());
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
        if (loss == Loss.UNREACHABLE) {
            node.noteUnreachable(process, reason);
        }
        // else this process ended the connection, perhaps before a good-bye, or the other one did, because this one has
        // left
        if (!closed && failure.get() == null && (hasRanks(self) || !directory.isComplete())) {
            markFailed(process, new RankFailure(process, reason(loss), self, silentMillis(loss)));
        }
    }

    @Override
    public void failed(Throwable cause) {
        if (failure.compareAndSet(null, cause)) {
            node.markFailed(RankFailure.saidSo(self, RankFailure.Reason.UNABLE)); // it may not be in the directory yet
            markFailed(self, RankFailure.saidSo(self, RankFailure.Reason.UNABLE));
            System.getLogger(Gossip.class.getName()).log(System.Logger.Level.ERROR,
                    "the process of rank " + self + " cannot go on", cause);
        }
    }

    /** Returns the reason why this process cannot go on, or null if it can. */
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

    /** Tells other processes the news since the last call. Returns whether nothing is left to tell. */
    public synchronized boolean spread() {
        long changes = node.changes();
        if (closed || settled && changes == changesSeen && !newcomers
                && circles.values().stream().allMatch(NewsRing::isTold)) {
            return true;
        }
        if (newcomers) {
            newcomers = false;
            tellFailuresAgain();
        }
        boolean told = tellAll();
        if (!directory.isComplete()) {
            return false; // the nodes' leaders are not known
        }
        changesSeen = changes;
        settled = told & spreadInRings();
        return settled;
    }

    /**
     * Tells the leaders of the next and the previous node all news. An abort and failures come first, because they may
     * be the cause of the other news. Returns whether nothing is left to tell.
     */
    private boolean spreadInRings() {
        boolean leads = everybody.leader(directory.node(self)) == self;
        next.setProcess(leads ? everybody.neighbour(1) : NOBODY);
        previous.setProcess(leads ? everybody.neighbour(-1) : NOBODY);
        boolean nextKnows = next.spreadCauses();
        boolean previousKnows = previous.spreadCauses();
        boolean told = true;
        for (NewsRing circle : circles.values()) {
            told &= circle.spread();
        }
        nextKnows = nextKnows && next.spreadLeavings();
        previousKnows = previousKnows && previous.spreadLeavings();
        return told && nextKnows && previousKnows;
    }

    /**
     * Prepares to tell all connected processes of an abort, failures and broken communicators again, because another
     * process has connected. Processes that know of them hear of them once more.
     */
    private void tellFailuresAgain() {
        toldAbort = false;
        circles.values().forEach(NewsRing::tellAgain);
        for (int rank = 0; rank < toldAll.length; rank++) {
            if (isFailure(toldAll[rank])) {
                toldAll[rank] = 0;
            }
        }
    }

    /**
     * Tells all connected processes the news. Returns whether all of them have heard all news, except that ranks have
     * left. If a process has no room for the news that a rank has left, it hears of that through the ring of leaders.
     */
    private boolean tellAll() {
        if (!toldAbort && node.abort() != 0) {
            toldAbort = fabric.tellAll(ABORT, 0, node.abort());
        }
        boolean told = tellAll(true);
        for (NewsRing circle : circles.values()) {
            told &= circle.tellAll();
        }
        tellAll(false);
        return told && toldAbort == (node.abort() != 0);
    }

    private boolean tellAll(boolean failures) {
        boolean all = true;
        boolean triedCause = !failures;
        for (int rank = 0; rank < toldAll.length; rank++) {
            long state = node.state(rank);
            if (state > NodeLayout.JOINED && isFailure(state) == failures && toldAll[rank] != state) {
                int cause = triedCause ? NOBODY : causeOf(rank, toldAll);
                if (cause != NOBODY) {
                    all &= tellAll(cause, NodeLayout.FAILED);
                    triedCause = true; // a process without room must not keep others from hearing more
                }
                all &= tellAll(rank, state);
            }
        }
        return all;
    }

    private boolean tellAll(int rank, long state) {
        boolean told = fabric.tellAll(STATE, rank, node.word(rank));
        toldAll[rank] = told || !isFailure(state) ? (byte) state : 0;
        abandonProcess(rank, isFailure(state));
        return told;
    }

    /**
     * Returns the rank that failed first, if it is another rank than the given one and is still untold. Otherwise
     * returns {@link #NOBODY}. Other processes must hear of the first failure before they hear of a rank that may have
     * failed because of it.
     */
    private int causeOf(int rank, byte[] told) {
        int first = node.firstFailedRank();
        return first >= 0 && first != rank && !isFailure(told[first]) ? first : NOBODY;
    }

    /** Stops telling. News that arrive later are only recorded. */
    synchronized void close() {
        closed = true;
    }

    /**
     * Ends the connection to the process of a failed rank, so that no thread waits for it, unless the process has ranks
     * that take part. The process may only be stopped, and the connection might otherwise stay open for long.
     */
    private void abandonProcess(int rank, boolean failed) {
        if (failed && directory.has(rank) && directory.firstRankOfProcess(rank) != self) {
            RankFailure known = RankFailure.of(rank, node.word(rank));
            if (known.reason() == RankFailure.Reason.SILENT) { // another process of this node may have heard it first
                RankFailure seen = confirmed(known);
                if (seen.witness() == self) {
                    node.confirmFailed(seen);
                }
            }
            if (!hasRanks(directory.firstRankOfProcess(rank))) {
                fabric.abandon(directory.firstRankOfProcess(rank), "rank " + rank + " has failed");
            }
        }
    }

    /**
     * Returns whether a process still has ranks that take part. One of its ranks may fail alone, because of an
     * exception.
     */
    private boolean hasRanks(int process) {
        for (int rank = process; rank < node.size(); rank++) {
            if (isOf(process, rank) && node.state(rank) == NodeLayout.JOINED) {
                return true;
            }
        }
        return false;
    }
}
