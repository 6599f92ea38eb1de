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
 * For whom and what a rank waits in an operation, and all that can end that wait but the awaited word.
 *
 * <p><b>Mismatches.</b> On entering, a rank writes a descriptor of its call into its cell, and beside its READY word a
 * fingerprint of its history: of this call and all before it. Who awaits the READY word of another rank compares
 * fingerprints for nothing; who waits long for any word looks at the awaited rank's descriptor (but not while it waits
 * to enter: its own call is not described yet). As the history is compared, a call that nobody waited in (two roots
 * that both believe to be the only one) is found in the next one that somebody does.
 *
 * <p><b>Breaking.</b> A rank that waits in vain sees the broken word. One whose awaited word has come goes on: what
 * broke may be a later operation than its own. That is not promised: who reads what others lend, or waits for more than
 * one word, may be told of a later operation's end.
 */
public final class OperationWait extends WaitGuard {
    private static final int NOBODY = -1;
    private static final long LOOK_NANOS = 200_000_000;
    private static final long AT_ONCE_NANOS = 50_000; // ranks of a node that make the same call need less
    private static final long SLEEP_NANOS_MIN = 100_000;
    private static final long SLEEP_NANOS_MAX = 20_000_000;
    private static final int SLEEP_FRACTION = 4;
    private static final long NO_LOOK = Long.MAX_VALUE;
    public static final long NO_LOOK_YET = Long.MIN_VALUE;
    private static final LookEndedException LOOK_ENDED = new LookEndedException();

    private final TeamContext context;
    private final Operation operation;
    private final Machine machine;
    private final OperationSequence operations;
    private final MemorySegment ring;
    private final CallComparison comparison;
    private final Waiter.Check whileAwaiting = this::checkAwaiting;

    /** Of whoever waits for no word, but in turns. */
    public final LongWait inTurns = new LongWait();

    private boolean unflushed;
    private long changesSeen;
    private int awaitedRank;
    private OperationSequence awaitedOperations; // of another communicator, of which the awaited rank is one
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

    /** {@return how many operations of its communicator may be in flight} */
    public int slots() {
        return context.layout.slots();
    }

    /** {@return whether the caller's thread runs it} */
    public boolean isBlocking() {
        return context.blocking;
    }

    // ---- waits

    /** Waits until another rank has raised a word; what this one has put is on its way before. */
    public void awaitWord(int other, MemorySegment memory, long offset, long value) {
        if (machine.load(memory, offset) < value) {
            flush();
            awaitedRank = other;
            awaitedMemory = memory;
            awaitedOffset = offset;
            awaitedValue = value;
            lookNanos = NO_LOOK_YET; // most waits are shorter than reading a clock
            machine.await(memory, offset, value, this);
        }
    }

    /** For calls of the fabric, which wait for room or an answer. */
    public void awaitNothingOf(int other) {
        awaitedRank = other;
        awaitedMemory = ring;
        awaitedOffset = RingLayout.BROKEN;
        awaitedValue = Long.MAX_VALUE;
        lookNanos = NO_LOOK; // a check inside a call of the fabric must not call it
    }

    /** As {@link #awaitNothingOf}, for a put, which has to be flushed. */
    public void awaitRoomAt(int other) {
        awaitNothingOf(other);
        unflushed = true;
    }

    /** Sends what puts have gathered. */
    public void flush() {
        if (unflushed) {
            unflushed = false;
            machine.flush();
        }
    }

    /** Waits until all ranks of this node have left an operation, this one included: it may have others in flight. */
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
            if (done <= closing) { // it has left them all without being in this one, and awaits nothing
                throw closed(other);
            }
            least = Math.min(least, done);
        }
        operations.setClosed(least);
    }

    /**
     * Waits until all ranks of this node have left an operation of any communicator of this rank; returns false when
     * that may take for ever, as the communicator is broken. Whatever ends this operation's own waits ends this one.
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
        // what comes to a node comes to its master's process, where it wakes who sleeps
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

    // ---- what can go wrong

    @Override
    protected boolean checkOthers() {
        long broken = checkJob(); // before the word is looked at: who breaks a later operation has ended this one
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
            checkAlive(); // who has left may have said before why
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

    /** Between calls of the fabric others may be looked at, too: returns when that is to be done next. */
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

    /** Throws when a rank of this node will not come to this operation: it has closed the communicator, or waits. */
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

    /** Throws when a rank makes a group and waits for this one to do so, too, before it comes to this operation. */
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

    // ---- what to say of it

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

    /** Who has left all operations without having broken the communicator or left the job has closed it. */
    public RuntimeException closed(int other) {
        checkAlive();
        RuntimeException failure = members.failure(other);
        return failure != null ? failure
                : new CommunicatorBrokenException(members.rankInJob(other), cannotGoOn() + members.describe(other)
                        + " has closed the communicator; close it after the last call, at every rank");
    }

    public RankFailedException hasLeft() {
        return new RankFailedException(members.rankInJob(context.rank), context.describe() + " left its job while its "
                + called() + " was in flight; await all requests before closing the job");
    }

    /** Throws if the tag of another rank says that it has called something else; returns whether it is quiet. */
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

    /** The descriptor of a rank on another node has to be fetched: that is done rarely. */
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
     * Throws when a rank on another node has closed the communicator, and was seen to have when this was looked at
     * before: if it has done so because of something that it knows, the news of that have come meanwhile.
     */
    private void checkOpenElsewhere(int other) {
        boolean closed = switch (context.getLeftLine(other, whileAwaiting)) {
            case GIVEN -> {
                long made = machine.load(context.fetched, RingLayout.GROUP);
                if (made == seenMaking) { // what a get brings may be of two groups, and the same twice is of one
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

    /** Its answer may take as long as a lost rail, and the rank that is to give it may have left after its last put. */
    private void checkAwaiting() {
        if (!isAwaiting()) {
            throw LOOK_ENDED;
        }
        check();
    }
}
