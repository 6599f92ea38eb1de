/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.function.LongSupplier;

import org.tutti.collective.members.Members;
import org.tutti.fabric.Transport;
import org.tutti.memory.Asking;

/**
 * What the calls of a rank on a remote memory have in common, whichever part they are for: whether the memory may be
 * used, the state of a call while it lasts, its deadline, and what ranks are called in messages.
 *
 * <p><b>Several threads.</b> A call that may wait, or walks over sections, takes a {@link OneSidedCall} of its own and
 * puts it back when it ends. The number of changes that was seen last may be an older one when two threads store it:
 * then a later call looks for failures once more.
 */
final class RemoteAccess {
    private final PartAllocator allocator;
    private final Members members;
    private final int rank;
    private final Part[] parts;
    private final int elementShift;
    private final LongSupplier deadlineNanos;
    private final Spares<OneSidedCall> spareCalls;
    private final PendingGets pending; // null when all ranks are on this node
    private final Asking asking = new Asking();
    private long changesSeen;
    private volatile boolean closed;

    /**
     * @param elementShift by how many bits an index of elements is shifted to be an offset in bytes
     * @param deadlineNanos says when a call that begins now must end
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
                oneNode ? null : new PendingGets(allocator.fabric(), members, rank, allocator.hasCoreForEach());
    }

    int rank() {
        return rank;
    }

    /** What is known of the ranks' lives. */
    Members members() {
        return members;
    }

    /** What to call this rank in messages. */
    String self() {
        return describe(rank);
    }

    String describe(int other) {
        return members.describe(other);
    }

    int checkRank(int of) {
        if (of < 0 || of >= parts.length) {
            throw new IllegalArgumentException("rank " + of + " has no part of this memory, whose ranks are 0 to "
                    + (parts.length - 1));
        }
        return of;
    }

    int checkNotification(int of, int notification) {
        if (notification < 0 || notification >= parts[of].notifications()) {
            throw new IndexOutOfBoundsException(self() + " cannot use notification word " + notification + " of "
                    + describe(of) + "'s part, which has " + parts[of].notifications()
                    + "; the number is chosen when memory is allocated");
        }
        return notification;
    }

    /** By how many bits an index of elements is shifted to be an offset in bytes. */
    int elementShift() {
        return elementShift;
    }

    /** Before a call does anything: the memory is open, this rank has not left, and none has failed. */
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

    /** The memory cannot be used any more. */
    void close() {
        closed = true;
    }

    // ---- the state of a call

    /** A call begins that needs more than its arguments; it gives back what it gets here. */
    OneSidedCall takeCall() {
        OneSidedCall call = spareCalls.take();
        assert call.setInUse(true) : "two calls of " + self() + " have the same state";
        return call;
    }

    void putBack(OneSidedCall call) {
        assert call.setInUse(false) : "a call of " + self() + " ends twice";
        call.end();
        spareCalls.putBack(call);
    }

    /** When a call that begins now must end. */
    long deadlineNanos() {
        return deadlineNanos.getAsLong();
    }

    /** A call begins that may wait for a rank on another node. */
    CallCheck begin(OneSidedCall call, String name, int target) {
        return call.check.begin(name, target, deadlineNanos());
    }

    /** Returns what a compare-and-swap has found: a rank that finds something else is about to ask again. */
    long compared(long expected, long found) {
        if (found != expected) {
            asking.inVain();
        }
        return found;
    }

    /** A rank has asked for something that it may ask for again. */
    void askedInVain() {
        asking.inVain();
    }

    // ---- what is not waited for

    /** A request for pieces from other nodes, which belongs to no call yet; null when all ranks are on this node. */
    OneSidedRequest newRequest() {
        return pending == null ? null : new OneSidedRequest(pending);
    }

    /** The request of a call that begins: a given one, or for null a new one. */
    OneSidedRequest beginRequest(OneSidedRequest given) {
        return (given != null ? given : new OneSidedRequest(pending)).until(deadlineNanos());
    }

    /** What this rank has asked other nodes for, and not waited for; null when all ranks are on this node. */
    PendingGets pending() {
        return pending;
    }

    /** Sends what was gathered. */
    void flush() {
        Transport fabric = allocator.fabric();
        if (fabric != null) {
            fabric.flush();
        }
    }
}
