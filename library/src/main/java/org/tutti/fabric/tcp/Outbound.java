/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.fabric.Loss;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;

/**
 * The sending half of the connection with another process ({@link Peer}). It numbers frames and distributes them over
 * the rails, the parallel connections of the two processes. If there are several rails, it keeps the frames until they
 * are acked. It also sends the frames that are owed to the other side. These are acks, replies, and retransmits of
 * frames that a lost rail may not have delivered.
 *
 * <p>Guarded by the peer's sending lock, except the queries for work and {@link #awaitReads}, which any thread may
 * call.
 *
 * <p><b>Reading a region.</b> A reply reads a region of this process. The thread that sends the reply holds the reading
 * lock from before it looks up the region until after its last read. The thread that revokes a region first removes it
 * from the table of regions, and then acquires and releases the reading lock ({@link #awaitReads}). A reply that has
 * acquired the lock earlier has read its last byte when that thread has the lock. A reply that acquires the lock later
 * does not find the region. The thread that revokes does not acquire the sending lock, because a holder of the sending
 * lock may wait for room for as long as the other process stands still. The holder of the reading lock never waits for
 * room. A wire takes none, some or all of the bytes of a reply, and the rest of the reply reads the region anew. The
 * lock is fair, because a thread that sends many replies would otherwise acquire it again and again before the thread
 * that revokes.
 */
final class Outbound {
    private static final Rail[] NO_RAILS = {};
    private static final int GATHERED_BYTES_MAX = 16 << 10;

    /**
     * The length in bytes of the shortest payload that is written from where it lies, with a system call of its own.
     * Copying a shorter payload costs less than a system call.
     */
    static final int SENT_DIRECTLY_BYTES_MIN = 16 << 10;

    /**
     * The length in bytes of the shortest put from the Java heap that is written from where it lies. Each of its frames
     * takes two system calls and an object of the JDK for each.
     */
    static final int ARRAY_SENT_DIRECTLY_BYTES_MIN = 64 << 10;

    private final Session session;
    private final Regions regions;
    private final AckCounter acks;
    private final RequestServer server;
    private final Inbound inbound;
    private final AtomicLong refusals;
    private final RailChoice choice;
    private final ReentrantLock reading = new ReentrantLock(true);
    private final Frame served = new Frame();
    private final PutSource run = new PutSource();
    private Rail[] rails = NO_RAILS;
    private Rail last; // the rail of the last frame
    private RetransmitBuffer retransmits;
    private volatile boolean dirty;
    private volatile boolean hasRoom = true;

    Outbound(Session session, Regions regions, AckCounter acks, RequestServer server, Inbound inbound,
            AtomicLong refusals, RailChoice choice) {
        this.session = session;
        this.regions = regions;
        this.acks = acks;
        this.server = server;
        this.inbound = inbound;
        this.refusals = refusals;
        this.choice = choice;
    }

    /**
     * Begins to use the rails of a connection.
     *
     * @param all the rails
     * @param kept the buffer that keeps frames until they are acked; null if there is only one rail
     */
    void connect(Rail[] all, RetransmitBuffer kept) {
        rails = all;
        last = null;
        retransmits = kept;
    }

    /** Returns the object that chooses the rails for frames. */
    RailChoice choice() {
        return choice;
    }

    /** Returns the only rail of a connection that has one rail. */
    Rail onlyRail() {
        return rails[0];
    }

    /** Returns whether there is one rail, and the rail writes payloads in the Java heap from where they lie. */
    boolean takesArrays() {
        return rails.length == 1 && rails[0].takesArrays();
    }

    /** Returns whether frames are kept until they are acked, so that their payloads must be copied. */
    boolean areKept() {
        return retransmits != null;
    }

    // ---- queries for work

    /** Returns whether bytes are left in the rails' buffers. */
    boolean isDirty() {
        return dirty;
    }

    /** Returns whether bytes are left in the rails' buffers, or frames are owed. */
    boolean isAny() {
        return dirty || owesAnything();
    }

    /** Returns whether frames are owed, and there was room when the owed frames were last sent. */
    boolean owesWork() {
        return hasRoom && owesAnything();
    }

    private boolean owesAnything() {
        return session.isResendDue() || session.isReturnDue() || !server.isEmpty() || owesAck();
    }

    private boolean owesAck() {
        for (Rail rail : rails) {
            if (rail.owesAck() || rail.asksAck()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the buffer of a rail has enough bytes to justify a system call. */
    boolean hasGatheredMuch() {
        for (Rail rail : rails) {
            if (rail.gatheredBytes() >= GATHERED_BYTES_MAX && !rail.isLost()) {
                return true;
            }
        }
        return false;
    }

    // ---- sending

    /** Appends a frame, with a payload that begins at a byte of a source, to a rail that has room for both. */
    void append(Rail rail, Frame frame, PutSource source, long from) {
        if (isSentAsKept(frame.length)) {
            source.copy(from, retransmits.segment(), retransmits.nextPayload(frame.length), frame.length);
            sendKept(rail, frame);
        } else {
            source.copy(from, rail.outgoing(), rail.payloadAt(), frame.length);
            appendWritten(rail, frame);
        }
    }

    /** Appends a frame and its payload, which lies in one run, to a rail that has room for both. */
    void append(Rail rail, Frame frame, MemorySegment source, long sourceOffset) {
        try {
            append(rail, frame, run.add(source, sourceOffset, frame.length), 0);
        } finally {
            run.clear();
        }
    }

    /** Appends a frame with its payload already in the rail's buffer. */
    void appendWritten(Rail rail, Frame frame) {
        if (retransmits != null && frame.length > 0) {
            MemorySegment.copy(rail.outgoing(), rail.payloadAt(), retransmits.segment(),
                    retransmits.nextPayload(frame.length), frame.length);
        }
        begin(rail, frame);
        give(rail, frame);
        copyToLeftOut(frame);
    }

    /**
     * Returns whether a payload is copied to the retransmit buffer and sent from there, so that it is copied only once.
     */
    private boolean isSentAsKept(int length) {
        return retransmits != null && length >= SENT_DIRECTLY_BYTES_MIN;
    }

    /** Sends a frame with its payload already in the retransmit buffer, on a rail that has room for it. */
    private void sendKept(Rail rail, Frame frame) {
        begin(rail, frame);
        note(rail, frame);
        IOException failure = null;
        try {
            rail.send(frame, retransmits.segment(), retransmits.payload(frame.number));
        } catch (IOException e) {
            failure = e;
        }
        copyToLeftOut(frame);
        if (failure != null) {
            session.loseAfterReading(rail, whyLost(failure));
        }
    }

    /**
     * Gives a frame its number, and keeps it for retransmission if there are several rails. The payload of a kept frame
     * must already be in the retransmit buffer.
     */
    private void begin(Rail rail, Frame frame) {
        frame.number = acks.sent() + 1;
        frame.count = inbound.handled();
        if (retransmits != null) {
            assert retransmits.hasRoom(FrameLayout.HEADER_BYTES + frame.length, acks.received() + 1, frame.number)
                    : "frame " + frame.number + " of " + frame.length + " bytes has no room, as " + acks.received()
                            + " have arrived";
            retransmits.keep(frame, rail.index());
        }
        acks.noteSent(frame.number); // before the other side can ack it
        last = rail;
    }

    /** Sends a copy of a frame over a rail that has had no frames for a while, which measures its speed. */
    private void copyToLeftOut(Frame frame) {
        Rail leftOut = choice.leftOut(FrameLayout.HEADER_BYTES + frame.length);
        if (leftOut != null) {
            leftOut.copyPayload(frame, retransmits.segment(), retransmits.payload(frame.number));
            give(leftOut, frame);
        }
    }

    private void give(Rail rail, Frame frame) {
        note(rail, frame);
        rail.append(frame);
    }

    private void note(Rail rail, Frame frame) {
        boolean asks = choice.noteGiven(rail, FrameLayout.HEADER_BYTES + frame.length);
        frame.flags = (byte) (asks ? frame.flags | FrameLayout.WANTS_ACK : frame.flags & ~FrameLayout.WANTS_ACK);
        dirty = true;
    }

    /** Appends a frame that one rail already has to all other rails that have room for it. The frame has no payload. */
    void copyToOthers(Rail rail, Frame frame) {
        for (Rail other : rails) {
            if (other != rail && !other.isLost() && other.hasRoom(FrameLayout.HEADER_BYTES)) {
                give(other, frame);
            }
        }
    }

    /**
     * Returns the rail for the next frame.
     *
     * @param bytes the length of the frame in bytes, header included
     * @return the rail, or null if the frame must wait for room or the process is gone
     */
    Rail railWithRoom(int bytes) {
        if (session.isGone()
                || retransmits != null && !retransmits.hasRoom(bytes, acks.received() + 1, acks.sent() + 1)) {
            return null;
        }
        return choice.choose(bytes);
    }

    /**
     * Returns the rail that has the last frame. A frame without a payload that is appended there leaves together with
     * that frame. Returns null if this rail is lost or has no room.
     */
    Rail lastRail() {
        return !session.isGone() && last != null && !last.isLost() && last.hasRoom(FrameLayout.HEADER_BYTES) ? last
                : null;
    }

    /** Adds a frame to the batch of the only rail, with a payload at an offset in the batch's memory. */
    void addToBatch(Rail rail, Frame frame, long sourceOffset) {
        assert retransmits == null : "frame " + (acks.sent() + 1) + " is to be kept, and goes from where it lies";
        frame.number = acks.sent() + 1;
        frame.count = inbound.handled();
        rail.batch().add(frame, sourceOffset);
        acks.noteSent(frame.number); // before the other side can ack it
    }

    /** Ends the batch of the only rail. Frames that have not begun count as not sent. */
    void endBatch(Rail rail) {
        dirty = true;
        try {
            acks.noteSent(acks.sent() - rail.endBatch());
        } catch (OutOfMemoryError e) {
            session.loseAfterReading(rail, "the rest of a frame could not be kept: " + e.getMessage());
        }
    }

    /**
     * Appends an ACK frame, which reports what this side has received and handled, and may request the same report from
     * the other side. An ACK frame has no number, so it is not retransmitted if it does not arrive.
     *
     * @param flags {@link FrameLayout#WANTS_ACK} to request an ack, or 0
     * @param value the number of frames that the other side must have handled before it answers a request
     */
    void appendAck(Rail rail, byte flags, long value) {
        appendAck(rail, rail, flags, value);
    }

    private void appendAck(Rail rail, Rail about, byte flags, long value) {
        served.of(FrameLayout.ACK).flags = flags;
        served.word = about.index();
        served.offset = about.arrivedBytes();
        served.value = value;
        served.tag = inbound.received();
        served.count = inbound.handled();
        rail.append(served);
        dirty = true;
    }

    /**
     * Asks the other side how many bytes have arrived over each rail for which {@link RailChoice#asks} returns true.
     */
    void askRails() {
        for (Rail rail : rails) {
            if (!rail.isLost() && rail.hasRoom(FrameLayout.HEADER_BYTES) && choice.asks(rail)) {
                appendAck(rail, FrameLayout.WANTS_ACK, 0);
            }
        }
    }

    /** Writes as many bytes of the rails' buffers as the wires take. Returns whether any wire took bytes. */
    boolean write() {
        boolean any = false;
        boolean drained = true;
        for (Rail rail : rails) {
            if (!rail.isLost()) {
                try {
                    any |= rail.write();
                } catch (IOException e) {
                    session.loseAfterReading(rail, whyLost(e));
                }
                drained &= rail.isDrained();
            }
        }
        dirty = !drained;
        return any;
    }

    private static String whyLost(IOException failure) {
        return "writing to it failed: " + failure.getMessage();
    }

    // ---- owed frames

    /** Sends the owed frames, as far as there is room. */
    void serve() {
        boolean returned = serveReturns();
        hasRoom = serveResends() && serveReplies() && serveAcks() && returned;
    }

    private boolean serveReturns() {
        boolean all = true;
        if (session.isReturnDue()) {
            session.setReturnDue(false); // first, because another rail may come back meanwhile
            for (Rail rail : rails) {
                if (rail.isComingBack()) {
                    boolean resumed = session.resume(rail);
                    if (resumed) {
                        sendAgain(rail);
                    }
                    all &= resumed;
                }
            }
            if (!all) {
                session.setReturnDue(true);
            }
        }
        return all;
    }

    /**
     * Marks the unacked frames of a rail that has come back for retransmission, because they are not under way on the
     * rail's new connection.
     */
    private void sendAgain(Rail rail) {
        for (long number = acks.received() + 1; number <= acks.sent(); number++) {
            if (retransmits.rail(number) == rail.index()) {
                retransmits.setRail(number, RetransmitBuffer.NOWHERE);
            }
        }
        choice.begin(rail);
        session.setResendDue(true);
    }

    private boolean serveResends() {
        while (session.isResendDue() && !session.isGone()) {
            session.setResendDue(false); // first, because another rail may be lost meanwhile
            if (!resend()) {
                session.setResendDue(true);
                return false;
            }
        }
        return true;
    }

    private boolean resend() {
        for (long number = acks.received() + 1; number <= acks.sent(); number++) {
            int on = retransmits.rail(number);
            if (on == RetransmitBuffer.NOWHERE || rails[on].isLost()) {
                retransmits.setRail(number, RetransmitBuffer.NOWHERE);
                retransmits.header(number, served);
                Rail rail = choice.withRoom(0, FrameLayout.HEADER_BYTES + served.length);
                if (rail == null) {
                    return false;
                }
                served.count = inbound.handled();
                rail.copyPayload(served, retransmits.segment(), retransmits.payload(number));
                give(rail, served);
                retransmits.setRail(number, rail.index());
            }
        }
        return true;
    }

    private boolean serveReplies() {
        while (!server.isEmpty()) {
            boolean sent;
            reading.lock();
            try {
                sent = reply(server.first());
            } finally {
                reading.unlock();
            }
            if (!sent) {
                return session.isGone();
            }
        }
        return true;
    }

    /**
     * Sends the next part of a reply. Called under the reading lock.
     *
     * @return whether the next part, or the next reply, may be sent now
     */
    private boolean reply(Frame asked) {
        boolean reads = asked.kind == FrameLayout.GET && !asked.has(FrameLayout.REFUSED);
        Region region = reads ? regions.find(asked.region) : null;
        if (reads && region == null) {
            asked.flags |= FrameLayout.REFUSED;
        }
        long left = region == null ? 0 : asked.value - asked.tag;
        assert left >= 0 : asked.tag + " bytes were sent of the " + asked.value + " that were asked for";
        return isRepliedDirectly(asked, region, left) ? replyDirectly(asked, region, left)
                : replyCopied(asked, region, left);
    }

    /** Waits until no thread reads a region that has been removed from the table of regions before. */
    void awaitReads() {
        reading.lock();
        reading.unlock();
    }

    private boolean isRepliedDirectly(Frame asked, Region region, long left) {
        return left >= SENT_DIRECTLY_BYTES_MIN && retransmits == null && !asked.has(FrameLayout.PACKED)
                && MemoryViews.arePossible(region.segment()) && region.segment().scope().isAlive();
    }

    /**
     * Writes the next bytes of a request from where they lie in the region, as many as the wire takes. The region's
     * memory is not freed meanwhile, because the thread that revokes a region first waits for the reading lock.
     *
     * @return whether the wire took bytes, or the reply failed and the next reply refuses the request
     */
    private boolean replyDirectly(Frame asked, Region region, long left) {
        Rail rail = railWithRoom(FrameLayout.HEADER_BYTES + FrameLayout.PAYLOAD_BYTES_MAX);
        if (rail == null) {
            return false;
        }
        long before = acks.sent();
        try {
            writeReplies(rail, asked, region, left);
        } catch (IOException e) {
            session.loseAfterReading(rail, whyLost(e));
            return false;
        } catch (IllegalStateException e) {
            requireClosed(region, e);
            if (acks.sent() > before) { // a frame has begun and cannot be completed
                session.lose(Loss.ENDED, "memory of this process was closed while bytes of it were sent");
            }
            return true; // the next reply refuses the request
        }
        asked.tag += Math.min(left, (acks.sent() - before) * FrameLayout.PAYLOAD_BYTES_MAX);
        if (asked.tag == asked.value) {
            server.remove();
        }
        return acks.sent() > before;
    }

    private void writeReplies(Rail rail, Frame asked, Region region, long left) throws IOException {
        rail.beginBatch(region.segment());
        try {
            long done = 0;
            for (int i = 0; i < Batch.FRAMES_MAX && done < left; i++) {
                int length = (int) Math.min(left - done, FrameLayout.PAYLOAD_BYTES_MAX);
                describeReply(asked, asked.tag + done, length, done + length == left);
                addToBatch(rail, served, asked.offset + asked.tag + done);
                done += length;
            }
            rail.writeBatch();
        } finally {
            endBatch(rail);
        }
    }

    private boolean replyCopied(Frame asked, Region region, long left) {
        long message = asked.has(FrameLayout.PACKED) ? 0 : asked.value; // many runs go in one frame
        int most = (int) Math.min(left, choice.stripe(message));
        if (asked.tag == 0) {
            choice.beginMessage();
        }
        Rail rail = railWithRoom(FrameLayout.HEADER_BYTES + most);
        if (rail == null) {
            return false;
        }
        int length = Math.min(most, choice.stripe(rail, message, left));
        assert length <= left : "a reply of " + length + " bytes of " + left;
        boolean isSentAsKept = isSentAsKept(length);
        MemorySegment to = isSentAsKept ? retransmits.segment() : rail.outgoing();
        long at = isSentAsKept ? retransmits.nextPayload(length) : rail.payloadAt();
        if (length > 0 && !server.read(asked, region, length, to, at)) {
            refuse(asked);
            return true;
        }
        describeReply(asked, asked.kind == FrameLayout.GET ? asked.tag : 0, length, length == left);
        if (isSentAsKept) {
            sendKept(rail, served);
        } else {
            appendWritten(rail, served);
        }
        asked.tag += length;
        if (length == left) {
            server.remove();
        }
        write();
        return true;
    }

    /** Marks a request as refused. The next reply tells the other side that no bytes, or no more bytes, will come. */
    private void refuse(Frame asked) {
        refusals.incrementAndGet();
        asked.flags |= FrameLayout.REFUSED;
    }

    private void describeReply(Frame asked, long offset, int length, boolean last) {
        served.of(FrameLayout.REPLY).flags =
                (byte) (asked.flags & FrameLayout.REFUSED | (last ? FrameLayout.LAST : 0));
        served.length = length;
        served.word = asked.word;
        served.offset = offset;
        served.value = asked.value;
    }

    private static void requireClosed(Region region, IllegalStateException e) {
        if (region.segment().scope().isAlive()) {
            throw e;
        }
    }

    private boolean serveAcks() {
        boolean all = true;
        for (Rail rail : rails) {
            if (rail.asksAck()) {
                rail.askAck(false);
                if (!rail.isLost() && rail.hasRoom(FrameLayout.HEADER_BYTES)) { // else the rail need not be asked
                    appendAck(rail, FrameLayout.WANTS_ACK, 0);
                }
            }
            if (rail.owesAck()) {
                Rail on = choice.withRoom(rail.index(), FrameLayout.HEADER_BYTES);
                if (on == null) {
                    all = false;
                } else {
                    rail.oweAck(false);
                    appendAck(on, rail, (byte) 0, 0);
                }
            }
        }
        return all;
    }
}
