/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.communicator;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongConsumer;

import org.tutti.CollectiveMismatchException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.RankFailedException;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.Breakage;
import org.tutti.collective.members.WaitGuard;
import org.tutti.collective.operation.GroupLine;
import org.tutti.collective.operation.Ledger;
import org.tutti.collective.operation.TeamContext;
import org.tutti.memory.CallSite;
import org.tutti.memory.LongWait;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;

/**
 * How those ranks of a new group that are on one node find the block in which its operations live. The group's master
 * there, its first rank, claims the block, and says so in its line of the communicator that the group is made from; the
 * others look there for the group's number. Ranks that are not in the group have no part in it.
 *
 * <p>The line is used again for the next group only when all of this one have found the block: the group is made when
 * all its ranks have been in its first operation, and a rank makes one group of a communicator at a time.
 *
 * <p>Memory ordering: the block's zeros and its address are written before the group's number is stored, with release
 * order, and read after that was loaded, with acquire order. The number is no word: it is 0 when the rank makes no
 * group. No other group has the same one, so who finds it as before has read what belongs to it.
 *
 * <p><b>Mismatches.</b> A rank that makes a group says which ranks are in it, of the first 255 of the parent, and
 * with one bit more whether others are. Two that
 * wait for each other and say different numbers make different groups, and neither can go on; nor can one that waits
 * for this one in a blocking operation of the parent that the other has not begun.
 */
public final class GroupBlock {
    private final TeamContext parent;
    private final Machine machine;
    private final String called;
    private final long deadlineNanos;
    private final long id;
    private final int[] ranks;
    private final long ownLine;
    private long lookedAt;

    /**
     * @param parent the communicator that the group is made from
     * @param called by which call, for messages
     * @param id the group's number, not 0
     * @param ranks for each rank of the group that of the parent
     * @param deadlineNanos when the call must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            for never
     */
    public GroupBlock(TeamContext parent, String called, long id, int[] ranks, long deadlineNanos) {
        this.parent = parent;
        this.machine = parent.machine;
        this.called = called;
        this.id = id;
        this.ranks = ranks;
        this.deadlineNanos = deadlineNanos;
        this.ownLine = parent.layout.left(parent.localRank);
    }

    /**
     * Begins to make the group, which is a blocking call of the parent.
     *
     * @throws org.tutti.TuttiException when the parent cannot be used any more
     */
    public void begin() {
        parent.checkIdle(called);
        RuntimeException failure = failure(-1);
        if (failure != null) {
            throw failure;
        }
        parent.ledger.blocking().enter(called);
        parent.ledger.making = id;
    }

    /**
     * Lets this rank call an operation of the parent in which all members come together, when its block is there and
     * open to others: afterwards all are. Others may still be on the way to that operation, and are waited for in it.
     */
    public void comeTogether() {
        parent.ledger.blocking().leave();
    }

    /**
     * Ends the call, whether or not the group was made.
     */
    public void leave() {
        parent.ledger.blocking().leave();
        parent.ledger.making = 0;
    }

    /**
     * Says that this rank makes the group, and claims its block, at the master, or waits until the master has. What
     * fails at the master before it has said so gives the block back, as nobody knows it.
     *
     * @param memory the node's
     * @param master the group's first rank on this node, as a rank of the parent
     * @param bytes the block's size
     * @param opener lets other nodes reach the block at an address, at the master
     * @return its address
     */
    public long claimOrFind(Memory memory, int master, long bytes, LongConsumer opener) {
        boolean isMaster = master == parent.rank;
        long address = isMaster ? claim(memory, bytes, opener) : 0;
        GroupLine.write(machine, parent.ring, ownLine, id, address, parent.ledger.drawn(), ranks);
        if (isMaster) {
            return address;
        }
        long line = parent.layout.left(parent.localRankOf(master));
        Waiter.Check check = new MasterWait(master, line);
        try (var wait = new LongWait()) {
            for (int turn = 0; machine.load(parent.ring, line + RingLayout.GROUP) != id; turn++) {
                check.check();
                wait.turn(check);
                machine.pause(turn);
            }
        }
        return machine.load(parent.ring, line + RingLayout.GROUP_ADDRESS);
    }

    private static long claim(Memory memory, long bytes, LongConsumer opener) {
        long address = memory.claim(bytes, "the slots of a group");
        boolean opened = false;
        try {
            opener.accept(address);
            opened = true;
        } finally {
            if (!opened) {
                memory.release(address, bytes);
            }
        }
        return address;
    }

    /**
     * Says that this rank has made the group.
     */
    public void end() {
        GroupLine.noteMade(parent, id, ranks);
        GroupLine.clear(machine, parent.ring, ownLine);
    }

    /** The wait for the group's master on this node, which has to claim the block. */
    private final class MasterWait extends WaitGuard {
        private final int master;
        private final long line;

        MasterWait(int master, long line) {
            super(parent.members, parent.rank);
            this.master = master;
            this.line = line;
        }

        @Override
        protected boolean checkOthers() {
            boolean closed = machine.load(parent.ring, line) >= Ledger.ALL; // before why it may have left all
            RuntimeException failure = failureAt(master);
            if (failure != null) {
                throw failure;
            }
            if (closed) {
                throw new CommunicatorBrokenException(members.rankInJob(master),
                        cannotGoOn() + awaited() + " has closed the communicator");
            }
            return true;
        }

        @Override
        protected String called() {
            return called;
        }

        @Override
        protected String awaited() {
            return members.describe(master);
        }

        @Override
        protected long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public WaitingCall call() {
            return new WaitingCall(members.job(), members.rankInJob(rank), called, members.communicator(), 0,
                    members.rankInJob(master));
        }
    }

    private String cannotGoOn() {
        return parent.describe() + " cannot go on with " + called + ": ";
    }

    /**
     * Looks for a reason not to wait for a rank of the group in its first operation: what the parent knows, or that the
     * rank makes another group, which this one is in, too.
     *
     * @param awaited the rank of the group, or −1
     * @return the exception to throw, or null
     */
    public RuntimeException failure(int awaited) {
        return failureAt(awaited < 0 ? -1 : ranks[awaited]);
    }

    private RuntimeException failureAt(int awaited) {
        if (parent.ledger.hasEnded()) {
            return new RankFailedException(parent.members.rankInJob(parent.rank),
                    parent.describe() + " left its job while it was inside " + called);
        }
        RuntimeException left = parent.members.failure(awaited);
        RuntimeException failure = parent.members.failure(-1);
        long broken = machine.load(parent.ring, RingLayout.BROKEN);
        if (failure != null || broken != 0) { // who has left may have said before why
            return failure != null ? failure : Breakage.exception(broken, parent.members, cannotGoOn());
        }
        int local = awaited < 0 ? -1 : parent.localRankOf(awaited);
        return left != null || local < 0 ? left : mismatch(awaited, parent.ring, parent.layout.left(local));
    }

    /**
     * Looks for a reason not to wait for a rank on another node.
     *
     * @param awaited the rank of the group
     * @param check what may end the look, by throwing
     * @return the exception to throw, or null
     */
    public RuntimeException look(int awaited, Waiter.Check check) {
        if (parent.getLeftLine(ranks[awaited], check) != Machine.Reply.GIVEN) {
            return null;
        }
        long before = lookedAt;
        lookedAt = machine.load(parent.fetched, RingLayout.GROUP);
        // what a get brings may be of two groups, one after the other; what is the same the next time is of one
        return before == lookedAt ? mismatch(ranks[awaited], parent.fetched, 0) : null;
    }

    private RuntimeException mismatch(int other, MemorySegment memory, long line) {
        long made = machine.load(memory, line + RingLayout.GROUP);
        return made == 0 || made == id || !GroupLine.isAwaited(parent, other, made, memory, line) ? null
                : new CollectiveMismatchException(
                        parent.describe() + " called " + called + CallSite.here() + " for ranks "
                                + Arrays.toString(ranks) + ", but " + parent.members.describe(other)
                                + " makes another group, of "
                                + GroupLine.ranks(machine, memory, line)
                                + " in some order; all members must give the same list",
                        true);
    }
}
