/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;

/**
 * Executes the calls that send to another process and get no data from it, which are puts, active messages, fences and
 * news. Each call runs on its caller's thread, under the sending lock of the {@link Peer}. A long transfer is sent in
 * parts of {@value #TURN_BYTES} bytes. Between two parts, this process answers requests, and threads that have queued
 * for the lock get it.
 *
 * <p>If the two processes have one rail (connection), a long payload in one run of memory is written from where it
 * lies, several frames with one system call if the memory is native. Memory of the Java heap is written in this way
 * over a wire that takes arrays. Other payloads are copied to the rail's buffer. With several rails, frames are kept
 * until they are acked. Long payloads are then copied to the {@link RetransmitBuffer}, and written from there.
 */
final class Sender {
    private static final int TURN_BYTES = FrameLayout.DIRECT_BYTES_MAX;

    private final Session session;
    private final SendingSide sending;
    private final Outbound outbound;
    private final AckCounter acks;
    private final Frame called = new Frame();
    private final SectionPieces whole = new SectionPieces();

    Sender(Session session, SendingSide sending, Outbound outbound, AckCounter acks) {
        this.session = session;
        this.sending = sending;
        this.outbound = outbound;
        this.acks = acks;
    }

    /** Puts bytes and changes a word, as {@link org.tutti.fabric.Transport#put} describes. */
    boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        long bytes = source.bytes();
        long at = 0;
        while (true) {
            long part = Math.min(bytes - at, TURN_BYTES);
            WordAction due = at + part == bytes ? target.action() : WordAction.NONE;
            boolean direct = false;
            sending.lock(check);
            try {
                direct = part >= Outbound.SENT_DIRECTLY_BYTES_MIN && source.runs() == 1
                        && isSentDirectly(source.segment(0), part);
                if (at == 0) {
                    outbound.choice().beginMessage();
                }
                called.of(FrameLayout.PUT).region = target.region();
                called.offset = target.offset() + at;
                called.word = target.word();
                called.value = target.value();
                called.tag = target.tag();
                if (!(direct ? putDirectly(source.segment(0), source.offset(0) + at, part, due, check)
                        : putCopied(source, at, part, due, check))) {
                    return false;
                }
            } finally {
                // a put without a word is followed by one that raises a word
                sending.unlock(direct || due != WordAction.NONE && outbound.hasGatheredMuch());
            }
            at += part;
            assert at <= bytes && (part > 0 || bytes == 0) : at + " bytes were sent of " + bytes;
            if (at == bytes) {
                return true;
            }
            sending.giveTurn(check);
        }
    }

    private boolean putDirectly(MemorySegment source, long sourceOffset, long bytes, WordAction action,
            Waiter.Check check) {
        try {
            whole.begin(called.offset, source, sourceOffset, bytes);
            return sendBatches(whole, 0, action.ordinal(), check);
        } finally {
            whole.begin(0, MemorySegment.NULL, 0, 0); // no memory is kept for longer than a call
        }
    }

    private boolean putCopied(PutSource source, long from, long bytes, WordAction action, Waiter.Check check) {
        long at = 0;
        do {
            Rail rail = nextRail(bytes, bytes - at, check);
            if (rail == null) {
                return false;
            }
            called.operation = operation(FrameLayout.PUT, action.ordinal(), at + called.length == bytes);
            outbound.append(rail, called, source, from + at);
            at += called.length;
            assert at <= bytes : at + " bytes were sent of " + bytes;
            called.offset += called.length;
        } while (at < bytes);
        return true;
    }

    /** Returns the operation of a frame. Only the last frame of a put has the action that changes the word. */
    private static short operation(byte kind, int operation, boolean last) {
        return (short) (last || kind != FrameLayout.PUT ? operation : WordAction.NONE.ordinal());
    }

    /** Sends all bytes of a transfer, as {@link SectionTransport#send} describes. */
    boolean send(long region, SectionPieces pieces, int operation, long argument0, long argument1, Waiter.Check check) {
        long all = pieces.left();
        boolean there = true;
        while (there && pieces.left() > TURN_BYTES) {
            there = sendPart(region, pieces, all, pieces.left() - TURN_BYTES, operation, argument0, argument1, check);
            sending.giveTurn(check);
        }
        return there && sendPart(region, pieces, all, 0, operation, argument0, argument1, check);
    }

    /**
     * Sends the next bytes of a transfer, until a given number of bytes is left.
     *
     * @param all the number of bytes of the whole transfer
     * @param rest the number of bytes that remain unsent when this method returns
     */
    private boolean sendPart(long region, SectionPieces pieces, long all, long rest, int operation, long argument0,
            long argument1, Waiter.Check check) {
        sending.lock(check);
        boolean direct = isSentDirectly(pieces.memory(), pieces.left() - rest);
        try {
            if (pieces.left() == all) {
                outbound.choice().beginMessage();
            }
            prepare(region, operation, argument0, argument1);
            if (direct) {
                return sendBatches(pieces, rest, called.operation, check);
            }
            for (; pieces.left() > rest; pieces.skip(called.length)) {
                called.offset = pieces.part().offset();
                Rail rail = nextRail(all, pieces.pieceBytes(), check);
                if (rail == null) {
                    return false;
                }
                outbound.append(rail, called, pieces.memory(), pieces.here().offset());
            }
            return true;
        } finally {
            sending.unlock(direct || outbound.hasGatheredMuch());
        }
    }

    /**
     * Sends the next bytes of a transfer, as {@link SectionTransport#sendPacked} describes. If the bytes of a frame lie
     * in one run, the frame needs no description and is not marked as packed.
     */
    boolean sendPacked(long region, SectionPieces pieces, long bytes, int operation, long argument0, long argument1,
            Waiter.Check check) {
        sending.lock(check);
        try {
            outbound.choice().beginMessage();
            int stripe = outbound.choice().stripe(bytes);
            for (long left = bytes; left > 0; left -= stripe) {
                long next = Math.min(stripe, left);
                int room = PackedRuns.payloadBytes(pieces, next);
                Rail rail = sending.railWithRoom(FrameLayout.HEADER_BYTES + room, check);
                if (rail == null) {
                    return false;
                }
                prepare(region, operation, argument0, argument1);
                called.length = PackedRuns.write(called, pieces, next, rail.outgoing(), rail.payloadAt(), room);
                outbound.appendWritten(rail, called);
            }
            return true;
        } finally {
            // the next frame is packed while this one is on the wire
            sending.unlock(pieces.left() > 0 || outbound.hasGatheredMuch());
        }
    }

    private void prepare(long region, int operation, long argument0, long argument1) {
        boolean put = operation == SectionTransport.PUT;
        called.of(put ? FrameLayout.PUT : FrameLayout.ACTIVE_MESSAGE).region = region;
        called.operation = (short) (put ? WordAction.NONE.ordinal() : operation);
        called.value = argument0;
        called.tag = argument1;
    }

    private boolean isSentDirectly(MemorySegment source, long bytes) {
        return !outbound.areKept() && (source.isNative() ? MemoryViews.arePossible(source)
                : bytes >= Outbound.ARRAY_SENT_DIRECTLY_BYTES_MIN && outbound.takesArrays());
    }

    /**
     * Sends the next pieces of a transfer from where they lie. The caller has set all fields of the frame, except
     * offset, length and operation.
     *
     * @param rest the number of bytes that remain unsent when this method returns
     */
    private boolean sendBatches(SectionPieces pieces, long rest, int operation, Waiter.Check check) {
        boolean there = !session.isGone();
        while (there && pieces.left() > rest) {
            there = sendBatch(pieces, rest, operation, check);
        }
        return there;
    }

    /** Sends one or several frames, with one system call if the wire takes them all. */
    private boolean sendBatch(SectionPieces pieces, long rest, int operation, Waiter.Check check) {
        Rail rail = outbound.onlyRail();
        rail.beginBatch(pieces.memory());
        int longest = FrameLayout.payloadBytesMax(called);
        boolean written = false;
        try {
            for (int i = 0; i < Batch.FRAMES_MAX && pieces.left() > rest; i++) {
                called.length = (int) Math.min(longest, Math.min(pieces.left() - rest, pieces.pieceBytes()));
                called.offset = pieces.part().offset();
                called.operation = operation(called.kind, operation, called.length == pieces.left());
                outbound.addToBatch(rail, called, pieces.here().offset());
                pieces.skip(called.length);
            }
            written = writeBatch(rail, check);
        } finally {
            outbound.endBatch(rail);
        }
        return written;
    }

    private boolean writeBatch(Rail rail, Waiter.Check check) {
        try {
            for (int turn = 1; !session.isGone() && !rail.batch().isWritten(); turn++) {
                try {
                    if (!rail.writeBatch()) {
                        sending.giveWay(turn, check);
                    }
                } catch (IOException e) {
                    session.loseAfterReading(rail, "writing to it failed: " + e.getMessage());
                }
            }
        } finally {
            sending.endGivingWay();
        }
        return !session.isGone();
    }

    /**
     * Chooses the rail for the next piece of a message, waits until the rail has room, and sets the length of the piece
     * in the frame.
     *
     * @param message the length of the message in bytes
     * @param left the number of bytes of the message that have not been sent
     * @return the rail, or null if the other side is gone
     */
    private Rail nextRail(long message, long left, Waiter.Check check) {
        RailChoice choice = outbound.choice();
        int most = (int) Math.min(left, choice.stripe(message));
        Rail rail = sending.railWithRoom(FrameLayout.HEADER_BYTES + most, check);
        if (rail != null) {
            called.length = Math.min(most, choice.stripe(rail, message, left));
        }
        return rail;
    }

    // ---- fences

    /** Requests an ack of all frames that were sent. Returns the number of the last of these frames. */
    long askAck(Waiter.Check check) {
        sending.lock(check);
        try {
            long all = acks.sent();
            if (acks.number() < all) {
                Rail last = outbound.lastRail();
                Rail rail = last != null ? last : sending.railWithRoom(FrameLayout.HEADER_BYTES, check);
                if (rail != null) {
                    outbound.appendAck(rail, FrameLayout.WANTS_ACK, all);
                    outbound.askRails();
                    outbound.write();
                }
            }
            return all;
        } finally {
            sending.unlock();
        }
    }

    /**
     * Waits until the other side has handled all frames up to a number, or is gone. Returns whether it has handled
     * these frames.
     */
    boolean awaitAck(long number, Waiter waiter, Waiter.Check check) {
        if (acks.number() < number) {
            acks.await(number, waiter, check);
        }
        return acks.number() >= number;
    }

    // ---- news

    /** Sends a piece of news, or the good-bye, if there is room. Returns whether it was sent. */
    boolean tell(byte kind, int what, long index, long value, long more) {
        if (!session.isOpen() || !sending.tryLock()) {
            return false;
        }
        try {
            Rail rail = outbound.railWithRoom(FrameLayout.HEADER_BYTES);
            if (rail == null) {
                return false;
            }
            called.of(kind).word = what;
            called.offset = index;
            called.value = value;
            called.tag = more;
            if (kind == FrameLayout.GOODBYE) {
                session.sayGoodbye();
            }
            outbound.appendWritten(rail, called);
            outbound.copyToOthers(rail, called); // this process may be gone before a silent loss is noticed
            outbound.write();
            return true;
        } finally {
            sending.unlock();
        }
    }
}
