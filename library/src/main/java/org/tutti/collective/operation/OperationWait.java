/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;

import org.tutti.CollectiveMismatchException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.RankFailedException;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.Breakage;
import org.tutti.collective.members.WaitGuard;
import org.tutti.memory.CallSite;
import org.tutti.memory.LongWait;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;

/**
 * The waits of a rank in an operation. In a wait, the rank waits until another rank has raised a word to a value. A
 * wait ends when the word has that value, or with an exception if the word will never have it or the call must stop. A
 * team, the object that runs a rank's operations, has one such object, which its parts share. While a rank waits, the
 * waiter calls {@link #check} now and then. The check throws if
 * <ul>
 * <li>this rank has left its job,
 * <li>the job was aborted, or any rank of the communicator has failed,
 * <li>the communicator is broken,
 * <li>the awaited rank has left the job, has closed the communicator, or has called something else,
 * <li>the awaited rank makes a group of the communicator and waits for this rank to do the same,
 * <li>the thread is interrupted, or the deadline has passed.
 * </ul>
 *
 * <p><b>Mismatches.</b> Ranks compare their calls while they wait. When a rank enters an operation, it writes a
 * descriptor of its call into its cell. Just before it posts its READY word, it stores a fingerprint beside the word, a
 * hash of this call and of all calls before it. A rank that awaits another rank's READY word compares fingerprints at
 * no cost, because they share the word's line. A rank that waits long for any word looks at the awaited rank's
 * descriptor. It does not look while it waits to enter an operation, because its own call is not described yet. In a
 * call with a mismatch it may be that no rank waits, for example if two ranks each take themselves for the only root.
 * The next call in which a rank waits then finds the mismatch, because whole histories are compared.
 *
 * <p><b>Breaking.</b> A failure breaks the communicator. The rank that breaks it sets the broken word of its node's
 * block; {@code Gossip} carries the word to the blocks of the other nodes. If the awaited word does not come, the
 * waiting rank sees the broken word, and throws. If the awaited word has come, the rank goes on, because the operation
 * that broke may be a later one. An operation may nevertheless end with the exception of a later one, if its rank reads
 * lent memory or waits for more than one word.
 */
public final class OperationWait extends WaitGuard {
    private static final int NOBODY = -1;
    private static final long LOOK_NANOS = 200_000_000;
    private static final long AT_ONCE_NANOS = 50_000; // ranks of a node that make the same call need less
    private static final long SLEEP_NANOS_MIN = 100_000;
    private static final long SLEEP_NANOS_MAX = 20_000_000;
    private static final int SLEEP_FRACTION = 4;
    private static final long NO_LOOK = Long.MAX_VALUE;

    /** The argument of {@link #checkAndLook} in the first turn of a wait, which has not set a time for a look. */
    public static final long NO_LOOK_YET = Long.MIN_VALUE;
    private static final LookEndedException LOOK_ENDED = new LookEndedException();

    private final TeamContext context;
    private final Operation operation;
    private final Machine machine;
    private final OperationSequence operations;
    private final MemorySegment ring;
    private final CallComparison comparison;
    private final RunningCall running;
    private final Waiter.Check whileAwaiting = this::checkAwaiting;

    /**
     * Lists a wait of this rank among the long waits of the process. It serves waits that await no word, but check a
     * condition again and again in a loop. Used in a try-with-resources statement.
     */
    public final LongWait inTurns = new LongWait();

    private boolean unflushed;
    private long changesSeen;
    private int awaitedRank;
    private OperationSequence awaitedOperations; // of the awaited rank's communicator, if that is another one
    private MemorySegment awaitedMemory;
    private long awaitedOffset;
    private long awaitedValue;
    private long lookNanos;
    private int seenClosed = NOBODY;
    private long seenMaking;

    /**
     * Ends a look at the descriptor of a rank on another node, because the awaited word has come. This class catches
     * it.
     */
    private static final class LookEndedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LookEndedException() {
            super("the awaited word has come", null, false, false);
        }
    }

    /**
     * Creates the waits of a team.
     *
     * @param context the communicator at this rank
     * @param operation the object that holds the operation that the team is in
     * @param running the record of the call that the team runs
     */
    public OperationWait(TeamContext context, Operation operation, RunningCall running) {
        super(context.members, context.rank);
        this.context = context;
        this.operation = operation;
        this.running = running;
        this.machine = context.machine;
        this.operations = context.operations;
        this.ring = context.ring;
        this.comparison = new CallComparison(context, whileAwaiting, operation);
    }

    // ---- the operation that waits, for the windows that it takes

    /** {@return the machine of the thread that runs the operation} */
    public Machine machine() {
        return machine;
    }

    /** {@return the operations that the communicator has at this rank} */
    public OperationSequence operations() {
        return operations;
    }

    /** {@return the number of the operation, from 0} */
    public long sequence() {
        return operation.sequence;
    }

    /** {@return the number of slots of the communicator} */
    public int slots() {
        return context.layout.slots();
    }

    /** {@return whether the operation belongs to a blocking call, which the caller's thread runs} */
    public boolean isBlocking() {
        return context.blocking;
    }

    // ---- waits

    /**
     * Waits until another rank has raised a word to a value. If the word does not have the value yet, first sends this
     * rank's puts to other nodes that are still in send buffers.
     *
     * @param other the rank that raises the word
     * @param memory the memory that holds the word
     * @param offset the offset of the word in that memory
     * @param value the value; the wait ends once the word has this value or a greater one
     */
    public void awaitWord(int other, MemorySegment memory, long offset, long value) {
        if (machine.load(memory, offset) < value) {
            flush();
            awaitedRank = other;
            awaitedMemory = memory;
            awaitedOffset = offset;
            awaitedValue = value;
            lookNanos = NO_LOOK_YET; // most waits are shorter than a look at a clock
            machine.await(memory, offset, value, this);
        }
    }

    /**
     * Prepares the checks of this rank for a call of the fabric, the transport to other nodes. While that call waits
     * for room or for an answer, the checks look at the rank that must answer, but await no word of it.
     *
     * @param other the rank that must answer
     */
    public void awaitNothingOf(int other) {
        awaitedRank = other;
        awaitedMemory = ring;
        awaitedOffset = RingLayout.BROKEN;
        awaitedValue = Long.MAX_VALUE;
        lookNanos = NO_LOOK; // a check inside a call of the fabric must not call it
    }

    /**
     * Prepares the checks of this rank for a put to another rank, which may wait for room in a send buffer. Also
     * remembers that the put must be flushed.
     */
    public void awaitRoomAt(int other) {
        awaitNothingOf(other);
        unflushed = true;
    }

    /** Sends this rank's puts to other nodes that are still in send buffers, if there are any. */
    public void flush() {
        if (unflushed) {
            unflushed = false;
            machine.flush();
        }
    }

    /**
     * Waits until an operation of this communicator is closed: all ranks of this node have left it. This rank itself
     * must have left it, on this or another thread.
     */
    public void awaitClosed(long closing) {
        assert closing < operation.sequence : operation + " waits until " + closing + " is closed, and so for itself";
        if (operations.isKnownClosed(closing)) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int each = 0; each < context.localSize; each++) {
            int other = context.localRanks[each];
            awaitWord(other, ring, context.layout.left(each), closing + 1);
            long done = OperationSequence.done(machine.load(ring, context.layout.left(each)));
            if (done <= closing) { // it has left all operations without being in this one, and awaits nothing
                throw closed(other);
            }
            least = Math.min(least, done);
        }
        operations.setClosed(least);
    }

    /**
     * Waits until an operation of any communicator of this rank is closed: all ranks of this node have left it. The
     * checks and the deadline of the operation that this rank is in may end the wait with an exception.
     *
     * @param of the operations of the communicator that has the awaited operation
     * @param closing the number of the awaited operation
     * @return false if the operation may never be closed, because its communicator is broken
     */
    public boolean awaitClosed(OperationSequence of, long closing) {
        if (of == operations) {
            awaitClosed(closing);
            return true;
        }
        flush();
        awaitedOperations = of;
        try (inTurns) {
            for (int turn = 0;; turn++) {
                int behind = of.behind(machine, closing);
                if (behind == OperationSequence.NOBODY || of.isBroken(machine, behind)) {
                    return behind == OperationSequence.NOBODY;
                }
                awaitNothingOf(behind);
                check();
                inTurns.turn(this);
                machine.pause(turn);
            }
        } finally {
            awaitedOperations = null;
        }
    }

    @Override
    public void waited(long nanos) {
        running.waited(awaitedRank, nanos);
    }

    @Override
    public long sleepNanos(long waitedNanos) {
        if (machine.isHurried()) {
            return 0;
        }
        // data from other nodes come to the master's process, where their arrival wakes a sleeping thread
        boolean arrives = context.isMaster() && awaitedOperations == null && context.localRankHere(awaitedRank) < 0;
        if (arrives) {
            return SLEEP_NANOS_MAX;
        }
        return waitedNanos < AT_ONCE_NANOS ? 0
                : Math.clamp(waitedNanos / SLEEP_FRACTION, SLEEP_NANOS_MIN, SLEEP_NANOS_MAX);
    }

    @Override
    public WaitingCall call() {
        OperationSequence other = awaitedOperations;
        CallArguments call = operation.call;
        return new WaitingCall(members.job(), members.rankInJob(context.rank), called(), members.communicator(),
                operation.sequence + 1, other == null ? members.rankInJob(awaitedRank) : WaitingCall.UNKNOWN,
                call.algorithmName().toString(), call.callBytes());
    }

    // ---- failures and mismatches

    @Override
    protected boolean checkOthers() {
        long broken = checkJob(); // read first: a rank that breaks a later operation has ended this one
        if (broken != 0) {
            if (isAwaiting()) {
                throw broken(broken);
            }
            return false;
        }
        boolean isMember = awaitedOperations == null;
        if (isMember && descriptorDiffers(awaitedRank)) {
            throw mismatch(awaitedRank);
        }
        RuntimeException failure = members.failure(isMember ? awaitedRank : -1);
        if (failure != null && isAwaiting()) {
            checkAlive(); // the rank that has left may have told why
            throw failure;
        }
        if (isMember) {
            checkTakesPart(awaitedRank);
        }
        return true;
    }

    @Override
    protected long deadlineNanos() {
        return operation.call.deadlineNanos;
    }

    /**
     * Checks whether a wait must end, and throws if so. A loop calls this method between two calls of the fabric.
     * Unlike {@link #check}, this method may itself call the fabric, to look at the call of a rank on another node.
     *
     * @param look the time of the next such look, in terms of {@link System#nanoTime()}, or {@link #NO_LOOK_YET}
     * @return the time of the look after that
     */
    public long checkAndLook(long look) {
        lookNanos = look;
        check();
        return lookNanos;
    }

    /** Throws if the communicator cannot be used any more, because it is broken, or this rank has left its job. */
    public void checkAlive() {
        long broken = checkJob();
        if (broken != 0) {
            throw broken(broken);
        }
    }

    /**
     * Throws if this rank has left its job, the job was aborted, or a rank of the communicator has failed. Otherwise
     * returns the communicator's broken word, or 0.
     */
    private long checkJob() {
        if (operations.hasEnded()) {
            throw hasLeft();
        }
        long broken = machine.load(ring, RingLayout.BROKEN);
        long changes = members.changes();
        if (changes != changesSeen || broken != 0) {
            RuntimeException failure = members.failure(-1);
            if (failure != null) {
                throw failure;
            }
            changesSeen = changes;
        }
        return broken;
    }

    private boolean isAwaiting() {
        return machine.load(awaitedMemory, awaitedOffset) < awaitedValue;
    }

    /**
     * Throws if a rank of this node will not enter this operation. It will not if it has closed the communicator, or
     * makes a group and waits until this rank makes that group.
     */
    private void checkTakesPart(int other) {
        int local = context.localRankHere(other);
        if (local >= 0 && local != context.localRank) {
            long line = context.layout.left(local);
            if (hasLeftAll(machine.load(ring, line)) && isAwaiting()) {
                throw closed(other);
            }
            checkMakesNoGroup(other, ring, line);
        }
    }

    /** Throws if a rank makes a group, and enters this operation only after this rank has made that group, too. */
    private void checkMakesNoGroup(int other, MemorySegment memory, long line) {
        long made = machine.load(memory, line + RingLayout.GROUP);
        if (context.blocking && made != 0
                && machine.load(memory, line + RingLayout.GROUP_DRAWN) <= operation.sequence
                && GroupLine.isAwaited(context, other, made, memory, line) && isAwaiting()) {
            throw new CollectiveMismatchException(context.describe() + " called " + called() + CallSite.here()
                    + ", but "
                    + members.describe(other) + " makes a group of " + GroupLine.ranks(machine, memory, line)
                    + " and waits for it to do the same; all ranks must call the same collectives in the same order, "
                    + "with the same arguments", true);
        }
    }

    private boolean hasLeftAll(long leftThere) {
        return leftThere >= OperationSequence.ALL && OperationSequence.done(leftThere) <= operation.sequence;
    }

    // ---- exceptions

    /**
     * Returns the exception for a rank that cannot be reached, because its process has ended or the connection is lost.
     */
    public RuntimeException gone(int other) {
        if (operations.hasEnded()) { // this rank's own process may have closed its connections
            return hasLeft();
        }
        RuntimeException failure = members.failure(other);
        return failure != null ? failure
                : new RankFailedException(members.rankInJob(other),
                        context.describe() + " cannot reach " + members.describe(other) + " in " + called()
                                + ": its process has ended, or the connection is lost");
    }

    /**
     * Creates the exception for a rank that has left all operations. If that rank has neither broken the communicator
     * nor left the job, the exception says that it has closed the communicator. Throws if this rank's own checks find
     * that the communicator is broken.
     */
    public RuntimeException closed(int other) {
        checkAlive();
        RuntimeException failure = members.failure(other);
        return failure != null ? failure
                : new CommunicatorBrokenException(members.rankInJob(other), cannotGoOn() + members.describe(other)
                        + " has closed the communicator; close it after the last call, at every rank");
    }

    /** Returns the exception for a call that was in flight when this rank left its job. */
    public RankFailedException hasLeft() {
        return new RankFailedException(members.rankInJob(context.rank), context.describe() + " left its job while its "
                + called() + " was in flight; await all requests before closing the job");
    }

    /**
     * Compares the calls of this rank with those of another rank. The tag of the other rank is a hash of its calls,
     * with a flag that says whether it is quiet, that is, in no other operation.
     *
     * @param other the other rank
     * @param tag the tag that the other rank has stored beside a word
     * @return whether the other rank is quiet
     * @throws CollectiveMismatchException if the tag shows that the other rank has called something else
     */
    public boolean compare(int other, long tag) {
        if (!operation.isSame(tag)) {
            throw mismatch(other);
        }
        return operation.hear(tag);
    }

    private CollectiveMismatchException mismatch(int other) {
        awaitNothingOf(other);
        return comparison.mismatch(operation.sequence, other);
    }

    private RuntimeException broken(long word) {
        return Breakage.exception(word, members, cannotGoOn());
    }

    private String cannotGoOn() {
        return context.describe() + " cannot go on with " + called() + ": ";
    }

    @Override
    protected String called() {
        return operation.call.describe(context);
    }

    @Override
    protected String awaited() {
        return awaitedOperations == null ? members.describe(awaitedRank) : awaitedOperations.describe(awaitedRank);
    }

    // ---- looks at other ranks' calls

    private boolean descriptorDiffers(int other) {
        return comparison.isDescribed(operation.sequence) && (context.localRankHere(other) < 0
                ? descriptorDiffersElsewhere(other)
                : comparison.differs(operation.sequence, other, operation.history));
    }

    /**
     * Returns whether the descriptor of a rank on another node differs from this rank's own. Fetches the descriptor at
     * most once in {@code LOOK_NANOS}, and returns false in between.
     */
    private boolean descriptorDiffersElsewhere(int other) {
        if (lookNanos == NO_LOOK_YET) {
            lookNanos = System.nanoTime() + LOOK_NANOS;
        }
        if (lookNanos == NO_LOOK || System.nanoTime() - lookNanos < 0) {
            return false;
        }
        lookNanos = NO_LOOK; // a check inside a call of the fabric must not call it
        boolean differs = false;
        try {
            differs = comparison.differs(operation.sequence, other, operation.history);
            if (!differs && isAwaiting()) {
                checkOpenElsewhere(other);
            }
        } catch (LookEndedException _) {
            // the awaited word has come
        }
        lookNanos = System.nanoTime() + LOOK_NANOS;
        return differs;
    }

    /**
     * Throws if two looks have found that a rank on another node has closed the communicator. Two looks are needed
     * because that rank may have closed it after a failure. The news of that failure then come between the two looks.
     */
    private void checkOpenElsewhere(int other) {
        boolean closed = switch (context.getLeftLine(other, whileAwaiting)) {
            case GIVEN -> {
                long made = machine.load(context.fetched, RingLayout.GROUP);
                if (made == seenMaking) { // a get may bring parts of two groups; the same twice is one group
                    checkMakesNoGroup(other, context.fetched, 0);
                }
                seenMaking = made;
                yield hasLeftAll(machine.loadPlain(context.fetched, 0));
            }
            case REFUSED -> operations.isComplete();
            case GONE -> false;
        };
        if (closed && seenClosed == other && isAwaiting()) {
            throw closed(other);
        }
        seenClosed = closed ? other : NOBODY;
        RuntimeException failure = members.look(other, whileAwaiting);
        if (failure != null && isAwaiting()) {
            throw failure;
        }
    }

    /**
     * Checks whether a look at another node must end. A look ends when the awaited word has come. Otherwise the answer
     * might take as long as the repair of a lost rail, one of the connections between two processes. The rank that
     * should answer may also have left after its last put.
     */
    private void checkAwaiting() {
        if (!isAwaiting()) {
            throw LOOK_ENDED;
        }
        check();
    }
}
