/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.tutti.JobAbortedException;
import org.tutti.RankFailedException;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.Breakage;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;

/**
 * Decides whether a send or a receive must stop waiting. It ends if a rank of the communicator has failed, if the other
 * rank has left the job, if the communicator is broken, if the thread is interrupted, or if the deadline has passed. A
 * rank's messages come before the news that the rank has left or failed. Therefore a receive looks for its message once
 * more before it fails.
 */
final class MessageCheck extends CallCheck {
    private final AtomicBoolean closed;
    private final LongSupplier brokenWord;
    private final int size;
    private Mailbox mailbox;
    private Receive receive; // null for a send
    private int other;
    private int tag;
    private long changesSeen;
    private long receiveDeadlineNanos;
    private int receiveSource;
    private boolean transfers;

    /**
     * Creates a check for the messages of a rank, one after another.
     *
     * @param members the states of the communicator's ranks
     * @param rank the rank that sends or receives
     * @param size the number of ranks of the communicator
     * @param closed whether this rank has closed the communicator
     * @param brokenWord returns the word that tells why the communicator is broken, 0 if it is not
     */
    MessageCheck(Members members, int rank, int size, AtomicBoolean closed, LongSupplier brokenWord) {
        super(members, rank);
        this.size = size;
        this.closed = closed;
        this.brokenWord = brokenWord;
    }

    /** Prepares this object for a send to a rank of the communicator. */
    void beginSend(int target, int ofTag, long untilNanos) {
        begin("send", target, untilNanos);
        transfers = false;
        receive = null;
        other = target;
        tag = ofTag;
    }

    /** Prepares this object for a receive. The source is a rank of the communicator, or {@link #ANY}. */
    void beginReceive(Mailbox from, Receive ofReceive, int source, int ofTag, long untilNanos) {
        mailbox = from;
        receive = ofReceive;
        receiveSource = source;
        receiveDeadlineNanos = untilNanos;
        tag = ofTag;
        beginAgain();
    }

    /** Prepares this object for another message of the same receive, because the sender has withdrawn the first one. */
    void beginAgain() {
        begin("receive", receiveSource, receiveDeadlineNanos);
        other = receiveSource;
        transfers = false;
    }

    /** Returns the source of a receive, a rank of the communicator, or {@link #ANY}. */
    int source() {
        return receiveSource;
    }

    /**
     * Begins the transfer of an offered payload, for which both sides are ready. Only an abort of the job or a failure
     * of the other rank ends it, because the transfer ends soon and the other side relies on it.
     */
    void beginTransfer() {
        transfers = true;
    }

    /** Begins the transfer of an offered payload from a rank of the communicator. */
    void beginTransfer(int from) {
        begin(called(), from, Long.MAX_VALUE);
        other = from;
        transfers = true;
    }

    /**
     * Waits for a word of a transfer. The other rank may leave the job as soon as it has raised the word. Therefore the
     * word is read once more before the wait fails.
     */
    void awaitTransfer(Machine machine, MemorySegment memory, long offset, long atLeast) {
        assert transfers : "no transfer has begun";
        try {
            machine.await(memory, offset, atLeast, this);
        } catch (RankFailedException failure) {
            if (machine.load(memory, offset) < atLeast) {
                throw failure;
            }
        }
    }

    @Override
    public void check() {
        if (transfers) {
            checkOthers();
        } else {
            super.check();
        }
    }

    @Override
    public RuntimeException failure(int of) {
        if (transfers) {
            return failureOfTransfer();
        }
        RuntimeException failure = reason(of);
        if (failure != null && receive != null) {
            mailbox.serve(receive); // a receive that is matched then goes on in spite of the exception
        }
        return failure;
    }

    /** Returns whether a transfer that has begun must end, because the job is aborted or the other rank is gone. */
    boolean mustEndTransfer() {
        return transfers && failureOfTransfer() != null;
    }

    /** Returns the failure that ends a transfer: an abort, or that the other rank is gone. */
    private RuntimeException failureOfTransfer() {
        RuntimeException failure = members.failure(other);
        return failure instanceof JobAbortedException || members.isGone(other) ? failure : null;
    }

    private RuntimeException reason(int of) {
        RuntimeException failure = super.failure(of);
        if (failure != null) {
            return failure;
        }
        if (closed.get()) { // the memory of the communicator may have another use
            return new IllegalStateException(members.describe(rank) + " has closed the communicator during "
                    + called() + "; close it after the last call");
        }
        long broken = brokenWord.getAsLong();
        if (broken != 0) {
            return Breakage.exception(broken, members,
                    members.describe(rank) + " cannot go on with " + called() + ": ");
        }
        return of == ANY && haveAllOthersLeft() ? super.failure(rank == 0 ? 1 : 0) : null;
    }

    private boolean haveAllOthersLeft() {
        for (int each = 0; each < size; each++) {
            if (each != rank && !members.hasLeft(each)) {
                return false;
            }
        }
        return size > 1;
    }

    /** Throws if a send that begins cannot succeed, because of a failure, or because the target has left. */
    void requireAlive() {
        long changes = members.changes();
        if (changes != changesSeen || members.isGone(other) || brokenWord.getAsLong() != 0) {
            RuntimeException failure = reason(other);
            if (failure != null) {
                throw failure;
            }
            changesSeen = changes;
        }
    }

    @Override
    protected String name() {
        return called() + (tag == Receive.ANY ? " (any tag)" : " (tag " + tag + ")");
    }

    @Override
    protected String awaited() {
        return receive == null ? super.awaited() + " to receive the message with tag " + tag
                : "a message of " + super.awaited() + (tag == Receive.ANY ? "" : " with tag " + tag);
    }

    @Override
    protected String afterInterrupt() {
        return receive == null ? "the message has not been sent" : "it can receive again";
    }
}
