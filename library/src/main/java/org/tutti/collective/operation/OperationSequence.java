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
 * The state that all operations of a communicator share at one rank, on whatever threads they run: their numbers, the
 * history of calls, which operations this rank has left, and which operations the other ranks are known to have left. A
 * rank has one such object for each communicator. It is made with the rank's first team, and lives as long as the
 * communicator.
 *
 * <p>Numbers and history are drawn on the caller's thread, so they follow the order of the calls. Operations may be
 * finished in any order; the <i>left</i> word is cumulative, and holds the number of the first operation that is not
 * finished. Operation s begins only when an operation at most {@value RingLayout#SLOTS_MAX} before it is closed, so
 * that many bits suffice for the finished operations beyond that word.
 *
 * <p><b>Leaving all.</b> A rank leaves all operations, drawn or not, of a communicator that is broken or that the rank
 * closes: it adds {@value #ALL} to its left word. The thread that ends last stores the word, when no drawn operation is
 * in flight. A thread that is about to begin an operation looks at the word under the lock. If it finds that the rank
 * has left all, it does not begin. If it looked before the word was stored, the thread that leaves all sees, by the
 * same lock, that the operation was drawn, and leaves the word to the end of that operation. Without other threads
 * nothing else is in flight.
 *
 * <p><b>Memory ordering.</b> Once there are other threads, finishing an operation takes a lock. Hence all that this
 * rank did in the operations below the left word happens before the word's release store, whichever thread makes it.
 * Knowledge about other ranks is stored with release order after the acquire loads that it comes from, and is loaded
 * with acquire order.
 *
 * <p>Each thread passes its own machine to the methods, which take the lock through it, so that the simulator can let
 * other threads go first there.
 */
public final class OperationSequence {
    /** The number of non-blocking operations that may be between their first and their last step at the same time. */
    public static final int AT_ONCE_MAX = RingLayout.SLOTS_MIN;

    /** No rank. */
    public static final int NOBODY = -1;

    /** Greater than the number of any operation. A rank that has left all operations has added it to its left word. */
    public static final long ALL = 1L << 62;

    /** A rank that no longer touches the communicator's memory has added this to its left word, too. */
    public static final long DETACHED = 1L << 61;

    /** For each rank that tells which groups it makes, the last group that this rank has made with it. */
    long[] lastMade = {};

    /** The number of the group that this rank is making of this communicator, or 0. */
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
     * Called once for a rank and a communicator, when its first team is made.
     *
     * @param members what is known of the ranks' lives
     * @param ring the communicator's block
     * @param firstLeft the offset of the left words of the node's ranks in it, a line for each
     * @param localRanks these ranks
     * @param localRank the index of this rank among them
     * @param nodes the number of nodes of the communicator
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

    /** Adds the operations of a call to the history; returns the number of the first one. */
    public long draw(long call, long operations) {
        for (long operation = 0; operation < operations; operation++) {
            history = Fingerprint.extend(history, call);
        }
        assert operations > 0 : "a call of " + operations + " operations";
        long first = drawn;
        drawn += operations;
        return first;
    }

    /** Returns the number of operations that were drawn. */
    public long drawn() {
        return drawn;
    }

    /** Returns the fingerprint of all calls that were drawn. */
    public long history() {
        return history;
    }

    /** Returns the guard of the rank's blocking calls. */
    public SingleThreadGuard blocking() {
        return blocking;
    }

    /**
     * Tells which operations a rank in an operation has left: all before the returned one. A quiet rank has no other
     * operation in flight; any other rank may be in up to {@value RingLayout#SLOTS_MIN} at a time.
     */
    public static long leftBy(long operation, boolean quiet) {
        return quiet ? operation : operation - RingLayout.SLOTS_MIN + 1;
    }

    /**
     * Allows operations in flight on other threads, which may end in any order. Called on the caller's thread, which is
     * the only thread until then.
     */
    public void expectOtherThreads() {
        concurrent = true;
    }

    /**
     * Notes that this rank has finished an operation, and stores the left word if all operations before it are
     * finished, too.
     */
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

    /**
     * Returns the number below which this rank has left all operations; {@link #ALL} or more if it begins no further
     * one.
     */
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
     * Leaves all operations of a communicator that is broken or closed: immediately, or when those in flight have
     * ended.
     *
     * @param ended the number of drawn operations that were not left, and never will be
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
     * Returns the number of operations that a rank has left one by one, from its left word. If the rank has left all
     * operations, this is less than the word, so that no rank runs ahead of it for ever.
     */
    static long done(long leftThere) {
        return leftThere & DETACHED - 1;
    }

    /** Returns a number below which all ranks of this node have left all operations. */
    public long closed() {
        return closed;
    }

    /** Returns whether all ranks of this node have left an operation, as far as this rank knows without looking. */
    public boolean isKnownClosed(long operation) {
        return closed > operation;
    }

    /** Looks for a rank of this node that has not left an operation, or returns {@link #NOBODY}. */
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

    /**
     * Returns whether operations that a rank has not left may never be closed, because the communicator is broken or
     * soon will be.
     */
    boolean isBroken(Machine machine, int behind) {
        return machine.load(ring, RingLayout.BROKEN) != 0 || members.failure(behind) != null;
    }

    /** Returns the name of a rank of this communicator, for messages of another communicator. */
    String describe(int rank) {
        return members.describe(rank);
    }

    /**
     * Sets the number below which all operations are closed. Threads may set it in the wrong order; then a rank finds
     * it again when it looks, as long as there is a block to look at.
     */
    public void setClosed(long operation) {
        closed = operation;
        if (detached) {
            closed = Long.MAX_VALUE;
        }
    }

    /** Sets all operations closed: this rank never looks at left words again. */
    public void setDetached() {
        detached = true; // set first, so that a thread that stores an older number afterwards sees it
        closed = Long.MAX_VALUE;
    }

    /** Returns a number below which all ranks of another node are known to have left all operations. */
    public long leftElsewhere(int node) {
        AtomicLongArray known = leftElsewhere;
        return known == null ? leftEverywhere : Math.max(leftEverywhere, known.getAcquire(node));
    }

    /**
     * Notes that all ranks of another node have left all operations below a number. Threads may do so in the wrong
     * order; then the other node is asked again.
     */
    public void raiseLeftElsewhere(Machine machine, int node, long operation) {
        if (leftElsewhere == null) {
            makeTable(machine);
        }
        if (leftElsewhere.getPlain(node) < operation) {
            leftElsewhere.setRelease(node, operation);
        }
    }

    /** Makes the table of the nodes, which only some of the ranks that put to other nodes need. */
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
     * Sets whether all ranks are known to have joined, so that the blocks of all nodes are or were there. That is not
     * known of a group that is being made.
     */
    public void setComplete(boolean all) {
        complete = all;
    }

    /** Returns whether all ranks are known to have joined. */
    public boolean isComplete() {
        return complete;
    }

    /** Notes that all ranks of all nodes have left all operations below a number. */
    public void raiseLeftEverywhere(long operation) {
        if (leftEverywhere < operation) {
            leftEverywhere = operation;
        }
    }

    /** Notes that the rank leaves its job, so that operations in flight end with an exception. */
    public void end() {
        ended = true;
    }

    /** Returns whether the rank leaves its job, or has left it. */
    public boolean hasEnded() {
        return ended;
    }
}
