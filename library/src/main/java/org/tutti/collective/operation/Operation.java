/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.layout.RingLayout;

/**
 * The operation that a team is in. An operation is one run of an algorithm by all ranks of a communicator. A call is
 * one operation, or several if its message is longer than an operation can be.
 *
 * <p><b>Life.</b> A team makes one such object and keeps it. {@code OperationLifecycle} sets it to one operation after
 * the other, and only the team's thread uses it.
 *
 * <p><b>Parts.</b> An operation has its call, its number, its slot, the value that its words have at step 0, the
 * fingerprint of all calls so far, and whether this rank is quiet: without another operation in flight.
 *
 * <p><b>Slots.</b> The operations of a communicator are numbered 0, 1, 2, … in the order of the calls, which is the
 * same at all ranks. A slot is memory for one operation at a time: the READY and DONE words of each rank, and the edges
 * to other nodes ({@link RingLayout}). With n slots, operation s lives in slot s mod n and is that slot's generation g
 * = s / n, rounded down.
 *
 * <p><b>Steps.</b> The words of a slot are never reset. An algorithm counts steps 1, 2, 3, … in each operation; step k
 * of generation g is the value (g + 1)·2<sup>20</sup> + k, which is greater than all values of earlier generations.
 */
public final class Operation {
    private static final long QUIET = 1;

    private final RingLayout layout;

    /** The call that the operation is part of; null before the first operation. */
    public CallArguments call;

    /** The number of the operation, from 0, the same at every rank. */
    public long sequence;
    long slot;

    /** The value of a word of the operation at step 0. */
    public long base;

    /** The fingerprint of this operation and all before it. */
    long history;

    /** Whether neither this rank nor any rank that it has heard in this operation has another operation in flight. */
    public boolean quiet;

    /** Called once, when a team is made. */
    public Operation(RingLayout layout) {
        this.layout = layout;
    }

    /** Sets the object to the current operation of a call that has drawn its numbers. */
    @SuppressWarnings("ReferenceEquality") // the same object is meant
    public void begin(CallArguments drawn) {
        if (call != drawn) { // a blocking call, which has the same object each time, saves the store
            call = drawn;
        }
        sequence = drawn.sequence;
        history = drawn.history;
        slot = layout.slot(slotIndex());
        base = layout.base(sequence);
    }

    /** Returns whether the operation is the current one of its call; for assertions. */
    public boolean isCurrent() {
        return call != null && sequence == call.sequence && history == call.history;
    }

    @Override
    public String toString() {
        return "operation " + sequence + " of " + (call == null ? "no call" : call.called() + ", which is at "
                + call.sequence);
    }

    /** Returns the index of the operation's slot. */
    public long slotIndex() {
        return layout.slotIndex(sequence);
    }

    /** Returns the offset of a rank's cell in the communicator's block, by the rank's local rank. */
    public long cell(int local) {
        return RingLayout.cell(slot, local);
    }

    /**
     * Returns the fingerprint of the history with another lowest bit, which tells others whether this rank is quiet.
     */
    public long tag() {
        return history & ~QUIET | (quiet ? QUIET : 0);
    }

    /** Returns whether the sender of a tag has made the same calls as this rank. */
    boolean isSame(long tag) {
        return (tag ^ history) >>> 1 == 0;
    }

    /** Notes whether the sender of a tag is quiet, and returns it. */
    boolean hear(long tag) {
        boolean quietThere = (tag & QUIET) != 0;
        quiet &= quietThere;
        return quietThere;
    }
}
