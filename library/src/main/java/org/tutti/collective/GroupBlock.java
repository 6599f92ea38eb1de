/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.CallInterruptedException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.DeadlineExceededException;
import org.tutti.memory.Memory;

/**
 * How those ranks of a new group that are on one node find the block in which its operations live. The group's master
 * there, its first rank, claims the block, and says so in its line of the communicator that the group is made from; the
 * others look there for the group's number. Ranks that are not in the group have no part in it.
 *
 * <p>The line is used again for the next group only when all of this one have found the block: the group is made when
 * all its ranks have been in its first operation, and a rank makes one group of a communicator at a time.
 *
 * <p>Memory ordering: the block's zeros and its address are written before the group's number is stored, with release
 * order, and read after that was loaded, with acquire order.
 */
public final class GroupBlock {
    private final Team parent;
    private final Machine machine;
    private final String called;
    private final long deadlineNanos;

    /**
     * @param parent the communicator that the group is made from
     * @param called by which call, for messages
     * @param deadlineNanos when the call must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            for never
     */
    public GroupBlock(Team parent, String called, long deadlineNanos) {
        this.parent = parent;
        this.machine = parent.machine;
        this.called = called;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Claims the block, at the master, or waits until the master has.
     *
     * @param memory the node's
     * @param id the group's number
     * @param master the group's first rank on this node, as a rank of the parent
     * @param bytes the block's size
     * @return its address
     */
    public long claimOrFind(Memory memory, long id, int master, long bytes) {
        long line = parent.layout.left(parent.localRankOf(master));
        if (master == parent.rank) {
            long address = memory.claim(bytes, "the slots of a group");
            machine.storePlain(parent.ring, line + RingLayout.GROUP_ADDRESS, address);
            machine.store(parent.ring, line + RingLayout.GROUP, id);
            return address;
        }
        for (int turn = 0; machine.load(parent.ring, line + RingLayout.GROUP) != id; turn++) {
            check(master, line);
            machine.pause(turn);
        }
        return machine.loadPlain(parent.ring, line + RingLayout.GROUP_ADDRESS);
    }

    private void check(int master, long line) {
        boolean closed = machine.load(parent.ring, line) >= Ledger.ALL; // before why it may have left all
        RuntimeException failure = parent.failureIn(called, master);
        if (failure != null) {
            throw failure;
        }
        if (closed) {
            throw new CommunicatorBrokenException(parent.describe() + " cannot go on with " + called + ": "
                    + parent.members.describe(master) + " has closed the communicator");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(parent.describe() + " was interrupted in " + called
                    + " while it waited for " + parent.members.describe(master)
                    + "; the communicator cannot be used any more");
        }
        if (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            throw new DeadlineExceededException(parent.describe() + " passed its deadline in " + called
                    + " while it waited for " + parent.members.describe(master)
                    + "; see what that rank does, or allow more time");
        }
    }
}
