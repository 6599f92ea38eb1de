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
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.TeamContext;
import org.tutti.memory.CallSite;
import org.tutti.memory.LongWait;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;

/**
 * The creation of a group at one of its ranks, which is a blocking call of the parent: the communicator that the group
 * is made from. Ranks that are not in the group take no part in it.
 *
 * <ol>
 * <li><b>Begin</b> ({@link #begin}). The rank makes one group of a communicator at a time.
 * <li><b>Find the block</b> ({@link #findBlock}). The group's master on each node, its first rank there, claims the
 * block in which the group's operations live, and says so in its {@linkplain GroupLine line} of the parent. The other
 * members on the node look there for the group's number.
 * <li><b>Join</b> ({@link #join}). The rank has its team of the group. Other members may not have theirs, and the
 * blocks of other nodes may not be there.
 * <li><b>Complete</b> ({@link #complete}). All members have joined, as a barrier has told: the group's first operation,
 * or an operation of the parent ({@link #allowCallOfParent}). The line may be used for the next group.
 * </ol>
 *
 * <p>A failure before the group is complete breaks the parent, so that members that have not joined hear of it; {@link
 * #failure} and {@link #look} tell the members that wait in the group's first operation.
 *
 * <p><b>Mismatches.</b> A rank that makes a group says which ranks are in it. If two members wait for each other and
 * say different numbers, they make different groups, and neither can go on. A rank cannot go on either if it waits for
 * this one in a blocking operation of the parent that this one has not begun.
 */
public final class GroupCreation {
    private enum State {
        NEW, BEGUN, FOUND, JOINED, COMPLETE
    }

    private final TeamContext parent;
    private final Machine machine;
    private final String called;
    private final long deadlineNanos;
    private final long id;
    private final int[] ranks;
    private final long ownLine;
    private long lookedAt;
    private State state = State.NEW;
    private boolean isInsideParent;
    private TeamContext group;

    /**
     * Prepares the creation of a group.
     *
     * @param parent the communicator that the group is made from
     * @param called the name of the call, for messages
     * @param id the group's number, not 0
     * @param ranks for each rank of the group, its rank in the parent
     * @param deadlineNanos when the call must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE}
     *            for never
     */
    public GroupCreation(TeamContext parent, String called, long id, int[] ranks, long deadlineNanos) {
        this.parent = parent;
        this.machine = parent.machine;
        this.called = called;
        this.id = id;
        this.ranks = ranks;
        this.deadlineNanos = deadlineNanos;
        this.ownLine = parent.layout.left(parent.localRank);
    }

    private void moveTo(State next) {
        assert next.ordinal() == state.ordinal() + 1 : "from " + state + " to " + next;
        state = next;
    }

    /**
     * Begins the creation.
     *
     * @throws org.tutti.TuttiException when the parent cannot be used any more
     */
    public void begin() {
        parent.checkIdle(called);
        RuntimeException failure = failure(-1);
        if (failure != null) {
            throw failure;
        }
        moveTo(State.BEGUN);
        enterParent();
        parent.operations.making = id;
    }

    /**
     * Ends the call, whether or not the group is complete.
     */
    public void leave() {
        leaveParent();
        parent.operations.making = 0;
    }

    private void enterParent() {
        parent.operations.blocking().enter(called);
        isInsideParent = true;
    }

    private void leaveParent() {
        if (isInsideParent) { // else another thread may be inside
            isInsideParent = false;
            parent.operations.blocking().leave();
        }
    }

    /**
     * Says that this rank makes the group. The master also claims the group's block; another rank waits until the
     * master has done so. If the master fails before it has told the block's address, it gives the block back, because
     * no other rank knows the block.
     *
     * @param memory the memory of the node
     * @param master the group's first rank on this node, as a rank of the parent
     * @param bytes the block's length
     * @param opener opens the block at an address to other nodes, at the master
     * @return the block's address
     */
    public long findBlock(Memory memory, int master, long bytes, LongConsumer opener) {
        moveTo(State.FOUND);
        boolean isMaster = master == parent.rank;
        assert parent.operations.making == id : "group " + id + " is made inside group " + parent.operations.making;
        long address = isMaster ? claim(memory, bytes, opener) : 0;
        GroupLine.write(machine, parent.ring, ownLine, id, address, parent.operations.drawn(), ranks);
        if (isMaster) {
            return address;
        }
        long line = parent.layout.left(parent.localRankHere(master));
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
     * Notes that this rank has its team of the group.
     *
     * @param context the group at this rank
     */
    public void join(TeamContext context) {
        moveTo(State.JOINED);
        group = context;
        group.operations.setComplete(false);
    }

    /**
     * Lets this rank, which has joined, call an operation of the parent that no member ends before all members have
     * called it. Afterwards all members have joined. In the operation this rank waits for members that are still on the
     * way to it.
     */
    public void allowCallOfParent() {
        assert state == State.JOINED : state;
        leaveParent();
    }

    /**
     * Notes that all members have joined.
     */
    public void complete() {
        moveTo(State.COMPLETE);
        group.operations.setComplete(true);
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
            // read before the look for a failure, because a failure may be the reason why the master has left all
            boolean closed = machine.load(parent.ring, line) >= OperationSequence.ALL;
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
     * Looks for a reason not to wait for a rank of the group in its first operation: a failure that the parent knows,
     * or that the rank makes another group of which this rank is a member, too.
     *
     * @param awaited the rank of the group, or −1
     * @return the exception to throw, or null
     */
    public RuntimeException failure(int awaited) {
        return failureAt(awaited < 0 ? -1 : ranks[awaited]);
    }

    private RuntimeException failureAt(int awaited) {
        if (parent.operations.hasEnded()) {
            return new RankFailedException(parent.members.rankInJob(parent.rank),
                    parent.describe() + " left its job while it was inside " + called);
        }
        RuntimeException left = parent.members.failure(awaited);
        RuntimeException failure = parent.members.failure(-1);
        long broken = machine.load(parent.ring, RingLayout.BROKEN);
        if (failure != null || broken != 0) { // the rank that has left may have told why
            return failure != null ? failure : Breakage.exception(broken, parent.members, cannotGoOn());
        }
        int local = awaited < 0 ? -1 : parent.localRankHere(awaited);
        return left != null || local < 0 ? left : mismatch(awaited, parent.ring, parent.layout.left(local));
    }

    /**
     * Looks for a reason not to wait for a rank on another node.
     *
     * @param awaited the rank of the group
     * @param check may end the look by throwing
     * @return the exception to throw, or null
     */
    public RuntimeException look(int awaited, Waiter.Check check) {
        if (parent.getLeftLine(ranks[awaited], check) != Machine.Reply.GIVEN) {
            return null;
        }
        long before = lookedAt;
        lookedAt = machine.load(parent.fetched, RingLayout.GROUP);
        // a get may bring parts of two groups, one after the other; if the next get brings the same, it is one group
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
