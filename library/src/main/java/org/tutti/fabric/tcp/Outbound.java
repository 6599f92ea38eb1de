/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.Loss;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;

/**
 * What goes out to another process: numbers frames, deals them to the rails, keeps them until they are counted if there
 * are several rails, and sends what is owed: frames again that a lost rail may not have delivered, replies, and counts.
 *
 * <p>All of it happens under the peer's sending lock, but for the questions what there is to do, which anybody may ask.
 */
final class Outbound {
    private static final Rail[] NO_RAILS = {};
    private static final int GATHERED_BYTES_MAX = 16 << 10;

    /** What is as long goes from where it lies; below, a copy costs less than a system call. */
    static final int SENT_DIRECTLY_BYTES_MIN = 16 << 10;

    private final Session session;
    private final Regions regions;
    private final AckCounter acks;
    private final RequestServer server;
    private final Inbound inbound;
    private final AtomicLong refusals;
    private final RailChoice choice;
    private final Frame served = new Frame();
    private Rail[] rails = NO_RAILS;
    private Rail last; // which was given the last frame
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

    /** These are the rails; with several of them there is a place for what is to be kept. */
    void connect(Rail[] all, RetransmitBuffer kept) {
        rails = all;
        last = null;
        retransmits = kept;
    }

    /** Which rail takes what. */
    RailChoice choice() {
        return choice;
    }

    /** The rail of a process that is connected by one. */
    Rail onlyRail() {
        return rails[0];
    }

    /** Whether frames are kept until they are counted, and so copied. */
    boolean areKept() {
        return retransmits != null;
    }

    // ---- what there is to do

    /** Whether bytes are left in the rails' buffers. */
    boolean isDirty() {
        return dirty;
    }

    /** Whether there is something to send. */
    boolean isAny() {
        return dirty || owesAnything();
    }

    /** Whether something is owed for which there was room when that was last tried. */
    boolean owesWork() {
        return hasRoom && owesAnything();
    }

    private boolean owesAnything() {
        return session.isResendDue() || session.isReturnDue() || !server.isEmpty() || owesCount();
    }

    private boolean owesCount() {
        for (Rail rail : rails) {
            if (rail.owesCount() || rail.asksCount()) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is enough to send for a system call of its own. */
    boolean hasGatheredMuch() {
        for (Rail rail : rails) {
            if (rail.gatheredBytes() >= GATHERED_BYTES_MAX && !rail.isLost()) {
                return true;
            }
        }
        return false;
    }

    // ---- sending

    /** Appends a frame and its payload to a rail that has room for both. */
    void append(Rail rail, Frame frame, MemorySegment source, long sourceOffset) {
        if (isSentAsKept(frame.length)) {
            MemorySegment.copy(source, sourceOffset, retransmits.segment(), retransmits.nextPayload(frame.length),
                    frame.length);
            sendKept(rail, frame);
        } else {
            rail.copyPayload(frame, source, sourceOffset);
            appendWritten(rail, frame);
        }
    }

    /** Appends a frame whose payload has been written where it goes in the rail's buffer. */
    void appendWritten(Rail rail, Frame frame) {
        if (retransmits != null && frame.length > 0) {
            MemorySegment.copy(rail.outgoing(), rail.payloadAt(), retransmits.segment(),
                    retransmits.nextPayload(frame.length), frame.length);
        }
        begin(rail, frame);
        give(rail, frame);
        copyToLeftOut(frame);
    }

    /** Whether a payload goes from where it is kept, and so is copied once. */
    private boolean isSentAsKept(int length) {
        return retransmits != null && length >= SENT_DIRECTLY_BYTES_MIN;
    }

    /** Sends a frame whose payload has been written where it is kept, on a rail that has room for it. */
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

    /** Numbers a frame, and keeps it if there are several rails. */
    private void begin(Rail rail, Frame frame) {
        frame.number = acks.sent() + 1;
        frame.count = inbound.handled();
        if (retransmits != null) {
            assert retransmits.hasRoom(FrameLayout.HEADER_BYTES + frame.length, acks.received() + 1, frame.number)
                    : "frame " + frame.number + " of " + frame.length + " bytes has no room, as " + acks.received()
                            + " have arrived";
            retransmits.keep(frame, rail.index());
        }
        acks.noteSent(frame.number); // before anybody can have counted it
        last = rail;
    }

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
        frame.flags = (byte) (asks ? frame.flags | FrameLayout.WANTS_COUNT : frame.flags & ~FrameLayout.WANTS_COUNT);
        dirty = true;
    }

    /** Appends a frame without a payload again to all rails that have room for it but one, which has it already. */
    void copyToOthers(Rail rail, Frame frame) {
        for (Rail other : rails) {
            if (other != rail && !other.isLost() && other.hasRoom(FrameLayout.HEADER_BYTES)) {
                give(other, frame);
            }
        }
    }

    /** The rail that takes a frame of so many bytes now, or null. */
    Rail railWithRoom(int bytes) {
        if (session.isGone()
                || retransmits != null && !retransmits.hasRoom(bytes, acks.received() + 1, acks.sent() + 1)) {
            return null;
        }
        return choice.choose(bytes);
    }

    /** The rail that took the last frame, if it has room for a header: what goes there goes with it. */
    Rail lastRail() {
        return !session.isGone() && last != null && !last.isLost() && last.hasRoom(FrameLayout.HEADER_BYTES) ? last
                : null;
    }

    /** Adds a frame to the batch of the only rail. */
    void addToBatch(Rail rail, Frame frame, long sourceOffset) {
        assert retransmits == null : "frame " + (acks.sent() + 1) + " is to be kept, and goes from where it lies";
        frame.number = acks.sent() + 1;
        frame.count = inbound.handled();
        rail.batch().add(frame, sourceOffset);
        acks.noteSent(frame.number); // before anybody can have counted it
    }

    void endBatch(Rail rail) {
        long begun = acks.sent() - rail.endBatch();
        acks.noteSent(begun); // what has not begun was not sent
        dirty = true;
    }

    /**
     * Appends a count, with a question or without: it has no number, so it need not arrive.
     *
     * @param value the count that is asked for
     */
    void appendCount(Rail rail, byte flags, long value) {
        appendCount(rail, rail, flags, value);
    }

    private void appendCount(Rail rail, Rail about, byte flags, long value) {
        served.of(FrameLayout.COUNT).flags = flags;
        served.word = about.index();
        served.offset = about.arrivedBytes();
        served.value = value;
        served.tag = inbound.received();
        served.count = inbound.handled();
        rail.append(served);
        dirty = true;
    }

    /** Asks what has arrived over each rail of which that is wanted. */
    void askRails() {
        for (Rail rail : rails) {
            if (!rail.isLost() && rail.hasRoom(FrameLayout.HEADER_BYTES) && choice.asks(rail)) {
                appendCount(rail, FrameLayout.WANTS_COUNT, 0);
            }
        }
    }

    /** Writes what the rails take; returns whether any took something. */
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

    // ---- what is owed

    /** Sends what is owed, as far as there is room. */
    void serve() {
        boolean returned = serveReturns();
        hasRoom = serveResends() && serveReplies() && serveCounts() && returned;
    }

    private boolean serveReturns() {
        boolean all = true;
        if (session.isReturnDue()) {
            session.setReturnDue(false); // before the look: another one may come back meanwhile
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

    /** What went over the rail's old connection, and is not counted, must not be taken for under way on the new one. */
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
            session.setResendDue(false); // before the look: another rail may be lost meanwhile
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
            Frame asked = server.first();
            boolean reads = asked.kind == FrameLayout.GET && !asked.has(FrameLayout.REFUSED);
            Region region = reads ? regions.find(asked.region) : null;
            if (reads && region == null) {
                asked.flags |= FrameLayout.REFUSED;
            }
            long left = region == null ? 0 : asked.value - asked.tag;
            assert left >= 0 : asked.tag + " bytes were sent of the " + asked.value + " that were asked for";
            if (!(isRepliedDirectly(asked, region, left) ? replyDirectly(asked, region, left)
                    : replyCopied(asked, region, left))) {
                return session.isGone();
            }
        }
        return true;
    }

    private boolean isRepliedDirectly(Frame asked, Region region, long left) {
        return left >= SENT_DIRECTLY_BYTES_MIN && retransmits == null && !asked.has(FrameLayout.PACKED)
                && MemoryViews.arePossible(region.segment()) && region.segment().scope().isAlive();
    }

    /**
     * Writes what the wire takes of the bytes that were asked for, from where they lie: who has revoked the region
     * waits for the sending lock before its memory is freed.
     *
     * @return whether it took anything, or nothing more is to be sent
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
            if (acks.sent() > before) { // a frame has begun, and cannot be ended
                session.lose(Loss.ENDED, "memory of this process was closed while bytes of it were sent");
            }
            return true; // what comes next is refused
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

    /** The next reply says that there are no bytes, or no more. */
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

    private boolean serveCounts() {
        boolean all = true;
        for (Rail rail : rails) {
            if (rail.asksCount()) {
                rail.askCount(false);
                if (!rail.isLost() && rail.hasRoom(FrameLayout.HEADER_BYTES)) { // else it is full or lost
                    appendCount(rail, FrameLayout.WANTS_COUNT, 0);
                }
            }
            if (rail.owesCount()) {
                Rail on = choice.withRoom(rail.index(), FrameLayout.HEADER_BYTES);
                if (on == null) {
                    all = false;
                } else {
                    rail.oweCount(false);
                    appendCount(on, rail, (byte) 0, 0);
                }
            }
        }
        return all;
    }
}
