/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import org.tutti.collective.layout.RingLayout;

/**
 * Holds the state of the operation that a team is in. A team is the object that runs the operations of one rank. An
 * operation is one run of an algorithm by all ranks of a communicator. A call is one operation, or several if its
 * message is longer than an operation can be.
 *
 * <p><b>Life.</b> A team makes one such object and keeps it. {@code OperationLifecycle} sets it to one operation after
 * the other. Only the thread that runs the team's current operation uses it. The threads of non-blocking calls hand
 * teams over under a lock ({@code RequestRunner}).
 *
 * <p><b>Parts.</b> An operation has its call, its number, its slot, the value that its words have at step 0, the
 * fingerprint of all calls so far, and a flag that says whether it is quiet. A fingerprint is a hash.
 *
 * <p><b>Slots.</b> The operations of a communicator are numbered 0, 1, 2, … in the order of the calls, which is the
 * same at all ranks. A <i>slot</i> is memory for one operation at a time: a rank begins operation s only after all
 * ranks of its node have left operation s − n ({@code OperationLifecycle}), and puts into a slot of another node only
 * after all ranks there have left it ({@code Edges}). Each slot has a cell for each rank of the
 * node, with the rank's READY and DONE words, and edges to other nodes. The cells and the edges of a slot lie in
 * different parts of the communicator's block ({@link RingLayout}). With n slots, operation s uses slot s mod n and is
 * that slot's generation g = s / n, rounded down.
 *
 * <p><b>Steps.</b> The words of a slot are never reset. An algorithm counts steps 1, 2, 3, … in each operation. In a
 * word, step k of generation g is the value (g + 1)·2<sup>20</sup> + k, which is greater than all values of earlier
 * generations.
 *
 * <p><b>Tags.</b> A tag stands beside each READY, ARRIVED and CREDIT word. It is the fingerprint of the sender's calls,
 * with the sender's quiet flag in place of the lowest bit. A rank that awaits one of these words compares the
 * fingerprint with its own, and throws an exception if the calls differ ({@link OperationWait}). DONE words have no
 * tag.
 *
 * <p><b>Quiet operations.</b> The flag {@link #quiet} is true when the operation begins if this rank has left all
 * earlier operations. It becomes false when this rank reads the tag of a rank that is not quiet. A rank in a quiet
 * operation s has left all operations before s. Of a rank that is not quiet one knows only that it has left operation s
 * − n and all before it ({@link OperationSequence#leftBy}). It may itself have left more, because a rank that hears of
 * a rank that is not quiet passes this on in its own tags. A rank uses the flag in two ways. If a node has a single
 * rank, the tag of that rank tells which operations the node has left, so no get is needed ({@code Edges}). If a rank
 * knows that all ranks have entered the operation, the flag tells which operations all ranks have left ({@code
 * Team.noteAllAreHere}).
 */
public final class Operation {
    private static final long QUIET = 1;

    private final RingLayout layout;

    /** The call to which the operation belongs; null before the first operation. */
    public CallArguments call;

    /** The number of the operation, from 0, the same at every rank. */
    public long sequence;
    long slot;

    /** The value that each word of the operation has at step 0. */
    public long base;

    /** The fingerprint of all calls up to this operation, this one included. */
    long history;

    /**
     * Whether this rank, and each rank from which it has read a tag in this operation, has left all operations before
     * this one. Later operations may be in flight.
     */
    public boolean quiet;

    /** Creates the state of a team, which is in no operation yet. */
    public Operation(RingLayout layout) {
        this.layout = layout;
    }

    /** Sets this object to the current operation of a call. The call must have drawn the numbers of its operations. */
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

    /** Returns whether this is the current operation of its call; for assertions. */
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

    /**
     * Returns the offset, in the communicator's block, of the cell that a rank of this node has in the operation's
     * slot.
     *
     * @param local the rank's local rank, its index on the node
     */
    public long cell(int local) {
        return RingLayout.cell(slot, local);
    }

    /**
     * Returns the tag that this rank stores beside its words. The tag is a hash of this rank's calls, with the quiet
     * flag in the lowest bit.
     */
    public long tag() {
        return history & ~QUIET | (quiet ? QUIET : 0);
    }

    /**
     * Returns whether the sender of a tag, a hash of its calls, has made the same calls as this rank up to this
     * operation.
     */
    boolean isSame(long tag) {
        return (tag ^ history) >>> 1 == 0;
    }

    /**
     * Reads the quiet flag of a tag, the hash of calls that another rank has sent. If the sender is not quiet, because
     * it is still in earlier operations, this operation is no longer quiet, either.
     *
     * @return whether the sender is quiet
     */
    boolean hear(long tag) {
        boolean quietThere = (tag & QUIET) != 0;
        quiet &= quietThere;
        return quietThere;
    }
}
