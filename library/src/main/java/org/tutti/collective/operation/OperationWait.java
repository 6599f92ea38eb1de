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
 * The waits of a rank in an operation: they end when the awaited word has come, or with an exception when it will not
 * come or the call must stop. A team has one such object, which its parts share. While a rank waits, the waiter calls
 * {@link #check} now and then. The check throws if the rank has left its job, the communicator is broken, the awaited
 * rank has failed, has closed the communicator or has called something else, the thread is interrupted, or the deadline
 * has passed.
 *
 * <p><b>Mismatches.</b> On entering an operation, a rank writes a descriptor of its call into its cell, and beside its
 * READY word a fingerprint of its history: of this call and all before it. A rank that awaits another one's READY word
 * compares fingerprints at no cost, because they share the word's line. A rank that waits long for any word looks at
 * the awaited rank's descriptor, except while it waits to enter, because its own call is not described yet. Since
 * histories are compared, a mismatch in a call in which no rank waited (two ranks that both believe to be the only
 * root) is found in the next call in which a rank waits.
 *
 * <p><b>Breaking.</b> A rank that waits in vain sees the broken word. A rank goes on if its awaited word has come,
 * because the operation that broke may be later than its own. That is not promised: a rank that reads lent memory, or
 * waits for more than one word, may get the exception of a later operation.
 */
public final class OperationWait extends WaitGuard {
    private static final int NOBODY = -1;
    private static final long LOOK_NANOS = 200_000_000;
    private static final long AT_ONCE_NANOS = 50_000; // ranks of a node that make the same call need less
    private static final long SLEEP_NANOS_MIN = 100_000;
    private static final long SLEEP_NANOS_MAX = 20_000_000;
    private static final int SLEEP_FRACTION = 4;
    private static final long NO_LOOK = Long.MAX_VALUE;

    /** The time of the next look at another rank, in {@link #checkAndLook}, before the first one. */
    public static final long NO_LOOK_YET = Long.MIN_VALUE;
    private static final LookEndedException LOOK_ENDED = new LookEndedException();

    private final TeamContext context;
    private final Operation operation;
    private final Machine machine;
    private final OperationSequence operations;
    private final MemorySegment ring;
    private final CallComparison comparison;
    private final Waiter.Check whileAwaiting = this::checkAwaiting;

    /** Lists a wait that looks again and again, in turns, and awaits no word; used in try-with-resources. */
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

    /** Ends a look at another rank's descriptor; never leaves this class. */
    private static final class LookEndedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LookEndedException() {
            super("the awaited word has come", null, false, false);
        }
    }

    /**
     * Called once, when a team is made.
     *
     * @param context the rank
     * @param operation the operation that the team is in
     */
    public OperationWait(TeamContext context, Operation operation) {
        super(context.members, context.rank);
        this.context = context;
        this.operation = operation;
        this.machine = context.machine;
        this.operations = context.operations;
        this.ring = context.ring;
        this.comparison = new CallComparison(context, whileAwaiting, operation);
    }

    // ---- the operation that waits, for the windows that it takes

    /** {@return the machine of its thread} */
    public Machine machine() {
        return machine;
    }

    /** {@return the operations of its communicator at this rank} */
    public OperationSequence operations() {
        return operations;
    }

    /** {@return its number, from 0} */
    public long sequence() {
        return operation.sequence;
    }

    /** {@return the number of slots of its communicator} */
    public int slots() {
        return context.layout.slots();
    }

    /** {@return whether the caller's thread runs it} */
    public boolean isBlocking() {
        return context.blocking;
    }

    // ---- waits

    /** Waits until another rank has raised a word. Before it waits, it sends what this rank's puts have gathered. */
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
     * Prepares for a call of the fabric that waits for room or an answer: checks then look at a rank, but await no
     * word.
     */
    public void awaitNothingOf(int other) {
        awaitedRank = other;
        awaitedMemory = ring;
        awaitedOffset = RingLayout.BROKEN;
        awaitedValue = Long.MAX_VALUE;
        lookNanos = NO_LOOK; // a check inside a call of the fabric must not call it
    }

    /** Prepares for a put as {@link #awaitNothingOf} does, and notes that the put has to be flushed. */
    public void awaitRoomAt(int other) {
        awaitNothingOf(other);
        unflushed = true;
    }

    /** Sends the frames that puts have gathered. */
    public void flush() {
        if (unflushed) {
            unflushed = false;
            machine.flush();
        }
    }

    /**
     * Waits until all ranks of this node, this one included, have left an operation: this rank may have others in
     * flight.
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
     * Waits until all ranks of this node have left an operation of any communicator of this rank. Returns false when
     * that may take for ever, because that communicator is broken. This wait ends as this operation's own waits do.
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
        return new WaitingCall(members.job(), members.rankInJob(context.rank), called(), members.communicator(),
                operation.sequence + 1, other == null ? members.rankInJob(awaitedRank) : WaitingCall.UNKNOWN);
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
     * Checks between two calls of the fabric, where the check may call the fabric to look at another rank. The argument
     * is the time of the next such look, or {@link #NO_LOOK_YET}; returns the time of the one after.
     */
    public long checkAndLook(long look) {
        lookNanos = look;
        check();
        return lookNanos;
    }

    /** Throws if the communicator cannot be used any more. */
    public void checkAlive() {
        long broken = checkJob();
        if (broken != 0) {
            throw broken(broken);
        }
    }

    /** Throws if the job has ended or lost a rank; returns the communicator's broken word, or 0. */
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
     * Throws when a rank of this node will not enter this operation: it has closed the communicator, or makes a group.
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

    /** Throws when a rank makes a group and waits for this rank to do the same before it enters this operation. */
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

    /** Returns the exception for a rank that cannot be reached: its process has ended, or the connection is lost. */
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
     * Returns the exception for a rank that has left all operations. If it has neither broken the communicator nor left
     * the job, it has closed the communicator.
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
     * Throws if the tag of another rank tells that it has called something else; returns whether that rank is quiet.
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
        return operation.call.called();
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

    /** Fetches the descriptor of a rank on another node and compares it; that is done rarely. */
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
     * Throws when a rank on another node has closed the communicator, as two looks have shown. If the rank has closed
     * it because of a failure that it knows, the news of that failure have come between the two looks.
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
     * Checks a look at another node, and ends it when the awaited word has come: the answer may take as long as the
     * repair of a lost rail, and the rank that is to answer may have left after its last put.
     */
    private void checkAwaiting() {
        if (!isAwaiting()) {
            throw LOOK_ENDED;
        }
        check();
    }
}
