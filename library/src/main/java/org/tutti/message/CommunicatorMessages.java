/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.tutti.DataType;
import org.tutti.Message;
import org.tutti.MessageMismatchException;
import org.tutti.collective.members.Members;
import org.tutti.memory.Spares;

/**
 * The messages of a rank on one communicator. Ranks are ranks of the communicator here, and ranks of the job in the
 * layers below. Any number of threads may send and receive.
 */
public final class CommunicatorMessages {
    private final RankMessages messages;
    private final long communicator;
    private final Members members;
    private final int rank;
    private final int size;
    private final Spares<Send> sends;
    private final Spares<Receive> receives;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Creates the messages of a rank on a communicator.
     *
     * @param messages the messages of the rank
     * @param communicator the number by which all ranks know the communicator
     * @param members the states of the communicator's ranks
     * @param rank this rank, a rank of the communicator
     * @param size the number of ranks of the communicator
     * @param brokenWord returns the word that tells why the communicator is broken, 0 if it is not
     */
    public CommunicatorMessages(RankMessages messages, long communicator, Members members, int rank, int size,
            LongSupplier brokenWord) {
        this.messages = messages;
        this.communicator = communicator;
        this.members = members;
        this.rank = rank;
        this.size = size;
        this.sends = new Spares<>(() -> new Send(new MessageCheck(members, rank, size, closed, brokenWord)));
        this.receives = new Spares<>(() -> new Receive(new MessageCheck(members, rank, size, closed, brokenWord)));
    }

    /** Ends the calls of other threads, because this rank closes the communicator or leaves its job. */
    public void end() {
        closed.set(true);
    }

    /** Ends the calls of other threads, and drops the messages that this rank has not received. */
    public void close() {
        end();
        messages.mailbox().drop(communicator);
    }

    /**
     * Sends a message, and returns when the sender may use its memory again.
     *
     * @param source the elements
     * @param type the type of the elements
     * @param target the rank that receives
     * @param tag the tag, 0 or more
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     */
    public void send(MemorySegment source, DataType type, int target, int tag, long deadlineNanos) {
        checkRank(target, "send to");
        if (tag < 0) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot send with tag " + tag
                    + ": a tag is 0 to " + Integer.MAX_VALUE);
        }
        Send send = sends.take();
        try {
            send(send, source, type, target, tag, deadlineNanos);
        } finally {
            send.end();
            sends.putBack(send);
        }
    }

    private void send(Send send, MemorySegment source, DataType type, int target, int tag, long deadlineNanos) {
        send.check.beginSend(target, tag, deadlineNanos);
        send.check.requireAlive();
        send.begin(communicator, tag, type, source);
        messages.send(send, members.rankInJob(target));
    }

    /**
     * Waits for a message.
     *
     * @param target the memory for the elements
     * @param type the type of the elements
     * @param source the rank that sends, or {@link org.tutti.Messenger#ANY_RANK}
     * @param tag the tag, or {@link org.tutti.Messenger#ANY_TAG}
     * @param description receives the source, the tag and the length of the message; may be null
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     * @return the number of elements that have come
     */
    public long receive(MemorySegment target, DataType type, int source, int tag, Message description,
            long deadlineNanos) {
        if (source != Receive.ANY) {
            checkRank(source, "receive from");
        }
        if (tag < 0 && tag != Receive.ANY) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot receive tag " + tag
                    + ": a tag is 0 to " + Integer.MAX_VALUE + ", or ANY_TAG");
        }
        Receive receive = receives.take();
        Send answer = sends.take();
        try {
            receive.begin(communicator, source == Receive.ANY ? Receive.ANY : members.rankInJob(source), tag, type,
                    target);
            receive.check.beginReceive(messages.mailbox(), receive, source, tag, deadlineNanos);
            answer.check.beginSend(source, tag, deadlineNanos);
            int from = receive(receive, answer, source, deadlineNanos);
            requireFit(receive, from);
            long count = receive.matchedBytes() / type.bytes();
            if (description != null) {
                description.set(from, receive.matchedTag(), count);
            }
            return count;
        } finally {
            answer.end();
            sends.putBack(answer);
            receive.end();
            receives.putBack(receive);
        }
    }

    /** Receives a message, and returns the rank of the communicator that has sent it. */
    private int receive(Receive receive, Send answer, int source, long deadlineNanos) {
        while (true) {
            messages.match(receive);
            int from = source == Receive.ANY ? rankOf(receive.matchedSource()) : source;
            if (receive.isOffer()) {
                receive.check.beginTransfer(from);
                answer.check.beginTransfer(from);
            }
            if (messages.fetch(receive, answer)) {
                receive.complete();
                return from;
            }
            receive.beginAgain();
            receive.check.beginReceive(messages.mailbox(), receive, source, receive.tag, deadlineNanos);
            answer.check.beginSend(source, receive.tag, deadlineNanos);
        }
    }

    private void checkRank(int other, String call) {
        if (other < 0 || other >= size) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot " + call + " rank " + other
                    + ": the ranks of " + members.communicator() + " are 0 to " + (size - 1));
        }
    }

    private int rankOf(int rankInJob) {
        for (int each = 0; each < size; each++) {
            if (members.rankInJob(each) == rankInJob) {
                return each;
            }
        }
        throw new IllegalStateException("rank " + rankInJob + " of the job has sent a message to "
                + members.communicator() + ", which it is not in");
    }

    private void requireFit(Receive receive, int from) {
        if (receive.fits()) {
            return;
        }
        String message = members.describe(rank) + " has received a message of " + members.describe(from) + " with tag "
                + receive.matchedTag() + " that has "
                + receive.matchedBytes() / receive.matchedType().bytes() + " elements of type " + receive.matchedType();
        throw new MessageMismatchException(receive.matchedType() != receive.type()
                ? message + ", but the receive is for type " + receive.type() + "; receive the type that was sent"
                : message + ", but the receive has room for "
                        + receive.target().byteSize() / receive.type().bytes() + "; make it longer");
    }
}
