/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;

/**
 * The life of an operation at one rank, from its number to its end, and the memory that it has meanwhile. A team has
 * one such object, for one operation after the other.
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
 * far ahead, it does so once in some n operations. Between nodes the same, as {@link Edges} says. This is the one
 * mechanism against overrunning.
 *
 * <p><b>Memory ordering.</b> Writer: fingerprint, payload and window with plain stores, then {@link Team#post} with
 * release order. Reader: {@link Team#await} with acquire order, then plain reads, then {@link #leave}, which stores the
 * left word with release order. Writer again: acquire loads of all left words before its next store to the slot. Hence
 * every read of generation g happens before every write of generation g + 1.
 *
 * <p><b>Breaking.</b> An operation that ends with an exception leaves its slot undefined, so it breaks the
 * communicator: the first who does so sets the broken word to its reason and rank; ranks that wait in vain and later
 * calls see it. What comes then, {@link Ending} says.
 */
final class Operation {
    static final int GENERATION_SHIFT = 20;

    private static final long QUIET = 1;
    private static final long NEVER = -1;

    final Machine machine;
    final Ledger ledger;
    final boolean blocking;
    final Waiting waiting;
    final RingLayout layout;
    final Loans loans;
    final Invitations invitations;
    private final Placement place;
    private final Ending ending;

    Call call;
    long sequence;
    long slot;
    long base;
    long history;
    boolean quiet;

    private boolean mayClaim;
    private Window shown; // only once it has shown more than a line has room for
    private Window inbox; // only once it has needed it
    private long inboxLastShared = NEVER;

    Operation(Placement place, Ending ending) {
        this.place = place;
        this.ending = ending;
        this.machine = place.machine;
        this.ledger = place.ledger;
        this.blocking = place.blocking;
        this.layout = place.layout;
        this.waiting = new Waiting(place, this);
        this.loans = new Loans(place, this);
        this.invitations = new Invitations(machine, place.nodes() > 1);
        this.mayClaim = place.nodes() > 1 && place.isMaster();
    }

    long slotIndex() {
        return layout.slotIndex(sequence);
    }

    /** Gives the operations of a call, of so many bytes at most, their numbers and their place in the history. */
    void draw(Call drawn, long bytesMax) {
        call = drawn;
        drawn.draw(ledger, bytesMax);
    }

    /**
     * Begins the present operation of the call that was drawn: notices what has broken meanwhile, waits until the slot
     * is free, and says what is called.
     */
    void begin(Call drawn) {
        if (call != drawn) { // another team has drawn it; blocking calls need not pay for the store again
            call = drawn;
        }
        sequence = drawn.sequence;
        history = drawn.history;
        slot = layout.slot(slotIndex());
        base = (layout.generation(sequence) + 1) << GENERATION_SHIFT;
        waiting.checkAlive();
        awaitClosed(sequence - (blocking ? layout.slots() : Ledger.AT_ONCE_MAX));
        if (mayClaim && drawn.algorithm().claimsLandings(drawn.bytes())) {
            place.landings.claim(machine); // before this rank waits for anybody in the operation
            mayClaim = false;
        }
        long left = ledger.left(machine);
        quiet = left == sequence;
        if (left > sequence) { // another thread has found meanwhile what this one did not see yet
            waiting.checkAlive();
        }
        Descriptor.write(machine, place.ring, RingLayout.cell(slot, place.localRank) + RingLayout.DESCRIPTOR, drawn);
    }

    /** Ends the operation at this rank. */
    void leave() {
        waiting.flush();
        giveBack();
        ledger.leave(machine, sequence);
    }

    /** Ends the call that was drawn, and the communicator, because of what was thrown. */
    void breakOff(Throwable failure) {
        try {
            if (ledger.isFounded()) {
                ending.setBroken(failure); // before others miss what it had
            }
        } catch (IllegalStateException closed) { // the job was closed under the call, and its memory is gone
            failure.addSuppressed(closed);
        }
        if (inbox != null) { // what others still put there must not come into a later operation
            inbox.revoke(machine);
        }
        if (shown != null) {
            shown.revoke(machine);
        }
        loans.forgetBorrowed(); // nor keep alive what they have lent
        giveBack(); // or a late put would land in memory that the caller uses for something else
        try {
            ledger.leaveAll(machine, call.operationsLeft());
        } catch (IllegalStateException closed) {
            failure.addSuppressed(closed);
        }
    }

    /** Waits until all ranks of this node have left an operation, this one included: it may have others in flight. */
    void awaitClosed(long operation) {
        if (ledger.isKnownClosed(operation)) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int each = 0; each < place.localSize; each++) {
            int other = place.localRanks[each];
            waiting.awaitWord(other, place.ring, layout.left(each), operation + 1);
            long done = Ledger.done(machine.load(place.ring, layout.left(each)));
            if (done <= operation) { // it has left them all without being in this one, and awaits nothing
                throw waiting.closed(other);
            }
            least = Math.min(least, done);
        }
        ledger.setClosed(least);
    }

    // ---- who has had nothing else in flight

    /** The history's fingerprint, but for its lowest bit, which says that all whom this rank heard were quiet. */
    long tag() {
        return history & ~QUIET | (quiet ? QUIET : 0);
    }

    /** Compares with the tag of another rank; returns whether that was quiet. */
    boolean compare(int other, long tag) {
        if ((tag ^ history) >>> 1 != 0) {
            throw waiting.mismatch(other);
        }
        boolean quietThere = (tag & QUIET) != 0;
        quiet &= quietThere;
        return quietThere;
    }

    // ---- the memory that it has

    /** Takes a window in which others will be shown something. */
    Window show(long bytes, int windowsMax) {
        shown = place.pool.take(bytes, windowsMax, this);
        return shown;
    }

    /** The memory of this rank into which others put long messages: {@link Flow#INBOX_BYTES}. */
    MemorySegment inbox() {
        if (inbox == null) {
            inbox = place.pool.takeBlock(Flow.INBOX_BYTES, machine);
        }
        return inbox.segment();
    }

    /** The same, of some length, where others of the node read it, too: what they find it by. It is the only one. */
    long sharedInbox(long bytes) {
        if (inboxLastShared != sequence) {
            awaitClosed(inboxLastShared);
            inboxLastShared = sequence;
        }
        if (inbox == null) {
            if (bytes > Flow.INBOX_BYTES) {
                awaitClosed(sequence - WindowPool.LONG_AT_ONCE_MAX);
            }
            inbox = place.pool.takeBlock(bytes, machine);
        }
        assert inbox.segment().byteSize() >= bytes : "it has been taken for something else";
        return inbox.address();
    }

    /** Its window of which a segment is the block, or null. */
    Window windowOf(MemorySegment segment) {
        return inbox != null && segment.equals(inbox.segment()) ? inbox
                : shown != null && segment.equals(shown.segment()) ? shown : null;
    }

    /** Gives back what the operation had from the caller, which uses it again afterwards, and from the pool. */
    private void giveBack() {
        loans.takeBack();
        invitations.revokeAll();
        if (shown != null) {
            place.pool.close(shown, true, this);
            shown = null;
        }
        if (inbox != null) {
            place.pool.close(inbox, inboxLastShared == sequence, this);
            inbox = null;
        }
    }
}
