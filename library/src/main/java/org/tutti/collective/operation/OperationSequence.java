/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.Members;
import org.tutti.memory.Words;

/**
 * What all operations of a communicator share at one rank, on whatever threads they run: their numbers, the history of
 * calls, which of them this rank has finished, and what it knows of others.
 *
 * <p>Numbers and history are drawn on the caller's thread, so they follow the order of the calls. Operations may be
 * finished in any order; the <i>left</i> word is cumulative, and moves to the first that is not. As operation s begins
 * only when an operation at most {@value RingLayout#SLOTS_MAX} before it is closed, the finished ones beyond that word
 * fit in as many bits.
 *
 * <p>Of a communicator that is broken, or that this rank closes, it leaves all operations, drawn or not: its left word
 * becomes {@value #ALL} and more. That is stored once nothing of what was drawn is in flight, by whoever ends last. An
 * operation that another thread is about to begin finds it so under the lock, and does not begin; if it has begun
 * before, the lock shows that it was drawn. Without other threads there is nothing else in flight.
 *
 * <p>Memory ordering: finishing an operation takes a lock, once there are other threads, so all that this rank did in
 * the operations below the left word happens before the word's release store, whichever thread makes it. What is known
 * of others is stored with release order after the acquire loads that it comes from, and loaded with acquire order.
 *
 * <p>Each thread does things with its own machine, through which it takes the lock, too: so the simulator can let
 * others go first there.
 */
public final class OperationSequence {
    /** How many non-blocking operations may be between their first and their last step at once. */
    public static final int AT_ONCE_MAX = RingLayout.SLOTS_MIN;

    public static final int NOBODY = -1;

    /** Greater than the number of any operation: a left word is that much greater when its rank has left them all. */
    public static final long ALL = 1L << 62;

    /** A left word is greater by that when its rank touches nothing of the communicator any more. */
    public static final long DETACHED = 1L << 61;

    /** Of each rank that says which groups it makes the last one that this rank has made with it. */
    long[] lastMade = {};

    /** The group that this rank is making of this communicator, by its number, or 0. */
    public long making;

    private final Members members;
    private final MemorySegment ring;
    private final long firstLeft;
    private final long leftOffset;
    private final int[] localRanks;
    private final int nodes;
    private final Lock lock = new ReentrantLock();
    private volatile AtomicLongArray leftElsewhere;
    private volatile long leftEverywhere;
    private volatile boolean complete = true;

    private long drawn;
    private long history;
    private final SingleThreadGuard blocking = new SingleThreadGuard("communicator");

    private boolean concurrent;
    private long left;
    private long finished;
    private boolean leavingAll;
    private long brokenOff;
    private volatile long closed;
    private volatile boolean detached;
    private volatile boolean ended;

    /**
     * @param members what is known of the ranks' lives
     * @param ring the communicator's block
     * @param firstLeft where the left words of the node's ranks begin there, a line for each
     * @param localRanks these ranks
     * @param localRank whose operation sequence it is, by its place among them
     * @param nodes how many nodes the communicator has
     */
    public OperationSequence(Members members, MemorySegment ring, long firstLeft, int[] localRanks, int localRank,
            int nodes) {
        this.members = members;
        this.ring = ring;
        this.firstLeft = firstLeft;
        this.leftOffset = left(localRank);
        this.localRanks = localRanks;
        this.nodes = nodes;
    }

    /** Adds the operations of a call to the history; returns the number of the first. */
    public long draw(long call, long operations) {
        for (long operation = 0; operation < operations; operation++) {
            history = Fingerprint.extend(history, call);
        }
        assert operations > 0 : "a call of " + operations + " operations";
        long first = drawn;
        drawn += operations;
        return first;
    }

    /** How many operations were drawn. */
    public long drawn() {
        return drawn;
    }

    /** The fingerprint of all calls that were drawn. */
    public long history() {
        return history;
    }

    /** The blocking call that the rank is in. */
    public SingleThreadGuard blocking() {
        return blocking;
    }

    /**
     * Says what a rank's being in an operation tells of it: it has left all operations before the one returned. A quiet
     * rank has nothing else in flight; any other one may be in up to {@value RingLayout#SLOTS_MIN} at a time.
     */
    public static long leftBy(long operation, boolean quiet) {
        return quiet ? operation : operation - RingLayout.SLOTS_MIN + 1;
    }

    /**
     * From now on operations may be in flight on other threads, and end in any order. Called on the caller's thread,
     * which is the only one before; what others do there comes afterwards.
     */
    public void expectOtherThreads() {
        concurrent = true;
    }

    /** Takes note that this rank has finished an operation, and says so if all before it are finished, too. */
    public void leave(Machine machine, long operation) {
        if (concurrent) {
            leaveInAnyOrder(machine, operation);
        } else {
            assert operation == left : "operation " + operation + " is left, and " + left + " is the first that is not";
            left = operation + 1;
            machine.store(ring, leftOffset, left);
        }
    }

    private void leaveInAnyOrder(Machine machine, long operation) {
        machine.lock(lock);
        try {
            assert operation >= left && operation - left < Long.SIZE && (finished >>> (operation - left) & 1) == 0
                    : "operation " + operation + " is left twice, or too early: " + left + " is the first that is not";
            long done = finished | 1L << (operation - left);
            int more = Long.numberOfTrailingZeros(~done);
            finished = more == Long.SIZE ? 0 : done >>> more;
            if (more > 0) {
                left += more;
                machine.store(ring, leftOffset, left);
            }
            if (leavingAll) {
                leaveAllIfIdle(machine);
            }
        } finally {
            machine.unlock(lock);
        }
    }

    /** This rank has left all operations below; {@link #ALL} or more when it begins none any more. */
    public long left(Machine machine) {
        return concurrent ? leftInAnyOrder(machine) : left;
    }

    private long leftInAnyOrder(Machine machine) {
        machine.lock(lock);
        try {
            return left;
        } finally {
            machine.unlock(lock);
        }
    }

    /**
     * Leaves all operations of a communicator that is broken or closed, now or when those that are in flight have
     * ended.
     *
     * @param ended how many that were drawn have not been left, and never will be
     */
    public void leaveAll(Machine machine, long ended) {
        machine.lock(lock);
        try {
            leavingAll = true;
            brokenOff += ended;
            leaveAllIfIdle(machine);
        } finally {
            machine.unlock(lock);
        }
    }

    private void leaveAllIfIdle(Machine machine) {
        if (left < ALL && left + Long.bitCount(finished) + brokenOff == drawn) {
            left += ALL;
            machine.store(ring, leftOffset, left);
        }
    }

    /**
     * Below which operation a rank has been in all, as its left word says: nobody of the communicator is to run ahead
     * for ever of one that has left all.
     */
    static long done(long leftThere) {
        return leftThere & DETACHED - 1;
    }

    /** All operations below have been left by all ranks of this node. */
    public long closed() {
        return closed;
    }

    /** Whether all ranks of this node have left an operation, as far as this one knows without looking. */
    public boolean isKnownClosed(long operation) {
        return closed > operation;
    }

    /** Looks for a rank of this node that has not left an operation yet, or returns {@link #NOBODY}. */
    public int behind(Machine machine, long operation) {
        if (isKnownClosed(operation)) {
            return NOBODY;
        }
        long least = Long.MAX_VALUE;
        for (int each = 0; each < localRanks.length; each++) {
            long leftThere = machine.load(ring, left(each));
            if (leftThere > operation) {
                least = Math.min(least, done(leftThere));
            } else if (!members.hasEnded(localRanks[each])) {
                return localRanks[each];
            }
        }
        setClosed(least);
        return NOBODY;
    }

    private long left(int local) {
        return firstLeft + (long) local * Words.LINE_BYTES;
    }

    /** Whether operations may never be closed that a rank has not left: the communicator is broken, or soon will be. */
    boolean isBroken(Machine machine, int behind) {
        return machine.load(ring, RingLayout.BROKEN) != 0 || members.failure(behind) != null;
    }

    /** What to call a rank of this communicator in messages of another one. */
    String describe(int rank) {
        return members.describe(rank);
    }

    /** Threads may set it in the wrong order: then it is found again by looking, while there is what to look at. */
    public void setClosed(long operation) {
        closed = operation;
        if (detached) {
            closed = Long.MAX_VALUE;
        }
    }

    /** All operations are closed, and nobody is to look at left words again. */
    public void setDetached() {
        detached = true; // before, so that a thread that stores an older number afterwards sees it
        closed = Long.MAX_VALUE;
    }

    /** All operations below have been left by all ranks of another node. */
    public long leftElsewhere(int node) {
        AtomicLongArray known = leftElsewhere;
        return known == null ? leftEverywhere : Math.max(leftEverywhere, known.getAcquire(node));
    }

    /** Threads may raise it in the wrong order: then it is asked for again. */
    public void raiseLeftElsewhere(Machine machine, int node, long operation) {
        if (leftElsewhere == null) {
            makeTable(machine);
        }
        if (leftElsewhere.getPlain(node) < operation) {
            leftElsewhere.setRelease(node, operation);
        }
    }

    /** Only ranks that put to other nodes need a table, and not all of these. */
    private void makeTable(Machine machine) {
        machine.lock(lock);
        try {
            if (leftElsewhere == null) {
                var table = new AtomicLongArray(nodes);
                for (int node = 0; node < nodes; node++) {
                    table.setPlain(node, leftEverywhere);
                }
                leftElsewhere = table;
            }
        } finally {
            machine.unlock(lock);
        }
    }

    /**
     * Says whether all ranks are known to have come: so the rings of all nodes are there, or have been. Of a group that
     * is being made this is not known.
     */
    public void setComplete(boolean all) {
        complete = all;
    }

    public boolean isComplete() {
        return complete;
    }

    /** Takes note of all nodes at once. */
    public void raiseLeftEverywhere(long operation) {
        if (leftEverywhere < operation) {
            leftEverywhere = operation;
        }
    }

    /** The rank leaves its job: operations in flight are to end. */
    public void end() {
        ended = true;
    }

    public boolean hasEnded() {
        return ended;
    }
}
