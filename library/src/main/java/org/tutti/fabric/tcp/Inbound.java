/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.WordAction;

/**
 * The receiving half of the connection with another process ({@link Peer}). It examines the header of each arriving
 * frame and directs the payload to its memory. It counts the frames that have arrived without a gap in their numbers,
 * and lets each frame take effect when the count passes its number. Guarded by the peer's receiving lock, except the
 * counts, which any thread may read.
 *
 * <p><b>Two counts.</b> The received count is the number of frames that have arrived without a gap. They need not be
 * retransmitted, but some of them may be deferred ({@link DeferredFrames}). The handled count is the number of frames
 * before the first deferred one, and a fence waits for this count. While no frame is deferred, the counts are equal,
 * and of the two volatile fields only that of the handled count is written.
 */
final class Inbound implements Rail.Receiver, DeferredFrames.Effects {
    private static final int ACK_INTERVAL_FRAMES = 256;
    private static final int ACK_INTERVAL_BYTES = 256 << 10;

    private final Session session;
    private final Requests requests;
    private final RequestServer server;
    private final RegionWriter writer;
    private final AckCounter acks;
    private final RailChoice choice;
    private final AtomicLong refusals;
    private Rail[] rails = {};
    private Frame[] early;
    private final DeferredFrames deferred = new DeferredFrames();
    private long received; // without a gap
    private volatile long handled;
    private volatile long receivedBeyond; // equals received while frames are deferred
    private long awaited;
    private long ackWanted;
    private long ackTold;
    private long receivedTold;
    private int bytesSinceAck;

    /**
     * Creates the receiving half of a peer.
     *
     * @param acks receives the acks of the other side
     * @param choice receives the number of bytes that the other side has received over each rail
     */
    Inbound(Session session, Requests requests, RequestServer server, RegionWriter writer, AckCounter acks,
            RailChoice choice, AtomicLong refusals) {
        this.session = session;
        this.requests = requests;
        this.server = server;
        this.writer = writer;
        this.acks = acks;
        this.choice = choice;
        this.refusals = refusals;
    }

    /** Begins to receive over the rails of a connection. If there are several rails, frames may arrive out of order. */
    void connect(Rail[] all) {
        rails = all;
        deferred.clear();
        early = null;
        if (all.length > 1) {
            early = new Frame[RetransmitBuffer.FRAMES_MAX];
            for (int i = 0; i < early.length; i++) {
                early[i] = new Frame();
            }
        }
    }

    /** Returns the handled count, the number of frames that have arrived without a gap and been handled. */
    long handled() {
        return handled;
    }

    /**
     * Returns the received count, the number of frames that have arrived without a gap. Some of them may be deferred.
     */
    long received() {
        return Math.max(handled, receivedBeyond);
    }

    /** Returns whether frames are deferred, so that they must be tried again. */
    boolean isAnyDeferred() {
        return deferred.isAny();
    }

    /**
     * Returns a number that grows when a frame has taken effect for which a thread may have waited. All numbered frames
     * count, except puts that change no word.
     */
    long awaited() {
        return awaited;
    }

    @Override
    public void begin(Rail rail) throws ProtocolException {
        Frame arriving = rail.frame();
        if (!FrameLayout.isPlausible(arriving)) {
            throw new ProtocolException("a frame of kind " + arriving.kind + " with " + arriving.length + " bytes");
        }
        acks.note(arriving.count);
        if (arriving.number == 0 || isDuplicate(arriving.number)) {
            return;
        }
        long limit = received + (early == null ? 1 : RetransmitBuffer.FRAMES_MAX);
        if (arriving.number > limit) {
            throw new ProtocolException("frame " + arriving.number + " where at most " + limit + " can be");
        }
        if (arriving.kind == FrameLayout.PUT) {
            writer.beginPut(rail.payloadTarget(), arriving);
        } else if (arriving.kind == FrameLayout.ACTIVE_MESSAGE) {
            writer.beginMessage(rail.payloadTarget(), arriving);
        } else if (arriving.kind == FrameLayout.REPLY) {
            requests.aim(rail.payloadTarget(), arriving);
        } else if (arriving.kind == FrameLayout.GET && arriving.has(FrameLayout.PACKED)) {
            rail.payloadTarget().intoBounceBuffer();
        }
    }

    private boolean isDuplicate(long number) {
        return number <= received || early != null && early[index(number)].number == number;
    }

    private static int index(long number) {
        return (int) (number % RetransmitBuffer.FRAMES_MAX);
    }

    @Override
    public boolean end(Rail rail) throws ProtocolException {
        Frame arrived = rail.frame();
        if (arrived.number == 0) {
            takeAck(rail, arrived);
            return true;
        }
        if (isDuplicate(arrived.number)) {
            rail.noteArrived(arrived);
            rail.oweAck(true); // so that the frame is not sent a third time
            return true;
        }
        if (!deliver(rail.payloadTarget(), arrived)) {
            return false;
        }
        if (early == null) {
            pass(arrived);
        } else {
            dropCopies(arrived.number);
            assert early[index(arrived.number)].number <= received
                    : "frame " + arrived.number + " comes into the place of "
                            + early[index(arrived.number)].number + ", and all up to " + received + " have arrived";
            early[index(arrived.number)].copyFrom(arrived);
            passEarly();
        }
        // with one rail the sender keeps no frames until they are acked, so an ack on request is enough
        tellAcks(rail, early != null && (rail.noteArrived(arrived) || bytesSinceAck >= ACK_INTERVAL_BYTES
                || received - receivedTold >= ACK_INTERVAL_FRAMES));
        return true;
    }

    /**
     * Processes an ACK frame. The frame tells how many bytes the other side has received over a rail, and it may
     * request an ack in return.
     */
    private void takeAck(Rail rail, Frame told) throws ProtocolException {
        acks.noteReceived(told.tag);
        choice.noteArrived(told.word, told.offset);
        if (told.has(FrameLayout.WANTS_ACK)) {
            ackWanted = Math.max(ackWanted, told.value);
            if (handled >= told.value) {
                rail.oweAck(true);
            }
        }
    }

    /** Delivers the payload of a frame. Returns false if the frame has to wait in its rail. */
    private boolean deliver(PayloadTarget payloadTarget, Frame arrived) throws ProtocolException {
        if (early == null && !canPass(arrived)) {
            return false;
        }
        if (arrived.kind == FrameLayout.ACTIVE_MESSAGE) {
            return !payloadTarget.isBounced() || deliverMessage(payloadTarget, arrived);
        }
        if (arrived.kind == FrameLayout.PUT) {
            writer.deliverRuns(payloadTarget, arrived);
        } else if (arrived.kind == FrameLayout.GET && arrived.has(FrameLayout.PACKED)) {
            server.keepDescription(arrived, payloadTarget.bounceBuffer()); // the count may pass the frame only later
        }
        return true;
    }

    /** Handles a message that has arrived, or defers it. Returns false if there is no room to defer it. */
    private boolean deliverMessage(PayloadTarget payloadTarget, Frame message) throws ProtocolException {
        if (!deferred.hasRoom(message.length)) {
            return false;
        }
        boolean waits = deferred.precede(message);
        long done = waits ? 0 : handle(message, payloadTarget.bounceBuffer(), 0);
        if (waits || done < message.length) {
            deferred.addMessage(message, payloadTarget.bounceBuffer(), done);
        }
        return true;
    }

    /** Lets an ack be sent if one is due, or if the other side waits for the handled count. */
    private void tellAcks(Rail rail, boolean due) {
        if (due || handled >= ackWanted && ackTold < ackWanted) {
            ackTold = handled;
            receivedTold = received;
            bytesSinceAck = 0;
            rail.oweAck(true);
        }
    }

    /**
     * Tries deferred frames again.
     *
     * @return whether a frame has taken effect
     */
    @Override
    public boolean retry() throws ProtocolException {
        boolean any;
        try {
            any = deferred.retry(this);
        } catch (ProtocolException | RuntimeException | Error e) {
            deferred.clear();
            throw e;
        }
        if (any) {
            awaited++; // perhaps a thread waited for it
            if (early != null) {
                passEarly();
            }
            noteHandled();
            if (rails.length > 0) {
                tellAcks(rails[0], false);
            }
        }
        return any;
    }

    /** Drops the payloads of copies of a frame that are still arriving, because they could overwrite newer bytes. */
    private void dropCopies(long number) {
        for (Rail rail : rails) {
            if (rail.isInFrame() && rail.frame().number == number) {
                rail.payloadTarget().discard();
            }
        }
    }

    // ---- effects

    /**
     * Moves the received count past the early frames, which have arrived before a frame with a lower number, as far as
     * no number is missing.
     */
    private void passEarly() throws ProtocolException {
        Frame next = early[index(received + 1)];
        while (next.number == received + 1 && canPass(next)) {
            pass(next);
            next = early[index(received + 1)];
        }
    }

    /**
     * Returns whether the received count may move past a frame, because the frame can take effect now or there is room
     * to defer it.
     */
    private boolean canPass(Frame next) {
        return deferred.isEmpty() || !mustFollow(next) || deferred.hasRoom(0);
    }

    private boolean mustFollow(Frame effect) {
        return switch (effect.kind) {
            case FrameLayout.PUT -> effect.operation != WordAction.NONE.ordinal() && deferred.precede(effect);
            case FrameLayout.GET, FrameLayout.ATOMIC, FrameLayout.GOODBYE -> deferred.precede(effect);
            default -> false;
        };
    }

    /** Moves the received count past a frame. The frame takes effect or is deferred. */
    private void pass(Frame next) throws ProtocolException {
        if (next.kind == FrameLayout.GOODBYE) {
            session.noteGoodbye(); // even if the connection breaks after this
        }
        if (!deferred.isEmpty() && mustFollow(next)) {
            deferred.addEffect(next);
        } else {
            apply(next);
        }
        assert next.number == received + 1 : "frame " + next.number + " takes effect after " + received;
        received = next.number;
        bytesSinceAck += next.length;
        noteHandled();
    }

    private void noteHandled() {
        if (deferred.isEmpty()) {
            handled = received;
        } else {
            assert deferred.firstNumber() > handled : "frame " + deferred.firstNumber() + " is deferred, and all up to "
                    + handled + " were handled";
            handled = Math.min(received, deferred.firstNumber() - 1);
            receivedBeyond = received;
        }
    }

    @Override
    public long handle(Frame message, MemorySegment payload, long before) throws ProtocolException {
        return writer.handle(message, payload, before);
    }

    @Override
    public void apply(Frame effect) throws ProtocolException {
        if (effect.kind != FrameLayout.PUT || effect.operation != WordAction.NONE.ordinal()) {
            awaited++;
        }
        switch (effect.kind) {
            case FrameLayout.PUT -> writer.applyWord(effect);
            case FrameLayout.ACTIVE_MESSAGE -> {
                return; // the message was handled on arrival, or is deferred
            }
            case FrameLayout.GET, FrameLayout.ATOMIC -> {
                if (!server.add(effect)) {
                    refusals.incrementAndGet();
                }
            }
            case FrameLayout.REPLY -> applyReply(effect);
            case FrameLayout.NEWS -> session.hearNews(effect);
            case FrameLayout.GOODBYE -> session.hearGoodbye(effect);
            default -> throw new ProtocolException("a numbered frame of kind " + effect.kind);
        }
    }

    private void applyReply(Frame reply) throws ProtocolException {
        int request = requests.find(reply);
        requests.note(request, reply);
        if (reply.has(FrameLayout.LAST)) {
            dropReplies(request);
            requests.answer(request);
        }
    }

    /**
     * Drops the payloads of replies to a request that are still arriving. They must not be written any more, because
     * the target of the request belongs to its caller again.
     */
    void dropReplies(int request) {
        for (Rail rail : rails) {
            if (rail.isInFrame() && rail.frame().kind == FrameLayout.REPLY
                    && rail.frame().word == requests.name(request)) {
                rail.payloadTarget().discard();
            }
        }
    }
}
