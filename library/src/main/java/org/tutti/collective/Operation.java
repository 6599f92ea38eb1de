/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.tutti.CallInterruptedException;
import org.tutti.CollectiveMismatchException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.DeadlineExceededException;
import org.tutti.RankFailedException;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The life of an operation at one rank, and what makes operations safe. {@link Team} adds the verbs.
 *
 * <p><b>Slots.</b> The operations of a communicator are numbered 0, 1, 2, … on each rank, in the order of its calls.
 * Of n slots, operation s lives in slot s mod n and is that slot's generation g = s / n. The words of a slot are never
 * reset: an algorithm speaks of steps 1, 2, 3, …, and step k of generation g is the value (g + 1)·2<sup>20</sup> + k,
 * greater than all values of earlier generations.
 *
 * <p><b>Leaving and closing.</b> When a rank has finished operation s and all before it, it stores s + 1 in its
 * <i>left</i> word. An operation that all ranks have left is <i>closed</i>. A rank enters operation s only when
 * operation s − n is closed: so nobody writes to a cell, a payload or a window that somebody may still read. A rank
 * that finds its own knowledge of the closed operations too old reads the left words of all ranks; as these are usually
 * far ahead, it does so once in some n operations. Between nodes the same: before the first put or signal of an
 * operation to another node, the ranks there must have left the operation n before, and who does not know that gets
 * their left words from there. This is the one mechanism against overrunning.
 *
 * <p><b>Memory ordering.</b> Writer: fingerprint, payload and window with plain stores, then {@link Team#post} with
 * release order. Reader: {@link Team#await} with acquire order, then plain reads, then {@link #leave}, which stores the
 * left word with release order. Writer again: acquire loads of all left words before its next store to the slot. Hence
 * every read of generation g happens before every write of generation g + 1.
 *
 * <p><b>Mismatches.</b> On entering, a rank writes a descriptor of its call into its cell, and beside its READY word a
 * fingerprint of its history: of this call and all before it. Who awaits the READY word of another rank compares
 * fingerprints for nothing; who waits long for any word looks at the awaited rank's descriptor (but not while it waits
 * to enter: its own call is not described yet). As the history is compared, a call that nobody waited in (two roots
 * that both believe to be the only one) is found in the next one that somebody does.
 *
 * <p><b>Breaking.</b> An operation that ends with an exception leaves its slot undefined, so it breaks the
 * communicator: the first who does so sets the broken word to its reason and rank; ranks that wait in vain and later
 * calls see it. A rank whose awaited word has come goes on: what broke may be a later operation than its own. That is
 * not promised: who reads what others lend, or waits for more than one word, may be told of a later operation's end.
 *
 * <p><b>Leaving all.</b> A rank begins no operation after one that it has broken off: it has set the broken word, or
 * found it set, before, and looks at that word in {@link #begin}. So when those have ended that it has in flight on
 * other threads, it reads and writes nothing of the communicator's slots and windows any more, and its left word says
 * that it has left all operations ({@link Ledger#leaveAll}). The same holds for a rank that leaves its job. What it has
 * shown stays as it is until all other ranks of its node have left the operation, too, or have ended: who has not
 * noticed yet what broke may still read it. Other nodes put nothing there any more, as that is revoked before. So the
 * memory of a broken communicator is closed by the same rule as that of any operation.
 */
abstract class Operation extends Placement implements Waiter.Check {
    static final int GENERATION_SHIFT = 20;

    private static final int NOBODY = -1;
    private static final long[] NOTHING_MADE = {};
    private static final long QUIET = 1;
    private static final long LOOK_NANOS = 200_000_000;
    private static final long NO_LOOK_YET = Long.MIN_VALUE;
    private static final LookEndedException LOOK_ENDED = new LookEndedException();

    final Machine machine;
    final Members members;
    final Reach reach;
    final RingLayout layout;
    final MemorySegment ring;
    final Ledger ledger;
    final Landings landings;
    final boolean blocking;
    final MemorySegment fetched;
    private final CallComparison comparison;
    private final long brokenByError;
    private final Waiter.Check whileAwaiting = this::checkAwaiting;

    long sequence;
    long slot;
    long base;
    long history;
    boolean quiet;
    boolean unflushed;
    long[] lastMade = NOTHING_MADE; // by rank, of those that say which groups they make: the last one with this rank
    boolean meeting; // perhaps not all nodes have made their rings yet

    private MemorySegment landingsHere;
    private boolean mayClaim;
    private long changesSeen;
    private Call call;
    private int awaitedRank;
    private MemorySegment awaitedMemory;
    private long awaitedOffset;
    private long awaitedValue;
    private long lookNanos;
    private long nextLookNanos = System.nanoTime();
    private int seenClosed = NOBODY;
    private Ledger awaitedLedger; // of another communicator, of which the awaited rank is one

    /** Ends a look at another rank's descriptor; never leaves this class. */
    private static final class LookEndedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LookEndedException() {
            super("the awaited word has come", null, false, false);
        }
    }

    Operation(Machine machine, Members members, Memory memory, long ringAddress, int rank, NodeView view, Reach reach,
            Operation first) {
        super(view, rank);
        this.machine = machine;
        this.members = members;
        this.reach = reach;
        this.layout = view.layoutOf(node);
        this.ring = memory.block(ringAddress, layout.bytes());
        this.blocking = first == null;
        this.ledger = first != null ? first.ledger
                : new Ledger(members, ring, layout.left(0), localRanks, localRank, topology.nodes());
        this.meeting = reach != null && !reach.isComplete();
        if (meeting && first == null) {
            ledger.meetNodes();
        }
        this.landings = topology.nodes() == 1 ? null
                : first != null ? first.landings : new Landings(memory, ring, layout, topology.nodes());
        this.mayClaim = isMaster() && topology.nodes() > 1;
        long fetchedBytes = Math.max(RingLayout.CELL_BYTES, (long) view.ranksMax * Words.LINE_BYTES);
        this.fetched = topology.nodes() == 1 ? null : Arena.ofAuto().allocate(fetchedBytes, Words.LINE_BYTES);
        this.brokenByError = Breakage.wordOfError(rank);
        this.comparison = new CallComparison(machine, members, ring, layout, rank, localRank, fetched, this::fetch);
    }

    /** How many operations may be in flight. */
    int slots() {
        return layout.slots();
    }

    /** Gives back what the operation had from the caller, which uses it again afterwards. */
    abstract void giveBack();

    /**
     * Lets go of other ranks when an operation has failed: they can put nothing of it into memory here any more, and
     * what they have lent is not kept alive.
     */
    abstract void letGo();

    // ---- an operation's life

    /**
     * Makes sure that no other thread is in a blocking call of this communicator, at best effort.
     *
     * @param called what is to be called, such as "barrier"
     * @throws IllegalStateException when one is
     */
    public void checkIdle(String called) {
        if (ledger.blocking() != null) {
            throw new IllegalStateException(members.describe(rank) + " called " + called
                    + " while another thread is inside " + ledger.blocking().label()
                    + " on the same communicator; let one thread at a time use it");
        }
    }

    /**
     * Gives the operations of a call their numbers and their place in the history: on the thread of the caller, whose
     * order of calls is what must be the same at all ranks.
     *
     * @param drawn the call
     */
    public void draw(Call drawn) {
        if (blocking) {
            ledger.setBlocking(drawn.collective());
        }
        call = drawn;
        drawn.draw(ledger, operationBytesMax());
    }

    /**
     * Begins the present operation of the call that was drawn: notices what has broken meanwhile, waits until the slot
     * is free, and says what is called.
     */
    void begin(Call drawn) {
        sequence = drawn.sequence;
        history = drawn.history;
        slot = layout.slot(layout.slotIndex(sequence));
        base = (layout.generation(sequence) + 1) << GENERATION_SHIFT;
        checkAlive();
        awaitClosed(sequence - (blocking ? layout.slots() : Ledger.AT_ONCE_MAX));
        if (mayClaim && drawn.bytes() > Flow.SHORT_BYTES_MAX) {
            landings.claim(machine); // before this rank waits for anybody in the operation
            mayClaim = false;
        }
        long left = ledger.left(machine);
        quiet = left == sequence;
        if (left > sequence) { // another thread has found meanwhile what this one did not see yet
            checkAlive();
        }
        Descriptor.write(machine, ring, comparison.descriptor(sequence, localRank), drawn);
    }

    /** The length of the present operation's message. */
    long bytes() {
        return call.bytes();
    }

    /** Ends the operation at this rank. */
    void leave() {
        flush();
        giveBack();
        ledger.leave(machine, sequence);
    }

    /** Ends the call whose last operation has ended. */
    void endCall() {
        if (blocking) {
            ledger.setBlocking(null);
        }
    }

    /**
     * Ends the call that was drawn, and the communicator, because of an exception.
     *
     * @param failure what was thrown inside the present operation, or instead of beginning it
     */
    public void breakOff(Throwable failure) {
        try {
            long word = failure instanceof Error ? brokenByError : Breakage.word(failure, rank);
            machine.setOnce(ring, RingLayout.BROKEN, word); // before others miss what it had
        } catch (IllegalStateException closed) { // the job was closed under the call, and its memory is gone
            failure.addSuppressed(closed);
        }
        letGo();
        giveBack(); // or a late put would land in memory that the caller uses for something else
        try {
            ledger.leaveAll(machine, call.operationsLeft());
        } catch (IllegalStateException closed) {
            failure.addSuppressed(closed);
        }
    }

    /**
     * Says that this rank leaves its job: its operations in flight end with an exception, soon.
     */
    public void end() {
        ledger.end();
    }

    /**
     * Says that this rank, which has {@linkplain #end ended}, leaves all operations, as soon as those in flight have
     * ended.
     */
    public void leaveAll() {
        ledger.leaveAll(machine, 0);
    }

    /**
     * Tells why this rank cannot go on with something that it does outside of operations.
     *
     * @param doing what it does, such as "split"
     * @param awaited the rank that it waits for, or −1
     * @return the exception to throw, or null
     */
    public RuntimeException failureIn(String doing, int awaited) {
        if (ledger.hasEnded()) {
            return new RankFailedException(members.rankInJob(rank),
                    members.describe(rank) + " left its job while it was inside " + doing);
        }
        RuntimeException left = members.failure(awaited);
        RuntimeException failure = members.failure(-1);
        long broken = machine.load(ring, RingLayout.BROKEN);
        return failure != null ? failure // who has left may have said before why
                : broken == 0 ? left
                        : Breakage.exception(broken, members,
                                members.describe(rank) + " cannot go on with " + doing + ": ");
    }

    /**
     * Ends the communicator because something has failed that was done on it outside of operations.
     *
     * @param failure what was thrown
     */
    public void breakNow(Throwable failure) {
        machine.setOnce(ring, RingLayout.BROKEN,
                failure instanceof Error ? brokenByError : Breakage.word(failure, rank));
        ledger.leaveAll(machine, 0);
    }

    /**
     * {@return whether this rank has said that it {@linkplain #end leaves}}
     */
    public boolean hasEnded() {
        return ledger.hasEnded();
    }

    /**
     * {@return what an operation in flight ends with when its rank leaves the job}
     */
    public RankFailedException hasLeft() {
        return new RankFailedException(members.rankInJob(rank),
                members.describe(rank) + " left its job while its " + call.collective().label()
                        + " was in flight; await all requests before closing the job");
    }

    /**
     * {@return what to call this rank in messages}
     */
    public String describe() {
        return members.describe(rank);
    }

    /**
     * {@return the number of the current operation, from 0, the same at every rank}
     */
    public long operation() {
        return sequence;
    }

    /** Waits until all ranks of this node have left an operation, this one included: it may have others in flight. */
    void awaitClosed(long operation) {
        if (ledger.isKnownClosed(operation)) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int each = 0; each < localSize; each++) {
            awaitWord(localRanks[each], ring, layout.left(each), operation + 1);
            long done = Ledger.done(machine.load(ring, layout.left(each)));
            if (done <= operation) { // it has left them all without being in this one, and awaits nothing
                throw closed(localRanks[each]);
            }
            least = Math.min(least, done);
        }
        ledger.setClosed(least);
    }

    /**
     * Waits until all ranks of this node have left an operation of any communicator of this rank; returns false when
     * that may take for ever, as the communicator is broken. Whatever ends this operation's own waits ends this one.
     */
    boolean awaitClosed(Ledger of, long operation) {
        if (of == ledger) {
            awaitClosed(operation);
            return true;
        }
        flush();
        awaitedLedger = of;
        try {
            for (int turn = 0;; turn++) {
                int behind = of.behind(machine, operation);
                if (behind == Ledger.NOBODY || of.isBroken(machine, behind)) {
                    return behind == Ledger.NOBODY;
                }
                awaitNothingOf(behind);
                check();
                machine.pause(turn);
            }
        } finally {
            awaitedLedger = null;
        }
    }

    // ---- who has had nothing else in flight

    /** The history's fingerprint, but for its lowest bit, which says that all whom this rank heard were quiet. */
    long tag() {
        return history & ~QUIET | (quiet ? QUIET : 0);
    }

    boolean compare(int other, long tag) {
        if ((tag ^ history) >>> 1 != 0) {
            throw mismatch(other);
        }
        boolean quietThere = (tag & QUIET) != 0;
        quiet &= quietThere;
        return quietThere;
    }

    // ---- other nodes

    void flush() {
        if (unflushed) {
            unflushed = false;
            machine.flush();
        }
    }

    /**
     * Waits until all ranks of another node have left an operation. Those that have left the job have, and those that
     * have closed the communicator.
     */
    void awaitLeft(int other, long operation) {
        flush();
        for (int turn = 0;; turn++) {
            long least = askLeft(other);
            if (least > Ledger.NOT_MET) {
                ledger.raiseLeftElsewhere(machine, other, least);
            }
            if (least > operation) {
                return;
            }
            check();
            machine.pause(turn);
        }
    }

    /** Gets the left words of another node from a rank that has them, and returns the least. */
    private long askLeft(int other) {
        int ranks = topology.ranksOn(other);
        for (int local = 0; local < ranks; local++) {
            int asked = topology.rankAt(other, local);
            if (members.hasLeft(asked)) {
                continue;
            }
            awaitNothingOf(asked);
            Machine.Reply reply = machine.get(reach.process(asked), reach.ring(asked),
                    view.layoutOf(other).left(0), fetched, 0, (long) ranks * Words.LINE_BYTES, this);
            if (reply == Machine.Reply.GIVEN) {
                return leastLeft(other, ranks);
            }
            if (reply == Machine.Reply.GONE) {
                return Ledger.NOT_MET;
            }
            if (!ledger.hasMet(other)) {
                lookWhileMeeting(asked);
                return Ledger.NOT_MET;
            } // else its process has closed the communicator
        }
        return Long.MAX_VALUE;
    }

    /** It has not made its ring yet: perhaps it does something else. */
    private void lookWhileMeeting(int asked) {
        if (System.nanoTime() - nextLookNanos > 0) {
            throwIfAny(members.look(asked, this));
            nextLookNanos = System.nanoTime() + LOOK_NANOS;
        }
    }

    private static void throwIfAny(RuntimeException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    private long leastLeft(int other, int ranks) {
        long least = Long.MAX_VALUE;
        for (int local = 0; local < ranks; local++) {
            if (!members.hasLeft(topology.rankAt(other, local))) {
                least = Math.min(least, machine.loadPlain(fetched, (long) local * Words.LINE_BYTES));
            }
        }
        return least;
    }

    /** The landings of this node, when its master has claimed them. */
    MemorySegment landingsHere() {
        if (landingsHere == null) {
            awaitWord(master(node), ring, RingLayout.LANDINGS, 1);
            landingsHere = landings.here(machine);
        }
        return landingsHere;
    }

    /** Whether memory is that of the landings of this node. */
    boolean isLandings(MemorySegment memory) {
        return landingsHere != null && memory.equals(landingsHere);
    }

    /** The handle of the landings of another node. Who does not know it yet asks its master until that has them. */
    long landingsOf(int other) {
        long handle = landings.elsewhere(other);
        return handle != 0 ? handle : askForLandings(other);
    }

    private long askForLandings(int other) {
        flush();
        int asked = master(other);
        long look = NO_LOOK_YET;
        for (int turn = 0;; turn++) {
            awaitNothingOf(asked);
            Machine.Reply reply =
                    machine.get(reach.process(asked), reach.ring(asked), 0, fetched, 0, Words.LINE_BYTES, this);
            if (reply == Machine.Reply.GONE) {
                throw gone(asked);
            }
            if (reply == Machine.Reply.REFUSED && ledger.hasMet(other)) {
                throw closed(asked);
            }
            long handle = reply == Machine.Reply.REFUSED ? 0 : Landings.handleIn(fetched, machine);
            if (handle != 0) {
                landings.setElsewhere(machine, other, handle);
                return handle;
            }
            lookNanos = look; // it may be in another call, which needs none
            check();
            look = lookNanos;
            machine.pause(turn);
        }
    }

    // ---- what can go wrong

    void awaitWord(int other, MemorySegment memory, long offset, long value) {
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
    void awaitNothingOf(int other) {
        awaitedRank = other;
        awaitedMemory = ring;
        awaitedOffset = RingLayout.BROKEN;
        awaitedValue = Long.MAX_VALUE;
        lookNanos = Long.MAX_VALUE; // a check inside a call of the fabric must not call it
    }

    RuntimeException gone(int other) {
        if (ledger.hasEnded()) { // this rank's own process may have closed its connections
            return hasLeft();
        }
        RuntimeException failure = members.failure(other);
        return failure != null ? failure
                : new RankFailedException(members.rankInJob(other),
                        members.describe(rank) + " cannot reach " + members.describe(other)
                                + " in " + call.collective().label()
                                + ": its process has ended, or the connection is lost");
    }

    /**
     * Looks for a reason not to wait any longer: called now and then while this rank waits.
     */
    @Override
    public void check() {
        long broken = checkJob(); // before the word is looked at: who breaks a later operation has ended this one
        if (broken != 0) {
            if (isAwaiting()) {
                throw broken(broken);
            }
            return;
        }
        boolean isMember = awaitedLedger == null;
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
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(
                    members.describe(rank) + " was interrupted in " + call.collective().label()
                            + " while it waited for " + awaited() + "; the communicator cannot be used any more");
        }
        if (call.deadlineNanos != Long.MAX_VALUE && System.nanoTime() - call.deadlineNanos > 0) {
            throw new DeadlineExceededException(
                    members.describe(rank) + " passed its deadline in " + call.collective().label()
                            + " while it waited for " + awaited() + "; see what that rank does, or allow more time");
        }
    }

    /** Throws when a rank of this node will not come to this operation: it has closed the communicator, or waits. */
    private void checkTakesPart(int other) {
        int local = localRankOf(other);
        if (local >= 0 && local != localRank) {
            long line = layout.left(local);
            if (hasLeftAll(machine.load(ring, line)) && isAwaiting()) {
                throw closed(other);
            }
            if (waitsForGroup(other, ring, line)) {
                throw makesGroup(other, ring, line);
            }
        }
    }

    /** Whether a rank makes a group and waits for this one to do so, too, before it comes to this operation. */
    private boolean waitsForGroup(int other, MemorySegment memory, long line) {
        long made = machine.load(memory, line + RingLayout.GROUP);
        return blocking && made != 0 && machine.load(memory, line + RingLayout.GROUP_DRAWN) <= sequence
                && GroupBlock.isAwaited(this, other, made, memory, line) && isAwaiting();
    }

    private CollectiveMismatchException makesGroup(int other, MemorySegment memory, long line) {
        return new CollectiveMismatchException(members.describe(rank) + " called " + call.collective().label()
                + ", but " + members.describe(other) + " makes a group of "
                + GroupBlock.ranks(machine, memory, line) + " and waits for it to do the same; all ranks must call the "
                + "same collectives in the same order, with the same arguments", true);
    }

    private boolean hasLeftAll(long leftThere) {
        return leftThere >= Ledger.ALL && Ledger.done(leftThere) <= sequence;
    }

    /** Who has left all operations without having broken the communicator or left the job has closed it. */
    private RuntimeException closed(int other) {
        checkAlive();
        RuntimeException failure = members.failure(other);
        return failure != null ? failure
                : new CommunicatorBrokenException(members.describe(rank) + " cannot go on with "
                        + call.collective().label() + ": " + members.describe(other)
                        + " has closed the communicator; close it after the last call, at every rank");
    }

    private String awaited() {
        return awaitedLedger == null ? members.describe(awaitedRank) : awaitedLedger.describe(awaitedRank);
    }

    private boolean isAwaiting() {
        return machine.load(awaitedMemory, awaitedOffset) < awaitedValue;
    }

    /** Throws if the communicator cannot be used any more. */
    void checkAlive() {
        long broken = checkJob();
        if (broken != 0) {
            throw broken(broken);
        }
    }

    /** Throws if the job has ended or lost a rank; returns the communicator's broken word, or 0. */
    private long checkJob() {
        if (ledger.hasEnded()) {
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

    private RuntimeException broken(long word) {
        return Breakage.exception(word, members,
                members.describe(rank) + " cannot go on with " + call.collective().label() + ": ");
    }

    private boolean descriptorDiffers(int other) {
        if (!comparison.isDescribed(sequence)) {
            return false;
        }
        int local = localRankOf(other);
        return local < 0 ? descriptorDiffersElsewhere(other) : comparison.differsHere(sequence, local, history);
    }

    /** The descriptor of a rank on another node has to be fetched: that is done rarely. */
    private boolean descriptorDiffersElsewhere(int other) {
        if (lookNanos == NO_LOOK_YET) {
            lookNanos = System.nanoTime() + LOOK_NANOS;
        }
        if (lookNanos == Long.MAX_VALUE || System.nanoTime() - lookNanos < 0) {
            return false;
        }
        lookNanos = Long.MAX_VALUE; // a check inside a call of the fabric must not call it
        boolean differs = comparison.differsElsewhere(sequence, other, history);
        try {
            if (!differs && isAwaiting()) {
                checkOpenElsewhere(other);
            }
        } catch (LookEndedException _) {
            differs = false; // the awaited word has come
        }
        lookNanos = System.nanoTime() + LOOK_NANOS;
        return differs;
    }

    /**
     * Throws when a rank on another node has closed the communicator, and was seen to have when this was looked at
     * before: if it has done so because of something that it knows, the news of that have come meanwhile.
     */
    private void checkOpenElsewhere(int other) {
        boolean closed = hasClosed(other);
        if (closed && seenClosed == other && isAwaiting()) {
            throw closed(other);
        }
        seenClosed = closed ? other : NOBODY;
        RuntimeException failure = members.look(other, whileAwaiting);
        if (failure != null && isAwaiting()) {
            throw failure;
        }
    }

    private boolean hasClosed(int other) {
        Machine.Reply reply = getLeftLine(other, whileAwaiting);
        if (reply == Machine.Reply.GIVEN && waitsForGroup(other, fetched, 0)) {
            throw makesGroup(other, fetched, 0);
        }
        return switch (reply) {
            case GIVEN -> hasLeftAll(machine.loadPlain(fetched, 0));
            case REFUSED -> ledger.hasMet(topology.nodeOf(other));
            case GONE -> false;
        };
    }

    /** Gets the left line of a rank on another node; returns whether that was possible. */
    boolean fetchLeftLine(int other, Waiter.Check check) {
        return getLeftLine(other, check) == Machine.Reply.GIVEN;
    }

    private Machine.Reply getLeftLine(int other, Waiter.Check check) {
        RingLayout theirs = view.layoutOf(topology.nodeOf(other));
        return machine.get(reach.process(other), reach.ring(other), theirs.left(topology.placeOf(other)), fetched, 0,
                Words.LINE_BYTES, check);
    }

    /** Reads another rank's descriptor, unless the word comes meanwhile that this rank waits for. */
    private boolean fetch(long operation, int other) {
        RingLayout theirs = view.layoutOf(topology.nodeOf(other));
        try {
            return machine.get(reach.process(other), reach.ring(other),
                    RingLayout.cell(theirs.slot(theirs.slotIndex(operation)), topology.placeOf(other)), fetched,
                    0, RingLayout.CELL_BYTES, whileAwaiting) == Machine.Reply.GIVEN;
        } catch (LookEndedException _) {
            return false;
        }
    }

    /** Its answer may take as long as a lost rail, and the rank that is to give it may have left after its last put. */
    private void checkAwaiting() {
        if (!isAwaiting()) {
            throw LOOK_ENDED;
        }
        check();
    }

    CollectiveMismatchException mismatch(int other) {
        awaitNothingOf(other);
        return comparison.mismatch(sequence, other, localRankOf(other));
    }
}
