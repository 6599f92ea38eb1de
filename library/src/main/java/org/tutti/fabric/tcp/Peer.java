/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The protocol of a pair of processes, at one of them: everything between calls and bytes. It knows no sockets, no
 * clock and no threads, so that tests can run it over wires of their own.
 *
 * <p><b>Numbers and counts.</b> The frames of a direction are numbered 1, 2, 3, …, whatever rails they take. The
 * receiver counts how many have arrived without a gap, and every frame of the other direction carries that count. A
 * frame takes effect (raises its word, is answered) when the count passes it: so effects keep the order of calls, a
 * word is raised only when all frames of its put, and of all earlier ones, have arrived, and a frame that comes twice
 * takes effect once. With one rail, frames arrive in order and take effect as they come. (Accumulates do not wait for
 * the count: {@link Deliveries}.)
 *
 * <p><b>Losing a rail.</b> With several rails, frames are kept until they are counted. When a rail is lost, those of
 * its frames that are not counted go again on the others. When the last rail is lost, so is the other process. News and
 * the good-bye go on all rails that have room: who says them may be gone before a rail that has died silently is lost.
 *
 * <p><b>No waiting for each other.</b> Whoever sends waits only for room in the outgoing buffer of some rail, and takes
 * in what arrives meanwhile; whoever takes in never waits: what has to be answered is queued, at most {@value
 * Requests#PLACES} requests, since the other side may not have more unanswered. So two sides that fill each other's
 * sockets cannot lock up. What is long goes in parts of {@value #TURN_BYTES} bytes, between which answers are sent and
 * those who have queued for the sending lock get it.
 *
 * <p><b>Memory</b> for each connected process: {@value Rail#IN_BYTES} + {@value Rail#OUT_BYTES} bytes a rail, and
 * {@value FrameLayout#PAYLOAD_BYTES_MAX} more a rail once it has accumulated something here or sent packed runs;
 * {@value Requests#PLACES} · {@value Fabric#REQUEST_BYTES_MAX} more once it has asked for packed runs; with several
 * rails {@value Retention#BYTES} bytes and {@value Retention#FRAMES_MAX} frame headers more.
 *
 * They are given back when that process is gone.
 *
 * <p><b>Memory ordering.</b> A payload is written, by the kernel or by a plain copy, by the thread that then raises the
 * word with release order, or before that by another thread under the same receiving lock.
 */
final class Peer {
    private static final Rail[] NO_RAILS = {};
    private static final int STRIPE_BYTES_MIN = 1 << 10;
    private static final int SENT_DIRECTLY_BYTES_MIN = 16 << 10;
    private static final int GATHERED_BYTES_MAX = 16 << 10;
    private static final int YIELD_INTERVAL = 16;
    private static final int PARK_INTERVAL = 64 * YIELD_INTERVAL;
    private static final int TURN_BYTES = Rail.BATCH_FRAMES * FrameLayout.PAYLOAD_BYTES_MAX;

    private final int process;
    private final FabricListener listener;
    private final AtomicLong refusals;
    private final Waiter.Progress progress;
    private final CountedFrames counted;
    private final Requests requests;

    private Rail[] prepared = NO_RAILS;
    private Retention preparedRetention;
    private Rail[] rails = NO_RAILS;
    private volatile boolean connected;
    private boolean lost;
    private volatile boolean gone;
    private volatile boolean saidGoodbye;
    private volatile boolean heardGoodbye;

    // sending
    private final SendingLock sending = new SendingLock();
    private final Frame called = new Frame();
    private final SectionPieces whole = new SectionPieces();
    private Retention retention;
    private volatile long sent;
    private volatile boolean resends;
    private volatile boolean dirty;
    private int nextRail;
    private volatile boolean hasRoom = true;

    // receiving
    private final ReentrantLock receiving = new ReentrantLock();
    private final Answers answers;
    private final Arrivals arrivals;
    private final Dues dues;

    /**
     * @param process the first rank of the other process
     * @param regions what it may address here
     * @param listener is told what it tells
     * @param refusals counts what was refused
     * @param progress takes in what arrives, from all processes, while a call waits
     * @param arena for a few words
     */
    Peer(int process, Regions regions, FabricListener listener, AtomicLong refusals, Waiter.Progress progress,
            Arena arena) {
        this.process = process;
        this.listener = listener;
        this.refusals = refusals;
        this.progress = progress;
        this.counted = new CountedFrames(arena);
        this.requests = new Requests(arena);
        this.answers = new Answers(regions);
        this.arrivals = new Arrivals(this, requests, answers, new Deliveries(regions, refusals), refusals);
        this.dues = new Dues(this, regions, answers, refusals);
    }

    int process() {
        return process;
    }

    // ---- life

    /** Makes the buffers of a connection, unless they are there: before the other side may take it for open. */
    void prepare(int count) {
        if (prepared.length != count) {
            prepared = NO_RAILS;
            preparedRetention = count > 1 ? new Retention() : null;
            Rail[] made = new Rail[count];
            for (int i = 0; i < count; i++) {
                made[i] = new Rail(i);
            }
            prepared = made;
        }
    }

    /** Begins: these are the rails, all of them, in the same order on both sides. */
    void connect(Wire[] wires) {
        sending.lock();
        receiving.lock();
        try {
            if (gone || connected) {
                for (Wire wire : wires) {
                    wire.close();
                }
                return;
            }
            prepare(wires.length);
            for (int i = 0; i < wires.length; i++) {
                prepared[i].connect(wires[i]);
            }
            retention = preparedRetention;
            arrivals.connect(prepared);
            rails = prepared;
            connected = true;
        } finally {
            receiving.unlock();
            sending.unlock();
        }
    }

    /** Gives the buffers back if the process is gone and nobody uses them; the same thread calls this and connects. */
    void release() {
        if (gone && prepared.length > 0 && sending.tryLock()) {
            try {
                if (receiving.tryLock()) {
                    try {
                        prepared = NO_RAILS;
                        preparedRetention = null;
                        rails = NO_RAILS;
                        retention = null;
                        arrivals.connect(NO_RAILS);
                        answers.release();
                    } finally {
                        receiving.unlock();
                    }
                }
            } finally {
                sending.unlock();
            }
        }
    }

    boolean isConnected() {
        return connected;
    }

    /** Whether nothing can be sent to it any more. */
    boolean isGone() {
        return gone;
    }

    /** Takes note that the process cannot be reached, or has left. */
    void lose(String reason) {
        synchronized (this) {
            if (lost) {
                return;
            }
            lost = true;
        }
        for (Rail rail : rails) {
            rail.lose();
        }
        if (!heardGoodbye && !saidGoodbye) {
            listener.lost(process, reason);
        }
        gone = true; // calls end now: their callers may ask what the listener was told
        requests.giveUp();
        counted.giveUp();
    }

    /** Takes note that the process has left, though it had no occasion to say good-bye. */
    void leave() {
        if (!heardGoodbye) {
            heardGoodbye = true;
            listener.left(process);
        }
        lose("it has left");
    }

    private void loseRail(Rail rail, String reason) {
        boolean others = false;
        synchronized (this) {
            if (rail.isLost()) {
                return;
            }
            rail.lose();
            for (Rail other : rails) {
                others |= !other.isLost();
            }
        }
        if (others && !heardGoodbye) {
            resends = true; // whoever sends next, or the service thread, sees to it
        } else {
            lose(reason);
        }
    }

    /** Who has closed the connection may have said why: news and a good-bye may be there, and nothing after them. */
    private void loseAfterReading(Rail rail, String reason) {
        receiving.lock();
        try {
            while (receive(rail)) {
                Thread.onSpinWait();
            }
        } finally {
            receiving.unlock();
        }
        loseRail(rail, reason);
    }

    /**
     * Notices rails that have been silent, and asks those that have been for a while whether they are there.
     *
     * @param elapsedNanos since the last look, but not more than this process was surely awake
     * @param limitNanos how long a rail may be silent
     */
    void look(long elapsedNanos, long limitNanos) {
        for (Rail rail : rails) {
            if (!rail.isLost()) {
                rail.silentNanos = rail.wasHeard() ? 0 : rail.silentNanos + elapsedNanos;
                if (rail.silentNanos >= limitNanos) {
                    loseRail(rail, "nothing was heard from it for " + limitNanos / 1_000_000 + " ms");
                }
            }
        }
        for (Rail rail : rails) {
            if (rail.silentNanos > 0 && !rail.isLost()) {
                rail.askCount(true); // a call that waits with the lock held sends it, or the pump does
            }
        }
        pump();
    }

    // ---- calls

    /** See {@link org.tutti.fabric.Fabric#put}. */
    boolean put(long region, long offset, MemorySegment source, long sourceOffset, long bytes, WordAction action,
            long word, long value, long tag, Waiter.Check check) {
        long at = 0;
        for (; bytes - at > TURN_BYTES; at += TURN_BYTES) {
            if (!putPart(region, offset + at, source, sourceOffset + at, TURN_BYTES, WordAction.NONE, word, value, tag,
                    check)) {
                return false;
            }
            giveTurn(check);
        }
        return putPart(region, offset + at, source, sourceOffset + at, bytes - at, action, word, value, tag, check);
    }

    private boolean putPart(long region, long offset, MemorySegment source, long sourceOffset, long bytes,
            WordAction action, long word, long value, long tag, Waiter.Check check) {
        sending.lock(check);
        boolean direct = bytes >= SENT_DIRECTLY_BYTES_MIN && isSentDirectly(source);
        try {
            called.of(FrameLayout.PUT).region = region;
            called.word = word;
            called.value = value;
            called.tag = tag;
            if (direct) {
                whole.begin(offset, source, sourceOffset, bytes);
                return sendBatches(whole, 0, action.ordinal(), check);
            }
            int stripe = stripe(bytes);
            long at = 0;
            do {
                called.length = (int) Math.min(stripe, bytes - at);
                called.operation = operation(FrameLayout.PUT, action.ordinal(), at + called.length == bytes);
                called.offset = offset + at;
                if (!append(called, source, sourceOffset + at, check)) {
                    return false;
                }
                at += called.length;
            } while (at < bytes);
            return true;
        } finally {
            if (direct) {
                whole.begin(0, MemorySegment.NULL, 0, 0); // nobody's memory is kept for longer than a call
            }
            unlockSending(direct || action != WordAction.NONE && hasGatheredMuch()); // who raises the word comes next
        }
    }

    /** A put has its word in the last frame. */
    private static short operation(byte kind, int operation, boolean last) {
        return (short) (last || kind != FrameLayout.PUT ? operation : WordAction.NONE.ordinal());
    }

    /** See {@link org.tutti.fabric.Fabric#send}. */
    boolean send(long region, SectionPieces pieces, int operation, long scale, long imaginary, Waiter.Check check) {
        boolean there = true;
        while (there && pieces.left() > TURN_BYTES) {
            there = sendPart(region, pieces, pieces.left() - TURN_BYTES, operation, scale, imaginary, check);
            giveTurn(check);
        }
        return there && sendPart(region, pieces, 0, operation, scale, imaginary, check);
    }

    /** Sends all but the last bytes of a transfer. */
    private boolean sendPart(long region, SectionPieces pieces, long rest, int operation, long scale, long imaginary,
            Waiter.Check check) {
        sending.lock(check);
        boolean direct = isSentDirectly(pieces.memory());
        try {
            prepare(region, operation, scale, imaginary);
            if (direct) {
                return sendBatches(pieces, rest, called.operation, check);
            }
            for (int stripe = stripe(pieces.left()); pieces.left() > rest; pieces.skip(called.length)) {
                called.length = (int) Math.min(stripe, pieces.pieceBytes());
                called.offset = pieces.part().offset();
                if (!append(called, pieces.memory(), pieces.here().offset(), check)) {
                    return false;
                }
            }
            return true;
        } finally {
            unlockSending(direct || hasGatheredMuch());
        }
    }

    /** See {@link org.tutti.fabric.Fabric#sendPacked}. */
    boolean sendPacked(long region, SectionPieces pieces, long bytes, int operation, long scale, long imaginary,
            Waiter.Check check) {
        sending.lock(check);
        try {
            int stripe = stripe(bytes);
            for (long left = bytes; left > 0; left -= stripe) {
                long next = Math.min(stripe, left);
                int room = PackedRuns.payloadBytes(pieces, next);
                Rail rail = railWithRoom(FrameLayout.HEADER_BYTES + room, check);
                if (rail == null) {
                    return false;
                }
                prepare(region, operation, scale, imaginary);
                called.length = PackedRuns.write(called, pieces, next, rail.outgoing(), rail.payloadAt(), room);
                appendWritten(rail, called);
            }
            return true;
        } finally {
            unlockSending(pieces.left() > 0 || hasGatheredMuch()); // while this is on the wire, the next is packed
        }
    }

    /** Whether there is enough to send for a system call of its own. */
    private boolean hasGatheredMuch() {
        for (Rail rail : rails) {
            if (rail.gatheredBytes() >= GATHERED_BYTES_MAX) {
                return true;
            }
        }
        return false;
    }

    private void prepare(long region, int operation, long scale, long imaginary) {
        boolean put = operation == Fabric.PUT;
        called.of(put ? FrameLayout.PUT : FrameLayout.ACCUMULATE).region = region;
        called.operation = (short) (put ? WordAction.NONE.ordinal() : operation);
        called.value = scale;
        called.tag = imaginary;
    }

    private boolean isSentDirectly(MemorySegment source) {
        return retention == null && source.isNative() && source.byteSize() <= Integer.MAX_VALUE;
    }

    /** Sends pieces straight from where they lie, as frames that are described but for their places. */
    private boolean sendBatches(SectionPieces pieces, long rest, int operation, Waiter.Check check) {
        boolean there = !gone;
        while (there && pieces.left() > rest) {
            there = sendBatch(pieces, operation, check);
        }
        return there;
    }

    /** Sends several frames with one system call. */
    private boolean sendBatch(SectionPieces pieces, int operation, Waiter.Check check) {
        Rail rail = rails[0];
        rail.beginBatch(pieces.memory());
        boolean written = false;
        try {
            for (int i = 0; i < Rail.BATCH_FRAMES && pieces.left() > 0; i++) {
                called.length = (int) Math.min(FrameLayout.PAYLOAD_BYTES_MAX, pieces.pieceBytes());
                called.offset = pieces.part().offset();
                called.operation = operation(called.kind, operation, called.length == pieces.left());
                called.number = sent + 1;
                called.count = arrivals.received();
                rail.addToBatch(called, pieces.here().offset());
                pieces.skip(called.length);
                sent = called.number; // before anybody can have counted it
            }
            written = writeBatch(rail, check);
        } finally {
            long begun = sent - rail.endBatch();
            sent = begun; // what has not begun was not sent
            dirty = true;
        }
        return written;
    }

    private boolean writeBatch(Rail rail, Waiter.Check check) {
        for (int turn = 1; !gone && !rail.isBatchWritten(); turn++) {
            try {
                if (!rail.writeBatch()) {
                    giveWay(turn, check);
                }
            } catch (IOException e) {
                loseAfterReading(rail, "writing to it failed: " + e.getMessage());
            }
        }
        return !gone;
    }

    private int stripe(long bytes) {
        if (rails.length <= 1 || bytes < STRIPE_BYTES_MIN) {
            return FrameLayout.PAYLOAD_BYTES_MAX;
        }
        long share = (bytes + rails.length - 1) / rails.length + Words.LINE_BYTES - 1 & -Words.LINE_BYTES;
        return Math.clamp(share, STRIPE_BYTES_MIN, FrameLayout.PAYLOAD_BYTES_MAX);
    }

    /**
     * Asks for bytes; they are here when {@link #awaitAnswer} returns.
     *
     * @return the request, or −1 when the process is gone
     */
    int get(long region, long offset, MemorySegment target, long targetOffset, long bytes, Waiter.Check check) {
        return request(FrameLayout.GET, 0, region, offset, bytes, 0, null, target, targetOffset, true, check);
    }

    /**
     * Asks for an atomic operation; it is done when {@link #awaitAnswer} returns.
     *
     * @return the request, or −1 when the process is gone
     */
    int atomic(long region, long offset, AtomicOperation operation, long operand, long expected, Waiter.Check check) {
        return request(FrameLayout.ATOMIC, operation.ordinal(), region, offset, operand, expected, null, null, 0, true,
                check);
    }

    /** See {@link org.tutti.fabric.Fabric#beginGet}. */
    int get(long region, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset, boolean waits,
            Waiter.Check check) {
        return request(FrameLayout.GET, 0, region, 0, bytes, 0, pieces, target, targetOffset, waits, check);
    }

    private int request(byte kind, int operation, long region, long offset, long value, long tag, SectionPieces pieces,
            MemorySegment target, long targetOffset, boolean waits, Waiter.Check check) {
        for (int turn = 1; !gone; turn++) {
            int request =
                    tryRequest(waits ? 0 : Requests.PLACES_KEPT, kind, operation, region, offset, value, tag, pieces,
                            target, targetOffset, check);
            if (request != Fabric.NO_PLACE || !waits) {
                return request;
            }
            progress.poll(); // without the lock: whoever takes an answer, and so frees a place, needs it
            yieldNowAndThen(turn, check);
        }
        return -1;
    }

    private int tryRequest(int firstPlace, byte kind, int operation, long region, long offset, long value, long tag,
            SectionPieces pieces, MemorySegment target, long targetOffset, Waiter.Check check) {
        sending.lock(check);
        try {
            int request = requests.free(firstPlace);
            if (request < 0) {
                return Fabric.NO_PLACE;
            }
            requests.take(request, target, targetOffset, value);
            called.of(kind).operation = (short) operation;
            called.region = region;
            called.offset = offset;
            called.word = requests.name(request);
            called.value = value;
            called.tag = tag;
            return ask(request, pieces, check) ? request : -1;
        } finally {
            unlockSending();
        }
    }

    private boolean ask(int request, SectionPieces pieces, Waiter.Check check) {
        boolean asked = false;
        try {
            asked = pieces == null ? append(called, null, 0, check) : appendRequest(pieces, check);
        } finally {
            if (!asked) { // perhaps the check has thrown
                requests.release(request);
            }
        }
        write();
        return asked;
    }

    private boolean appendRequest(SectionPieces pieces, Waiter.Check check) {
        Rail rail = railWithRoom(FrameLayout.HEADER_BYTES + Fabric.REQUEST_BYTES_MAX, check);
        if (rail == null) {
            return false;
        }
        called.length =
                PackedRuns.writeRequest(called, pieces, called.value, rail.outgoing(), rail.payloadAt());
        appendWritten(rail, called);
        return true;
    }

    boolean isAnswered(int request) {
        return requests.isAnswered(request);
    }

    /** Waits for the answer to a request. */
    void awaitAnswer(int request, Waiter waiter, Waiter.Check check) {
        requests.await(request, waiter, check);
    }

    /** Takes the answer to a request, whose place is free afterwards; throws when it was refused. */
    long takeAnswer(int request) {
        boolean refused = requests.isRefused(request);
        long value = requests.value(request);
        requests.release(request);
        if (refused) {
            throw new IndexOutOfBoundsException("the process of rank " + process
                    + " has refused access: the memory is closed there, or the range is not inside it");
        }
        return value;
    }

    /** Gives up waiting for the answer to a request; its place stays taken until the answer comes. */
    void forgetAnswer(int request) {
        receiving.lock(); // nobody is writing to the target now
        try {
            requests.forget(request);
            arrivals.dropReplies(request);
        } finally {
            receiving.unlock();
        }
    }

    /** Asks for the count of all that was sent. */
    long askCount(Waiter.Check check) {
        sending.lock(check);
        try {
            long all = sent;
            if (counted.number() < all && railWithRoom(FrameLayout.HEADER_BYTES, check) instanceof Rail rail) {
                called.of(FrameLayout.COUNT).flags = FrameLayout.WANTS_COUNT;
                called.value = all;
                appendCount(rail, called);
                write();
            }
            return all;
        } finally {
            unlockSending();
        }
    }

    /** Waits until the other side has counted so many frames, or is gone; returns whether it has counted them. */
    boolean awaitCount(long number, Waiter waiter, Waiter.Check check) {
        if (counted.number() < number) {
            counted.await(number, waiter, check);
        }
        return counted.number() >= number;
    }

    /** Sends a piece of news, or the good-bye, if there is room now. */
    boolean tell(byte kind, int what, long index, long value) {
        if (!connected || gone || !sending.tryLock()) {
            return false;
        }
        try {
            Rail rail = railWithRoomNow(FrameLayout.HEADER_BYTES);
            if (rail == null) {
                return false;
            }
            called.of(kind).word = what;
            called.offset = index;
            called.value = value;
            saidGoodbye |= kind == FrameLayout.GOODBYE;
            appendTo(rail, called, null, 0);
            for (Rail other : rails) { // who leaves does not wait until a rail that died silently is lost
                if (other != rail && !other.isLost() && other.hasRoom(FrameLayout.HEADER_BYTES)) {
                    other.append(called);
                }
            }
            write();
            return true;
        } finally {
            unlockSending();
        }
    }

    // ---- sending, under its lock

    private boolean append(Frame frame, MemorySegment source, long sourceOffset, Waiter.Check check) {
        Rail rail = railWithRoom(FrameLayout.HEADER_BYTES + frame.length, check);
        if (rail == null) {
            return false;
        }
        appendTo(rail, frame, source, sourceOffset);
        return true;
    }

    private void appendTo(Rail rail, Frame frame, MemorySegment source, long sourceOffset) {
        if (frame.length > 0) {
            MemorySegment.copy(source, sourceOffset, rail.outgoing(), rail.payloadAt(), frame.length);
        }
        appendWritten(rail, frame);
    }

    /** Appends a frame whose payload has been written where it goes in the rail's buffer. */
    void appendWritten(Rail rail, Frame frame) {
        frame.number = sent + 1;
        frame.count = arrivals.received();
        if (retention != null) {
            retention.keep(frame, rail.outgoing(), rail.payloadAt(), rail.index());
        }
        sent = frame.number; // before anybody can have counted it
        rail.append(frame);
        dirty = true;
    }

    /** Appends a frame that has no number. */
    void appendCount(Rail rail, Frame frame) {
        frame.count = arrivals.received();
        rail.append(frame, null, 0);
        dirty = true;
    }

    /** A rail that takes so many bytes now, or null; the process may be gone. */
    Rail railWithRoomNow(int bytes) {
        if (gone || retention != null && !retention.hasRoom(bytes, counted.number() + 1, sent + 1)) {
            return null;
        }
        for (int i = 0; i < rails.length; i++) {
            Rail rail = rails[(nextRail + i) % rails.length];
            if (!rail.isLost() && rail.hasRoom(bytes)) {
                nextRail = (rail.index() + 1) % rails.length;
                return rail;
            }
        }
        return null;
    }

    private Rail railWithRoom(int bytes, Waiter.Check check) {
        for (int turn = 1; !gone; turn++) {
            Rail rail = railWithRoomNow(bytes);
            if (rail != null) {
                return rail;
            }
            if (!write()) {
                giveWay(turn, check);
            }
        }
        return null;
    }

    private void giveWay(int turn, Waiter.Check check) {
        serve();
        progress.poll();
        yieldNowAndThen(turn, check);
    }

    private static void yieldNowAndThen(int turn, Waiter.Check check) {
        if (turn % YIELD_INTERVAL == 0) {
            check.check();
            if (turn % PARK_INTERVAL == 0 && Thread.currentThread().isVirtual()) {
                LockSupport.parkNanos(1); // or its carrier might never come to who is to make room: Waiter
            } else {
                Thread.yield();
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
                    loseAfterReading(rail, "writing to it failed: " + e.getMessage());
                }
                drained &= rail.isDrained();
            }
        }
        dirty = !drained;
        return any;
    }

    /** Whether there is something to send that nobody is about to send. */
    boolean wantsToSend() {
        return connected && !gone && (dirty || resends || !answers.isEmpty() || owesCount());
    }

    private boolean owesCount() {
        for (Rail rail : rails) {
            if (rail.owesCount() || rail.asksCount()) {
                return true;
            }
        }
        return false;
    }

    /** Sends what is there to send, without waiting. */
    void pump() {
        if (wantsToSend() && sending.tryLock()) {
            unlockSending();
        }
    }

    /** Between the parts of something long: whoever has queued for the lock comes first. */
    private void giveTurn(Waiter.Check check) {
        if (sending.hasQueuedThreads()) {
            sending.queue(check);
            unlockSending(false);
        }
    }

    private void unlockSending() {
        unlockSending(true);
    }

    /** Whoever found the lock taken has left its work to the holder. */
    private void unlockSending(boolean writes) {
        do {
            try {
                if (sending.getHoldCount() == 1) { // else inside a call that waits for room, and does this itself
                    boolean urgent = writes || owesWork(); // the other side may wait for what it is owed
                    serve();
                    if (urgent && dirty) {
                        write();
                    }
                }
            } finally {
                sending.unlock();
            }
        } while (!sending.isHeldByCurrentThread() && owesWork() && sending.tryLock());
    }

    private boolean owesWork() {
        return hasRoom && connected && !gone && (resends || !answers.isEmpty() || owesCount());
    }

    private void serve() {
        hasRoom = serveResends() && dues.serveReplies() && dues.serveCounts(rails);
    }

    private boolean serveResends() {
        while (resends && !gone) {
            resends = false; // before the look: another rail may be lost meanwhile
            dirty = true;
            if (!retention.resend(rails, counted.number() + 1, sent, arrivals.received())) {
                resends = true;
                return false;
            }
        }
        return true;
    }

    // ---- receiving

    /**
     * Takes in what has arrived, unless somebody else is doing so.
     *
     * @return whether anything had
     */
    boolean poll() {
        boolean any = false;
        if (connected && !gone && receiving.tryLock()) {
            try {
                for (Rail rail : rails) {
                    any |= receive(rail);
                }
            } finally {
                receiving.unlock();
            }
        }
        if (wantsToSend()) {
            pump();
        }
        return any;
    }

    /** Whether somebody sends, or takes in what has arrived. */
    boolean isInUse() {
        return sending.isLocked() || receiving.isLocked();
    }

    private boolean receive(Rail rail) {
        if (rail.isLost()) {
            return false;
        }
        try {
            return rail.receive(arrivals);
        } catch (ProtocolException e) {
            refusals.incrementAndGet();
            lose("it has sent what makes no sense: " + e.getMessage());
        } catch (IOException e) {
            loseRail(rail, e.getMessage());
        } catch (RuntimeException e) {
            refusals.incrementAndGet();
            lose("what it has sent could not be taken in: " + e);
        } catch (Error e) { // memory was short, say: nothing that the other side could have sent
            listener.failed(e);
            lose("this process cannot go on: " + e);
        }
        return false;
    }

    /** Waits until nobody uses a region that has just been revoked, and lets go of it. */
    void settle() {
        receiving.lock();
        try {
            for (Rail rail : rails) {
                rail.forgetRevoked();
            }
        } finally {
            receiving.unlock();
        }
        sending.lock();
        unlockSending();
    }

    // ---- what arrivals tell

    /** The other side has counted so many frames. */
    void noteCount(long count) throws ProtocolException {
        if (count > sent) {
            throw new ProtocolException("it has counted " + count + " frames of " + sent);
        }
        counted.note(count);
    }

    /** The other side has sent a piece of news. */
    void hearNews(Frame news) {
        listener.news((int) news.word, news.offset, news.value);
    }

    /** The other side has said good-bye. */
    void hearGoodbye() {
        heardGoodbye = true;
        listener.left(process);
    }
}
