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
 * Begins, leaves and breaks off the operations of a team at one rank. {@link #begin} waits until the operation's slot,
 * its part of the communicator's memory, is free. It then writes a description of the call into the slot. {@link
 * #leave} gives memory back and tells other ranks that this rank has left. {@link #breakOff} ends a failed operation
 * and breaks the communicator. A team has one such object for all its operations. {@link Call#run} calls its methods.
 *
 * <p><b>Leaving and closing.</b> When a rank has finished operation s and all before it, it stores s + 1 in its
 * <i>left</i> word. An operation that all ranks of the node have left is <i>closed</i>. With n slots, a rank enters
 * operation s only when operation s − n is closed, so no rank writes to a cell, a payload or a window that another rank
 * may still read. (A team of non-blocking calls waits for operation s − {@value OperationSequence#AT_ONCE_MAX}
 * instead.) A rank that does not know whether the operation is closed reads the left words of all ranks of the node.
 * The left words are usually far ahead, so a rank reads them about once in n operations. {@link Edges} does the same
 * between nodes. Nothing else protects the memory of an operation against a later operation.
 *
 * <p><b>Memory ordering.</b> The writer stores fingerprint, payload and window with plain stores, and then posts with
 * release order ({@link StepWords#post}). The reader awaits with acquire order ({@link StepWords#await}), reads with
 * plain reads, and then leaves the operation ({@link #leave}), which stores its left word with release order. The
 * writer loads all left words with acquire order before its next store to the slot. Hence every read in an operation
 * happens before every write in the next operation that uses the slot.
 *
 * <p><b>Breaking.</b> An operation that ends with an exception leaves its slot undefined, so it breaks the
 * communicator. The first rank that breaks it sets the broken word to the reason and its rank. Ranks that wait in vain,
 * and ranks in later calls, see the word and throw an exception. {@link CommunicatorClose} argues why memory can be
 * used again afterwards.
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
    private boolean inside; // inside an operation; only assertions look
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

    /**
     * Returns whether this rank is a master that has not yet claimed the eager buffers of its node. It claims them in
     * the first operation that needs them.
     */
    boolean mayClaim() {
        return mayClaim;
    }

    /**
     * Begins the current operation of a call. The method throws an exception if the communicator cannot be used any
     * more. Otherwise it waits until the operation's slot, its part of the communicator's memory, is free, and writes
     * the arguments of the call there for the other ranks to compare.
     *
     * @param drawn the call, whose operations have been numbered
     * @param claims whether this rank must claim the eager buffers of its node, its memory for messages from other
     *            nodes, because the operation needs them
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
        if (left > operation.sequence) { // another thread has seen a failure that this one did not see
            waiting.checkAlive();
        }
        assert left > operation.sequence - context.layout.slots() : operation + " begins in a slot of " + left;
        Descriptor.write(machine, context.ring, operation.cell(context.localRank) + RingLayout.DESCRIPTOR, drawn);
    }

    /** Sets whether the team is inside an operation, and returns whether that is a change; for assertions. */
    private boolean setInside(boolean now) {
        boolean before = inside;
        inside = now;
        return before != now;
    }

    /**
     * Returns whether the current operation may follow the team's previous one; for assertions. The numbers of a team's
     * operations must grow, except those of non-blocking calls, which may begin in any order.
     */
    private boolean follows() {
        long before = last;
        last = operation.sequence;
        return before < last || !context.blocking && before != last; // other threads begin them in any order
    }

    /**
     * Leaves the current operation. The method flushes puts to other nodes, gives memory back, and tells other ranks
     * that this rank has left.
     */
    public void leave() {
        assert setInside(false) && operation.isCurrent() : operation + " is left without having begun";
        waiting.flush();
        giveBack();
        operations.leave(machine, operation.sequence);
    }

    /**
     * Breaks off the current operation, the rest of its call and the communicator.
     *
     * @param failure the exception with which the operation has failed
     */
    public void breakOff(Throwable failure) {
        assert setInside(false) || failure != null : operation + " is broken off without a reason";
        try {
            if (operations.isComplete()) {
                broken.set(failure); // before the memory that it shows is gone, so that others see why
            }
        } catch (IllegalStateException closed) { // the job was closed under the call, and its memory is gone
            failure.addSuppressed(closed);
        }
        windows.revoke(); // later puts of other nodes must not reach a later operation
        loans.forgetBorrowed(); // other ranks' arrays must not be kept alive
        giveBack(); // a late put must not write to memory that the caller uses again
        try {
            operations.leaveAll(machine, operation.call.operationsLeft());
        } catch (IllegalStateException closed) {
            failure.addSuppressed(closed);
        }
    }

    /**
     * Ends the loans of the caller's memory and gives the windows back to the pool. The caller uses its memory again
     * after the call.
     */
    private void giveBack() {
        loans.takeBack();
        invitations.revokeAll();
        windows.giveBack();
    }
}
