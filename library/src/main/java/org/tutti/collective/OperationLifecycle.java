/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.communicator.BrokenWord;
import org.tutti.collective.communicator.CommunicatorClose;
import org.tutti.collective.flow.Edges;
import org.tutti.collective.flow.RendezvousOffers;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.CallArguments;
import org.tutti.collective.operation.Descriptor;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.OperationWait;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;
import org.tutti.collective.window.OperationWindows;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * The life of an operation at one rank: from the call that draws its number to the word that says that the rank has
 * left it.
 *
 * <p><b>Leaving and closing.</b> When a rank has finished operation s and all before it, it stores s + 1 in its
 * <i>left</i> word. An operation that all ranks have left is <i>closed</i>. A rank enters operation s only when
 * operation s − n is closed, where n is the number of slots: so no rank writes to a cell, a payload or a window that
 * another rank may still read. A rank that finds its own knowledge of the closed operations too old reads the left
 * words of all ranks; as these are usually far ahead, it does so once in some n operations. {@link Edges} does the same
 * between nodes. This is the one mechanism against overrunning.
 *
 * <p><b>Memory ordering.</b> Writer: fingerprint, payload and window with plain stores, then {@link StepWords#post}
 * with release order. Reader: {@link StepWords#await} with acquire order, then plain reads, then {@link #leave}, which
 * stores the left word with release order. Writer again: acquire loads of all left words before its next store to the
 * slot. Hence every read of generation g happens before every write of generation g + 1.
 *
 * <p><b>Breaking.</b> An operation that ends with an exception leaves its slot undefined, so it breaks the
 * communicator: the first rank that does so sets the broken word to its reason and rank; ranks that wait in vain and
 * later calls see it. {@link CommunicatorClose} says what comes then.
 */
public final class OperationLifecycle {
    private final TeamContext context;
    private final Machine machine;
    private final OperationSequence operations;
    private final Operation operation;
    private final OperationWait waiting;
    private final OperationWindows windows;
    private final ZeroCopyLoans loans;
    private final RendezvousOffers invitations;
    private final BrokenWord broken;
    private boolean mayClaim;
    private boolean inside; // an operation; only assertions look
    private long last = -1; // the last operation; only assertions look

    OperationLifecycle(TeamContext context, Operation operation, OperationWait waiting, OperationWindows windows,
            ZeroCopyLoans loans,
            RendezvousOffers invitations, BrokenWord broken) {
        this.context = context;
        this.machine = context.machine;
        this.operations = context.operations;
        this.operation = operation;
        this.waiting = waiting;
        this.windows = windows;
        this.loans = loans;
        this.invitations = invitations;
        this.broken = broken;
        this.mayClaim = context.nodes() > 1 && context.isMaster();
    }

    /** Whether this rank is the one that claims the eager buffers of its node, and has not claimed them. */
    boolean mayClaim() {
        return mayClaim;
    }

    /**
     * Begins the present operation of a call that was drawn: notices what has broken meanwhile, waits until the slot is
     * free, and writes the call's descriptor.
     *
     * @param claims whether this rank claims the eager buffers of its node, as the operation needs them
     */
    void begin(CallArguments drawn, boolean claims) {
        operation.begin(drawn);
        assert setInside(true) && follows() : operation + " begins inside or after operation " + last;
        waiting.checkAlive();
        waiting.awaitClosed(
                operation.sequence - (context.blocking ? context.layout.slots() : OperationSequence.AT_ONCE_MAX));
        if (claims) {
            context.eagerBuffers.claim(machine); // before this rank waits for any other one in the operation
            mayClaim = false;
        }
        long left = operations.left(machine);
        operation.quiet = left == operation.sequence;
        if (left > operation.sequence) { // another thread has found meanwhile what this one did not see yet
            waiting.checkAlive();
        }
        assert left > operation.sequence - context.layout.slots() : operation + " begins in a slot of " + left;
        Descriptor.write(machine, context.ring, operation.cell(context.localRank) + RingLayout.DESCRIPTOR, drawn);
    }

    /** Whether this is no news; for assertions. */
    private boolean setInside(boolean now) {
        boolean before = inside;
        inside = now;
        return before != now;
    }

    /** Whether the number is greater than that of the operation before; for assertions. */
    private boolean follows() {
        long before = last;
        last = operation.sequence;
        return before < last || !context.blocking && before != last; // other threads begin them in any order
    }

    /** Ends the operation at this rank. */
    public void leave() {
        assert setInside(false) && operation.isCurrent() : operation + " is left without having begun";
        waiting.flush();
        giveBack();
        operations.leave(machine, operation.sequence);
    }

    /** Ends the call, and the communicator, because of an exception. */
    public void breakOff(Throwable failure) {
        assert setInside(false) || failure != null : operation + " is broken off without a reason";
        try {
            if (operations.isComplete()) {
                broken.set(failure); // before others miss what it had
            }
        } catch (IllegalStateException closed) { // the job was closed under the call, and its memory is gone
            failure.addSuppressed(closed);
        }
        windows.revoke(); // what others still put there must not come into a later operation
        loans.forgetBorrowed(); // nor keep alive what they have lent
        giveBack(); // or a late put would write to memory that the caller uses for something else
        try {
            operations.leaveAll(machine, operation.call.operationsLeft());
        } catch (IllegalStateException closed) {
            failure.addSuppressed(closed);
        }
    }

    /** Gives back what the operation had from the caller, who uses it again afterwards, and from the pool. */
    private void giveBack() {
        loans.takeBack();
        invitations.revokeAll();
        windows.giveBack();
    }
}
