/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.layout.RingLayout;

/**
 * The present operation of a team: its call, its number, its slot, and the base of its steps. A team has one such
 * object, for one operation after the other; {@code OperationLifecycle} moves it.
 *
 * <p><b>Slots.</b> The operations of a communicator are numbered 0, 1, 2, … on each rank, in the order of its calls.
 * Of n slots, operation s lives in slot s mod n and is that slot's generation g = s / n. The words of a slot are never
 * reset: an algorithm speaks of steps 1, 2, 3, …, and step k of generation g is the value (g + 1)·2<sup>20</sup> + k,
 * greater than all values of earlier generations.
 */
public final class Operation {
    private static final long QUIET = 1;

    private final RingLayout layout;

    public CallArguments call;
    public long sequence;
    long slot;
    public long base;

    /** The fingerprint of this call and all before it. */
    long history;

    /** Whether this rank, and every rank that this one has heard in the operation, has no other one in flight. */
    public boolean quiet;

    public Operation(RingLayout layout) {
        this.layout = layout;
    }

    /** Moves to the present operation of a call that was drawn. */
    @SuppressWarnings("ReferenceEquality") // the same object is meant
    public void begin(CallArguments drawn) {
        if (call != drawn) { // another team has drawn it; blocking calls need not pay for the store again
            call = drawn;
        }
        sequence = drawn.sequence;
        history = drawn.history;
        slot = layout.slot(slotIndex());
        base = layout.base(sequence);
    }

    /** Whether it is the one that its call is at; for assertions. */
    public boolean isCurrent() {
        return call != null && sequence == call.sequence && history == call.history;
    }

    @Override
    public String toString() {
        return "operation " + sequence + " of " + (call == null ? "no call" : call.called() + ", which is at "
                + call.sequence);
    }

    public long slotIndex() {
        return layout.slotIndex(sequence);
    }

    /** Where the cell of a rank of this node begins, by the rank's place on the node. */
    public long cell(int local) {
        return RingLayout.cell(slot, local);
    }

    /** The fingerprint of the history, except for its lowest bit, which tells others whether this rank is quiet. */
    public long tag() {
        return history & ~QUIET | (quiet ? QUIET : 0);
    }

    /** Whether a rank that has sent a tag has called the same as this one. */
    boolean isSame(long tag) {
        return (tag ^ history) >>> 1 == 0;
    }

    /** Takes note of another rank's tag; returns whether that rank was quiet. */
    boolean hear(long tag) {
        boolean quietThere = (tag & QUIET) != 0;
        quiet &= quietThere;
        return quietThere;
    }
}
