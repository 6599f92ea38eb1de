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
 * Creates a group of ranks at one of its members. The creation is a blocking call of the parent, the communicator from
 * which the group is created. Only the members of the group take part. The rank calls these methods in order:
 *
 * <ol>
 * <li><b>Begin</b> ({@link #begin}). The rank creates at most one group of a communicator at a time.
 * <li><b>Find the block</b> ({@link #findBlock}). On each node the group's master, its first rank there, allocates the
 * block, the shared memory of the group's operations. The master writes the group's number and the block's address into
 * its {@linkplain GroupLine line}, a cache line of the parent's block. The other members on the node wait until the
 * master's line holds the group's number.
 * <li><b>Join</b> ({@link #join}). The rank has created its team of the group. Other members may not have created their
 * teams, and the blocks of other nodes may not exist yet.
 * <li><b>Complete</b> ({@link #complete}). All members have joined. The rank knows this because a barrier has ended.
 * The barrier is the group's first operation, or an operation of the parent ({@link #allowCallOfParent}). The rank can
 * then use its line for the next group.
 * </ol>
 *
 * <p>A failure before the group is complete breaks the parent, so that members that have not joined see the failure.
 * Members that wait in the group's first operation check the parent through {@link #failure} and {@link #look}.
 *
 * <p><b>Mismatches.</b> A rank that creates a group writes the group's number and members into its line. If two members
 * wait for each other and their lines hold different numbers, they create different groups, and neither can go on. The
 * same holds if one member waits for the other in a blocking operation of the parent, while the other creates a group
 * of both and has not begun that operation.
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
     * Prepares the creation of a group at this rank.
     *
     * @param parent the communicator from which the group is created
     * @param called the name of the call, for messages
     * @param id the group's number, not 0
     * @param ranks for each rank of the group, its rank in the parent
     * @param deadlineNanos the time at which the call must have ended, as a value of {@link System#nanoTime()}, or
     *            {@link Long#MAX_VALUE} if there is no deadline
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
     * Begins the creation of the group. It is a blocking call of the parent until {@link #leave} is called.
     *
     * @throws org.tutti.TuttiException if the parent cannot be used any more
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
     * Ends the blocking call of the parent, whether or not the group is complete.
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
     * Announces that this rank takes part in creating the group, and returns the address of the group's block of
     * memory. The master allocates the block. Another rank waits until the master has announced the block's address. If
     * the master fails before that, it releases the block, because no other rank knows the block.
     *
     * @param memory the memory of the node
     * @param master the group's first rank on this node, as a rank of the parent
     * @param bytes the block's length in bytes
     * @param opener an action that registers the block at an address, so that other nodes can put into it; only the
     *            master runs it
     * @return the block's address in the node's memory
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
     * Records that this rank has created its team of the group.
     *
     * @param context the group at this rank
     */
    public void join(TeamContext context) {
        moveTo(State.JOINED);
        group = context;
        group.operations.setComplete(false);
    }

    /**
     * Lets this rank call an operation of the parent, such as a barrier, although the creation itself is a blocking
     * call of the parent. The rank must have joined. The operation must be one that no member ends before all members
     * have called it, so that all members have joined when it ends. In the operation this rank may wait for members
     * that have not yet joined. This method ends the blocking call early; {@link #leave} must still be called at the
     * end.
     */
    public void allowCallOfParent() {
        assert state == State.JOINED : state;
        leaveParent();
    }

    /**
     * Records that all members have joined, so that the group is complete, and clears this rank's line.
     */
    public void complete() {
        moveTo(State.COMPLETE);
        group.operations.setComplete(true);
        GroupLine.noteMade(parent, id, ranks);
        GroupLine.clear(machine, parent.ring, ownLine);
    }

    /** The wait of a rank until the group's master on its node has allocated the block. */
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
     * Returns the reason why a wait for a rank of the group must end, if there is one. Ranks ask for it in the group's
     * first operation. The reason is a failure that the parent knows, or that the awaited rank creates another group of
     * which this rank is also a member.
     *
     * @param awaited the awaited rank of the group, or −1 if the caller waits for no certain rank
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
     * Returns the reason why a wait for a rank on another node must end, if there is one. This method gets the line in
     * which the awaited rank announces the group that it creates, and checks whether that is another group.
     *
     * @param awaited the awaited rank of the group
     * @param check a check that may end this call by throwing
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
