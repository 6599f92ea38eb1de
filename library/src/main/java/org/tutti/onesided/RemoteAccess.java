/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.function.LongSupplier;

import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;
import org.tutti.fabric.Transport;
import org.tutti.memory.Asking;
import org.tutti.memory.Spares;

/**
 * The state that a rank's calls on one remote memory share, whichever rank's part they access. It checks that the
 * memory may be used. It also supplies the reusable states of calls, the deadlines of calls, and the names of ranks for
 * messages.
 *
 * <p><b>Several threads.</b> A call that may wait, or walks over sections, takes a {@link OneSidedCall} of its own and
 * puts it back when it ends. If two threads store the last seen number of changes of the ranks' states at the same
 * time, the older number may remain. In that case a later call looks for failures once more.
 */
final class RemoteAccess {
    private final PartAllocator allocator;
    private final Members members;
    private final int rank;
    private final Part[] parts;
    private final int elementShift;
    private final LongSupplier deadlineNanos;
    private final Spares<OneSidedCall> spareCalls;
    private final PendingCalls pending; // null when all ranks are on this node
    private final Asking asking = new Asking();
    private long changesSeen;
    private volatile boolean closed;

    /**
     * Creates the state that a rank's calls on one remote memory share.
     *
     * @param allocator the access to the fabric and the node's memory
     * @param rank the rank that makes the calls
     * @param parts the locations of all ranks' parts of the memory, in the order of ranks
     * @param elementShift the number of bits by which an element's index is shifted to give its offset in bytes
     * @param deadlineNanos a function that returns the time of {@link System#nanoTime()} by which a call that begins
     *            now must end
     * @param oneNode whether all ranks are on this node
     */
    RemoteAccess(PartAllocator allocator, int rank, Part[] parts, int elementShift, LongSupplier deadlineNanos,
            boolean oneNode) {
        this.allocator = allocator;
        this.members = allocator.members();
        this.rank = rank;
        this.parts = parts;
        this.elementShift = elementShift;
        this.deadlineNanos = deadlineNanos;
        this.spareCalls = allocator.spareCalls(parts.length, rank);
        this.pending =
                oneNode ? null : new PendingCalls(allocator.fabric(), members, rank, allocator.hasCoreForEach(),
                        allocator.policy());
    }

    int rank() {
        return rank;
    }

    /** Returns the states of the ranks. */
    Members members() {
        return members;
    }

    /** Returns the name of this rank for messages. */
    String self() {
        return describe(rank);
    }

    String describe(int other) {
        return members.describe(other);
    }

    /** Returns a rank, if it has a part of this memory. Otherwise throws an exception. */
    int checkRank(int of) {
        if (of < 0 || of >= parts.length) {
            throw new IllegalArgumentException("rank " + of + " has no part of this memory, whose ranks are 0 to "
                    + (parts.length - 1));
        }
        return of;
    }

    /** Returns the index of a notification word, if the part of a rank has it. Otherwise throws an exception. */
    int checkNotification(int of, int notification) {
        if (notification < 0 || notification >= parts[of].notifications()) {
            throw new IndexOutOfBoundsException(self() + " cannot use notification word " + notification + " of "
                    + describe(of) + "'s part, which has " + parts[of].notifications()
                    + "; the number is chosen when memory is allocated");
        }
        return notification;
    }

    /** Returns the number of bits by which an element's index is shifted to give its offset in bytes. */
    int elementShift() {
        return elementShift;
    }

    /**
     * Throws an exception if the memory is closed, this rank has left its job, or a rank has failed. Calls begin with
     * it.
     */
    void checkUsable(String call) {
        if (closed || allocator.hasEnded()) {
            throw new IllegalStateException(self() + " cannot " + call + ": "
                    + (closed ? "this remote memory has been closed"
                            : "it has left its job, and remote memory with it"));
        }
        long changes = members.changes();
        if (changes != changesSeen) {
            RuntimeException failure = members.failure(CallCheck.ANY);
            if (failure != null) {
                throw failure;
            }
            changesSeen = changes;
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Records that the memory is closed. */
    void close() {
        closed = true;
    }

    // ---- the state of a call

    /** Returns a state for a call that begins. The call puts it back when it ends. */
    OneSidedCall takeCall() {
        OneSidedCall call = spareCalls.take();
        assert call.setInUse(true) : "two calls of " + self() + " have the same state";
        return call;
    }

    /** Ends a call, and puts its state back for other calls. */
    void putBack(OneSidedCall call) {
        assert call.setInUse(false) : "a call of " + self() + " ends twice";
        call.end();
        spareCalls.putBack(call);
    }

    /** Returns the time by which a call that begins now must end. */
    long deadlineNanos() {
        return deadlineNanos.getAsLong();
    }

    /** Returns the check of a call that may wait for a rank on another node, prepared for that call. */
    CallCheck begin(OneSidedCall call, String name, int target) {
        return call.check.begin(name, target, deadlineNanos());
    }

    /**
     * Returns the value that a compare-and-swap on remote memory has found. If it is not the expected value, the rank
     * will probably try again. Therefore this method sometimes lets other threads run before it returns.
     */
    long compared(long expected, long found) {
        if (found != expected) {
            asking.inVain();
        }
        return found;
    }

    /**
     * Lets other threads run at intervals. A call without success calls this method, because the rank may repeat the
     * call.
     */
    void askedInVain() {
        asking.inVain();
    }

    // ---- non-blocking calls

    /** Returns a new request that no call uses yet; null if all ranks are on this node. */
    OneSidedRequest newRequest() {
        return pending == null ? null : new OneSidedRequest(pending);
    }

    /** Returns the request of a call that begins. That is the given request, or a new one if the given one is null. */
    OneSidedRequest beginRequest(OneSidedRequest given) {
        return (given != null ? given : new OneSidedRequest(pending)).until(deadlineNanos());
    }

    /** Returns the non-blocking calls of this rank that have not ended; null if all ranks are on this node. */
    PendingCalls pending() {
        return pending;
    }

    /** Sends puts that were delayed. */
    void flush() {
        Transport fabric = allocator.fabric();
        if (fabric != null) {
            fabric.flush();
        }
    }
}
