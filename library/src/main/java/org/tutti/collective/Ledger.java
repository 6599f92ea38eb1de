/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.Collective;
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
 * <p>Memory ordering: finishing an operation takes a lock, once there are other threads, so all that this rank did in
 * the operations below the left word happens before the word's release store, whichever thread makes it. What is known
 * of others is stored with release order after the acquire loads that it comes from, and loaded with acquire order.
 *
 * <p>Each thread does things with its own machine, through which it takes the lock, too: so the simulator can let
 * others go first there.
 */
final class Ledger {
    /** How many non-blocking operations may be between their first and their last step at once. */
    static final int AT_ONCE_MAX = RingLayout.SLOTS_MIN;

    static final int NOBODY = -1;

    private final MemorySegment ring;
    private final long firstLeft;
    private final long leftOffset;
    private final int[] localRanks;
    private final int nodes;
    private final Lock lock = new ReentrantLock();
    private volatile AtomicLongArray leftElsewhere;
    private volatile long leftEverywhere;

    private long drawn;
    private long history;
    private Collective blocking;

    private boolean concurrent;
    private long left;
    private long finished;
    private volatile long closed;
    private volatile boolean ended;

    /**
     * @param ring the communicator's block
     * @param firstLeft where the left words of the node's ranks begin there, a line for each
     * @param localRanks these ranks
     * @param localRank whose ledger it is, by its place among them
     * @param nodes how many nodes the communicator has
     */
    Ledger(MemorySegment ring, long firstLeft, int[] localRanks, int localRank, int nodes) {
        this.ring = ring;
        this.firstLeft = firstLeft;
        this.leftOffset = firstLeft + (long) localRank * Words.LINE_BYTES;
        this.localRanks = localRanks;
        this.nodes = nodes;
    }

    /** Adds the operations of a call to the history, and returns the number of the first. */
    long draw(long call, long operations) {
        for (long operation = 0; operation < operations; operation++) {
            history = Descriptor.extend(history, call);
        }
        long first = drawn;
        drawn += operations;
        return first;
    }

    /** The fingerprint of all calls that were drawn. */
    long history() {
        return history;
    }

    /** The blocking call that the rank is in, or null: two at once are a mistake, noticed at best effort. */
    Collective blocking() {
        return blocking;
    }

    void setBlocking(Collective called) {
        blocking = called;
    }

    /**
     * Says what a rank's being in an operation tells of it: it has left all operations before the one returned. A quiet
     * rank has nothing else in flight; any other one may be in up to {@value RingLayout#SLOTS_MIN} at a time.
     */
    static long leftBy(long operation, boolean quiet) {
        return quiet ? operation : operation - RingLayout.SLOTS_MIN + 1;
    }

    /**
     * From now on operations may be in flight on other threads. Called on the caller's thread, which is the only one
     * before; other threads are started afterwards.
     */
    void expectOtherThreads() {
        concurrent = true;
    }

    /** Takes note that this rank has finished an operation, and says so if all before it are finished, too. */
    void leave(Machine machine, long operation) {
        if (concurrent) {
            leaveInAnyOrder(machine, operation);
        } else {
            left = operation + 1;
            machine.store(ring, leftOffset, left);
        }
    }

    private void leaveInAnyOrder(Machine machine, long operation) {
        machine.lock(lock);
        try {
            finished |= 1L << (operation - left);
            int more = Long.numberOfTrailingZeros(~finished);
            if (more > 0) {
                left += more;
                finished = more == Long.SIZE ? 0 : finished >>> more;
                machine.store(ring, leftOffset, left);
            }
        } finally {
            machine.unlock(lock);
        }
    }

    /** Whether this rank has finished all operations before one. */
    boolean hasLeftAllBefore(Machine machine, long operation) {
        return concurrent ? hasLeftInAnyOrder(machine, operation) : left >= operation;
    }

    private boolean hasLeftInAnyOrder(Machine machine, long operation) {
        machine.lock(lock);
        try {
            return left >= operation;
        } finally {
            machine.unlock(lock);
        }
    }

    /** All operations below have been left by all ranks of this node. */
    long closed() {
        return closed;
    }

    /** Whether all ranks of this node have left an operation, as far as this one knows without looking. */
    boolean isKnownClosed(long operation) {
        return closed > operation;
    }

    /** Looks for a rank of this node that has not left an operation yet, or returns {@link #NOBODY}. */
    int behind(Machine machine, long operation) {
        if (isKnownClosed(operation)) {
            return NOBODY;
        }
        long least = Long.MAX_VALUE;
        for (int each = 0; each < localRanks.length; each++) {
            long leftThere = machine.load(ring, firstLeft + (long) each * Words.LINE_BYTES);
            if (leftThere <= operation) {
                return localRanks[each];
            }
            least = Math.min(least, leftThere);
        }
        setClosed(least);
        return NOBODY;
    }

    /** Whether the communicator is broken: its operations may never be closed. */
    boolean isBroken(Machine machine) {
        return machine.load(ring, RingLayout.BROKEN) != 0;
    }

    /** Threads may set it in the wrong order: then it is found again by looking. */
    void setClosed(long operation) {
        closed = operation;
    }

    /** All operations below have been left by all ranks of another node. */
    long leftElsewhere(int node) {
        AtomicLongArray known = leftElsewhere;
        return known == null ? leftEverywhere : Math.max(leftEverywhere, known.getAcquire(node));
    }

    /** Threads may raise it in the wrong order: then it is asked for again. */
    void raiseLeftElsewhere(Machine machine, int node, long operation) {
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
                leftElsewhere = new AtomicLongArray(nodes);
            }
        } finally {
            machine.unlock(lock);
        }
    }

    /** Takes note of all nodes at once. */
    void raiseLeftEverywhere(long operation) {
        if (leftEverywhere < operation) {
            leftEverywhere = operation;
        }
    }

    /** The rank leaves its job: operations in flight are to end. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }
}
