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
 * Holds the state that all operations of a communicator share at one rank, on whatever threads they run. The state
 * consists of the numbers that calls have drawn for their operations, the history of calls, the operations that this
 * rank has left, and the operations that other ranks are known to have left. A rank has one such object for each
 * communicator. The object is made with the rank's first team, and lives as long as the communicator.
 *
 * <p>Numbers and history are drawn on the caller's thread, so they follow the order of the calls. Operations may be
 * finished in any order. The <i>left</i> word of a rank is cumulative: it holds the number of the first operation that
 * the rank has not finished. An operation is <i>closed</i> when all ranks of the node have left it. Operation s begins
 * only when some operation s − k is closed, with k at most {@value RingLayout#SLOTS_MAX}. Hence 64 bits suffice to mark
 * the finished operations beyond the left word.
 *
 * <p><b>Leaving all operations.</b> If a communicator is broken, or the rank closes it, the rank leaves all operations,
 * drawn or not: it adds {@value #ALL} to its left word. The sum is stored once no drawn operation is in flight, so
 * possibly by the thread that ends the last one. A thread that is about to begin an operation reads the left word under
 * the lock. If the rank has left all operations by then, the thread does not begin. Otherwise the thread that leaves
 * all operations takes the same lock later. It sees that the operation is drawn and not finished, and does not add
 * {@value #ALL} to the word. The end of that operation does so. If the rank has no other threads, no other operation is
 * in flight.
 *
 * <p><b>Memory ordering.</b> Once there are other threads, finishing an operation takes a lock. Hence everything that
 * this rank did in the operations below the left word happens before the word's release store, whichever thread makes
 * that store. A thread learns about other ranks by acquire loads of their words. It then stores, with release order,
 * which operations they have left, and other threads load that with acquire order.
 *
 * <p>Each thread passes its own machine to the methods. The methods take the lock through the machine, so that the
 * simulator can let other threads run first there.
 */
public final class OperationSequence {
    /** The greatest number of non-blocking operations of a communicator that may have begun and not ended. */
    public static final int AT_ONCE_MAX = RingLayout.SLOTS_MIN;

    /** The value that stands for no rank. */
    public static final int NOBODY = -1;

    /**
     * The number that a rank adds to its left word when it has left all operations. It is greater than the number of
     * any operation.
     */
    public static final long ALL = 1L << 62;

    /** The number that a rank also adds to its left word when it will no longer access the communicator's memory. */
    public static final long DETACHED = 1L << 61;

    /**
     * For each rank of the communicator, the number of the last group that this rank has made together with that rank.
     * The array has entries only for ranks that have a bit of their own in {@link GroupLine}. It is empty before the
     * first group.
     */
    long[] lastMade = {};

    /** The number of the group that this rank is making from this communicator, or 0. */
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
     * Creates the state of a communicator's operations at a rank, when the rank's first team is made.
     *
     * @param members the lives of the communicator's ranks: which of them have failed or left the job
     * @param ring the communicator's block, the memory of its operations on this node
     * @param firstLeft the offset in the block of the left words of the node's ranks, a cache line for each rank
     * @param localRanks the ranks of the node, in ascending order
     * @param localRank the index of this rank in {@code localRanks}
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

    /**
     * Draws the numbers of a call's operations, and adds the operations to the history, the hash of all calls.
     *
     * @param call the hash of the call's arguments
     * @param operations the number of operations that the call consists of, 1 or more
     * @return the number of the first operation; the others follow it
     */
    public long draw(long call, long operations) {
        for (long operation = 0; operation < operations; operation++) {
            history = Fingerprint.extend(history, call);
        }
        assert operations > 0 : "a call of " + operations + " operations";
        long first = drawn;
        drawn += operations;
        return first;
    }

    /** Returns the number of operations that have drawn a number. The next operation will get this number. */
    public long drawn() {
        return drawn;
    }

    /** Returns the fingerprint, a hash, of all calls that have drawn numbers. */
    public long history() {
        return history;
    }

    /** Returns the guard that detects two blocking calls of the rank at the same time. */
    public SingleThreadGuard blocking() {
        return blocking;
    }

    /**
     * Returns a number below which a rank has left all operations, computed from one operation that the rank is in. A
     * quiet rank has left all operations before this one. Any other rank has begun operation s only when operation s −
     * n was closed, where n is the number of slots. It has therefore left all operations up to s − n. It may have a
     * request in flight that is almost n operations older.
     *
     * @param operation the number of the operation that the rank is in
     * @param quiet whether the rank is quiet
     * @param slots the number of slots of the communicator, n
     */
    public static long leftBy(long operation, boolean quiet, long slots) {
        return quiet ? operation : operation - slots + 1;
    }

    /**
     * Prepares this object for operations on other threads, which may end in any order. The caller's thread must be the
     * only thread until then.
     */
    public void expectOtherThreads() {
        concurrent = true;
    }

    /**
     * Notes that this rank has finished an operation. If all operations before it are finished too, stores in the left
     * word, for other ranks, how many operations this rank has left.
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
     * Returns the number below which this rank has left all operations. The number is {@link #ALL} or more if the rank
     * has left all operations for good, and begins no further operation.
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
     * Leaves all operations of a communicator that is broken or closed, so that this rank begins no further operation.
     * If drawn operations are in flight, this takes effect when they have ended.
     *
     * @param ended the number of operations that the caller has drawn, and that will never be left one by one
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
     * Returns the number of operations that a rank has left one by one, as its left word tells. If the rank has left
     * all operations, this number is less than the word. Otherwise a reader of the word would believe that it may run
     * ahead without limit.
     *
     * @param leftThere the rank's left word
     */
    static long done(long leftThere) {
        return leftThere & DETACHED - 1;
    }

    /** Returns a number below which all operations are closed: all ranks of this node have left them. */
    public long closed() {
        return closed;
    }

    /** Returns whether an operation is known to be closed, without a look at other ranks' left words. */
    public boolean isKnownClosed(long operation) {
        return closed > operation;
    }

    /**
     * Returns a rank of this node that has not left an operation, although its process has not ended. Returns {@link
     * #NOBODY} if there is none, so that the operation is closed.
     */
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
     * Returns whether operations that a rank has not left may never be closed. This is the case if the communicator is
     * broken, or will be broken soon because that rank has failed or left.
     *
     * @param behind the rank that has not left the operations
     */
    boolean isBroken(Machine machine, int behind) {
        return machine.load(ring, RingLayout.BROKEN) != 0 || members.failure(behind) != null;
    }

    /** Returns the name of a rank of this communicator, for messages of a call on another communicator. */
    String describe(int rank) {
        return members.describe(rank);
    }

    /**
     * Sets the number below which all operations are closed, that is, left by all ranks of this node. Threads may call
     * this in the wrong order, so that the number falls. A rank then finds the greater number again when it reads the
     * left words, as long as there is a block to read.
     */
    public void setClosed(long operation) {
        closed = operation;
        if (detached) {
            closed = Long.MAX_VALUE;
        }
    }

    /** Marks all operations as closed, because this rank never reads left words again. */
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
     * Notes that all ranks of another node have left all operations below a number. Threads may call this in the wrong
     * order, so that the number falls. This rank then asks the other node again when it needs the number.
     */
    public void raiseLeftElsewhere(Machine machine, int node, long operation) {
        if (leftElsewhere == null) {
            makeTable(machine);
        }
        if (leftElsewhere.getPlain(node) < operation) {
            leftElsewhere.setRelease(node, operation);
        }
    }

    /** Creates the table of what other nodes have left, which only ranks that put to other nodes need. */
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
     * Sets whether all ranks are known to have joined the communicator. If they have, every node has its block of the
     * communicator. While a group is being made this is not known.
     */
    public void setComplete(boolean all) {
        complete = all;
    }

    /** Returns whether all ranks are known to have joined the communicator. */
    public boolean isComplete() {
        return complete;
    }

    /** Notes that all ranks of all nodes have left all operations below a number. */
    public void raiseLeftEverywhere(long operation) {
        if (leftEverywhere < operation) {
            leftEverywhere = operation;
        }
    }

    /** Notes that this rank leaves its job, so that operations in flight end with an exception. */
    public void end() {
        ended = true;
    }

    /** Returns whether this rank is leaving its job, or has left it. */
    public boolean hasEnded() {
        return ended;
    }
}
