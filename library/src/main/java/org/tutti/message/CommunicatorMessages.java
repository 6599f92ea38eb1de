/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.tutti.DataType;
import org.tutti.FoundMessage;
import org.tutti.Message;
import org.tutti.MessageMismatchException;
import org.tutti.MessageWithdrawnException;
import org.tutti.ReceiveRequest;
import org.tutti.Request;
import org.tutti.collective.members.Members;
import org.tutti.events.AwaitEvent;
import org.tutti.events.ReceiveEvent;
import org.tutti.events.SendEvent;
import org.tutti.memory.EndedRequest;
import org.tutti.memory.Spares;

/**
 * The messages of a rank on one communicator. Ranks are ranks of the communicator here, and ranks of the job in the
 * layers below. Any number of threads may send and receive.
 */
public final class CommunicatorMessages {
    private static final int KEPT_MAX = 256;

    private final RankMessages messages;
    private final long communicator;
    private final Members members;
    private final int rank;
    private final int size;
    private final Spares<Send> sends;
    private final Spares<Receive> receives;
    private final Pool<Send> pendingSends;
    private final Supplier<MessageCheck> checks;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final RankTable<Integer> ranks = new RankTable<>(); // of senders whose rank in the job is another one

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
        this.checks = () -> new MessageCheck(members, rank, size, closed, brokenWord);
        this.sends = new Spares<>(() -> new Send(checks.get()));
        this.receives = new Spares<>(() -> new Receive(checks.get()));
        this.pendingSends = new Pool<>(() -> new Send(checks.get()), KEPT_MAX);
    }

    /** {@return the number by which all ranks know the communicator} */
    long number() {
        return communicator;
    }

    /** {@return the states of the communicator's ranks} */
    Members members() {
        return members;
    }

    /** {@return this rank, a rank of the communicator} */
    int rank() {
        return rank;
    }

    /** Ends the calls of other threads, because this rank closes the communicator or leaves its job. */
    public void end() {
        closed.set(true);
        messages.inFlight().startCheck();
    }

    /** Ends the calls of other threads, and drops the messages that this rank has not received. */
    public void close() {
        end();
        messages.mailbox().drop(communicator);
    }

    // ---- sending

    /**
     * Sends a message, and returns when the sender may use its memory again.
     *
     * @param source the elements
     * @param type the type of the elements
     * @param target the rank that receives
     * @param tag the tag, 0 or more
     * @param isSynchronous whether the call waits until a receive has matched the message
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     */
    public void send(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            long deadlineNanos) {
        checkSend(target, tag);
        SendEvent event = MessageEvents.beginSend();
        Send send = sends.take();
        try {
            begin(send, source, type, target, tag, isSynchronous, deadlineNanos);
            messages.send(send, members.rankInJob(target));
        } finally {
            send.end();
            sends.putBack(send);
        }
        end(event, target, tag, source.byteSize());
    }

    private void begin(Send send, MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            long deadlineNanos) {
        send.check.beginSend(target, tag, deadlineNanos);
        send.check.requireAlive();
        send.begin(communicator, tag, type, source, isSynchronous);
    }

    /**
     * Sends a message without waiting for its receive.
     *
     * @param source the elements, in memory that all threads can access
     * @param type the type of the elements
     * @param target the rank that receives
     * @param tag the tag, 0 or more
     * @param isSynchronous whether the request ends only when a receive has matched the message
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the request must end
     * @return the request
     */
    public Request startSend(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            long deadlineNanos) {
        SendEvent event = MessageEvents.beginSend();
        PendingSend pending = start(source, type, target, tag, isSynchronous, deadlineNanos);
        if (event != null) {
            MessageEvents.end(event, this, target, tag, source.byteSize(), true);
        }
        return pending == null ? EndedRequest.INSTANCE : pending;
    }

    /** Starts a send. Returns null if it is complete. */
    private PendingSend start(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            long deadlineNanos) {
        checkSend(target, tag);
        return sendAtOnce(source, type, target, tag, isSynchronous, deadlineNanos) ? null
                : startWaiting(source, type, target, tag, isSynchronous, deadlineNanos);
    }

    /** Sends a message, if it is eager and has room. Otherwise returns false, and has no effect. */
    private boolean sendAtOnce(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            long deadlineNanos) {
        Send send = sends.take();
        try {
            begin(send, source, type, target, tag, isSynchronous, deadlineNanos);
            return messages.sendAtOnce(send, members.rankInJob(target));
        } finally {
            send.end();
            sends.putBack(send);
        }
    }

    private PendingSend startWaiting(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            long deadlineNanos) {
        messages.inFlight().requireRoom(members, rank);
        Send send = pendingSends.take();
        PendingSend pending = null;
        boolean isInFlight = false;
        try {
            begin(send, source, type, target, tag, isSynchronous, deadlineNanos);
            int there = members.rankInJob(target);
            pending = new PendingSend(messages, send, pendingSends, there);
            send.setOnAnswer(pending::startTransfer);
            isInFlight = !messages.start(send, there);
        } finally {
            if (!isInFlight) {
                send.end();
                pendingSends.putBack(send);
            }
        }
        if (!isInFlight) {
            return null;
        }
        pending.enterFlight();
        return pending;
    }

    /**
     * Checks the arguments of a send.
     *
     * @param target the rank that receives
     * @param tag the tag
     */
    public void checkSend(int target, int tag) {
        checkRank(target, "send to");
        if (tag < 0) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot send with tag " + tag
                    + ": a tag is 0 to " + Integer.MAX_VALUE);
        }
    }

    /**
     * Sends a message, and waits for another one.
     *
     * @param source the elements to send
     * @param sourceType their type
     * @param to the rank that receives them
     * @param target the memory for the elements that come
     * @param targetType their type
     * @param from the rank that sends them, or {@link org.tutti.Messenger#ANY_RANK}
     * @param tag the tag of both messages
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     * @return the number of elements that have come
     */
    public long exchange(MemorySegment source, DataType sourceType, int to, MemorySegment target, DataType targetType,
            int from, int tag, long deadlineNanos) {
        checkReceive(from, tag);
        SendEvent event = MessageEvents.beginSend();
        PendingSend pending = start(source, sourceType, to, tag, false, deadlineNanos);
        if (pending == null) {
            end(event, to, tag, source.byteSize());
        }
        try {
            long count = receive(target, targetType, from, tag, null, deadlineNanos);
            if (pending != null) {
                pending.awaitUnrecorded();
                end(event, to, tag, source.byteSize());
            }
            return count;
        } catch (Throwable failure) {
            if (pending != null && !pending.cancel(failure)) {
                pending.awaitEnd();
                end(event, to, tag, source.byteSize());
            }
            throw failure;
        }
    }

    private void end(SendEvent event, int to, int tag, long bytes) {
        if (event != null) {
            MessageEvents.end(event, this, to, tag, bytes, false);
        }
    }

    // ---- receiving

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
        checkReceive(source, tag);
        ReceiveEvent event = MessageEvents.beginReceive();
        Receive receive = receives.take();
        Send answer = sends.take();
        try {
            receive.begin(communicator, rankInJob(source), tag, type, target);
            receive.check.beginReceive(messages.mailbox(), receive, source, tag, deadlineNanos);
            messages.match(receive);
            while (!fetch(receive, answer)) {
                receive.check.beginAgain();
                messages.matchAgain(receive);
            }
            long count = finish(receive, source, description);
            if (event != null) {
                MessageEvents.end(event, this, sender(receive), receive.matchedTag(), receive.matchedBytes(), false);
            }
            return count;
        } finally {
            answer.end();
            sends.putBack(answer);
            receive.end();
            receives.putBack(receive);
        }
    }

    private long finish(Receive receive, int source, Message description) {
        int from = source == Receive.ANY ? rankOf(receive.matchedSource()) : source;
        requireFit(receive, from);
        receive.complete();
        long count = receive.matchedBytes() / receive.type().bytes();
        if (description != null) {
            description.set(from, receive.matchedTag(), count);
        }
        return count;
    }

    /** Takes the payload of the message that has matched. Returns false if its sender has withdrawn the message. */
    private boolean fetch(Receive receive, Send answer) {
        int from = sender(receive);
        if (receive.isOffer()) {
            receive.check.beginTransfer(from);
        }
        answer.check.beginTransfer(from);
        return messages.fetch(receive, answer);
    }

    /**
     * Starts a receive.
     *
     * @param target the memory for the elements, which all threads can access
     * @param type the type of the elements
     * @param source the rank that sends, or {@link org.tutti.Messenger#ANY_RANK}
     * @param tag the tag, or {@link org.tutti.Messenger#ANY_TAG}
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the request must end
     * @param afterwards an action to run when the elements have come
     * @return the request
     */
    public ReceiveRequest startReceive(MemorySegment target, DataType type, int source, int tag, long deadlineNanos,
            Runnable afterwards) {
        checkReceive(source, tag);
        messages.inFlight().requireRoom(members, rank);
        var message = new Message();
        ReceiveEvent event = MessageEvents.beginReceive();
        Runnable atEnd = event == null ? afterwards : () -> {
            afterwards.run();
            MessageEvents.end(event, this, message.source(), message.tag(), message.count() * type.bytes(), true);
        };
        Receive receive = new Receive(checks.get());
        receive.check.beginReceive(messages.mailbox(), receive, source, tag, deadlineNanos);
        var pending = new PendingReceive(messages, this, receive, message, atEnd);
        receive.begin(communicator, rankInJob(source), tag, type, target, pending);
        messages.start(receive);
        return pending;
    }

    /** Completes a started receive whose payload has come. */
    void complete(Receive receive, Message message) {
        finish(receive, receive.check.source(), message);
        returnCredit(message);
    }

    /** Begins the transfer of the payload for a receive that a message has matched. */
    void beginTransfer(Receive receive) {
        receive.check.beginTransfer(sender(receive));
    }

    /** Lets a rank of another node put the payload. Returns false if the sender has withdrawn the message. */
    boolean beginPut(Receive receive) {
        Send answer = pendingSends.take();
        try {
            beginTransfer(receive);
            answer.check.beginTransfer(sender(receive));
            return messages.beginPut(receive, answer);
        } finally {
            answer.end();
            pendingSends.putBack(answer);
        }
    }

    /** Tells the sender of a message that has been received of its credit, if it must know, on a thread of its own. */
    void returnCredit(Message message) {
        if (messages.isCreditDue(members.rankInJob(message.source()))) {
            messages.background().start("tutti credit", () -> {
                Send answer = pendingSends.take();
                try {
                    answer.check.beginTransfer(message.source());
                    messages.returnCredit(members.rankInJob(message.source()), answer);
                } finally {
                    answer.end();
                    pendingSends.putBack(answer);
                }
            });
        }
    }

    /** Describes a receive for messages of exceptions. */
    String describe(int source, int tag) {
        return "the receive of " + members.describe(rank) + " from "
                + (source == Receive.ANY ? "any rank" : members.describe(source))
                + (tag == Receive.ANY ? "" : " with tag " + tag);
    }

    /**
     * Checks the arguments of a receive.
     *
     * @param source the rank that sends, or {@link org.tutti.Messenger#ANY_RANK}
     * @param tag the tag, or {@link org.tutti.Messenger#ANY_TAG}
     */
    public void checkReceive(int source, int tag) {
        if (source != Receive.ANY) {
            checkRank(source, "receive from");
        }
        if (tag < 0 && tag != Receive.ANY) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot receive tag " + tag
                    + ": a tag is 0 to " + Integer.MAX_VALUE + ", or ANY_TAG");
        }
    }

    private int rankInJob(int source) {
        return source == Receive.ANY ? Receive.ANY : members.rankInJob(source);
    }

    // ---- probes

    /**
     * Waits for a message, and takes it out of the queue without its elements.
     *
     * @param source the rank that sends, or {@link org.tutti.Messenger#ANY_RANK}
     * @param tag the tag, or {@link org.tutti.Messenger#ANY_TAG}
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     * @return the message
     */
    public FoundMessage probe(int source, int tag, long deadlineNanos) {
        Receive receive = beginProbe(source, tag, deadlineNanos);
        AwaitEvent event = AwaitEvent.beginIfRecorded();
        boolean hasReturned = false;
        try {
            messages.match(receive);
            while (messages.isWithdrawn(receive)) {
                messages.matchAgain(receive);
            }
            hasReturned = true;
        } finally {
            if (event != null) {
                event.end(messages.rank(), "probe", !hasReturned);
            }
        }
        return found(receive);
    }

    /**
     * Takes a message out of the queue without its elements, if one has come.
     *
     * @param source the rank that sends, or {@link org.tutti.Messenger#ANY_RANK}
     * @param tag the tag, or {@link org.tutti.Messenger#ANY_TAG}
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     * @return the message, or null
     */
    public FoundMessage tryProbe(int source, int tag, long deadlineNanos) {
        Receive receive = beginProbe(source, tag, deadlineNanos);
        if (messages.tryMatch(receive)) {
            return found(receive);
        }
        RuntimeException failure = receive.check.failure(source);
        if (failure != null && messages.tryMatch(receive)) { // the message has come before the news
            return found(receive);
        }
        if (failure != null) {
            throw failure;
        }
        return null;
    }

    private Receive beginProbe(int source, int tag, long deadlineNanos) {
        checkReceive(source, tag);
        Receive receive = new Receive(checks.get());
        receive.begin(communicator, rankInJob(source), tag);
        receive.check.beginReceive(messages.mailbox(), receive, source, tag, deadlineNanos);
        return receive;
    }

    private FoundMessage found(Receive receive) {
        return new LiveFoundMessage(this, receive, sender(receive));
    }

    /** Receives the elements of a message that a probe has found. */
    void receive(Receive found, int from, MemorySegment target, DataType type) {
        ReceiveEvent event = MessageEvents.beginReceive();
        found.into(type, target);
        requireFit(found, from);
        if (!fetch(found)) {
            throw new MessageWithdrawnException(members.describe(from) + " has withdrawn the message with tag "
                    + found.matchedTag() + " that " + members.describe(rank)
                    + " has found, because its send passed its "
                    + "deadline or was interrupted; probe again");
        }
        found.complete();
        if (event != null) {
            MessageEvents.end(event, this, from, found.matchedTag(), found.matchedBytes(), false);
        }
    }

    private boolean fetch(Receive found) {
        Send answer = pendingSends.take();
        try {
            return fetch(found, answer);
        } finally {
            answer.end();
            pendingSends.putBack(answer);
        }
    }

    /** Drops a message that a probe has found. Its sender goes on. */
    void drop(Receive found) {
        found.into(null, null);
        fetch(found);
    }

    // ---- checks

    private void checkRank(int other, String call) {
        if (other < 0 || other >= size) {
            throw new IllegalArgumentException(members.describe(rank) + " cannot " + call + " rank " + other
                    + ": the ranks of " + members.communicator() + " are 0 to " + (size - 1));
        }
    }

    private int rankOf(int rankInJob) {
        if (rankInJob < size && members.rankInJob(rankInJob) == rankInJob) {
            return rankInJob;
        }
        Integer known = ranks.get(rankInJob);
        return known != null ? known : ranks.getOrMake(rankInJob, this::findRank);
    }

    /**
     * Returns the sender of the message that has matched, a rank of the communicator. Throws, and refuses the message,
     * if another process has named a rank of the job that is not in the communicator.
     */
    private int sender(Receive receive) {
        try {
            return rankOf(receive.matchedSource());
        } catch (IllegalStateException stranger) {
            messages.refuse(receive);
            throw stranger;
        }
    }

    private int findRank(int rankInJob) {
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
