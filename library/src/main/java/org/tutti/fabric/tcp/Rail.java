/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * One connection of a pair of processes: gathers frames that go out, and takes those apart that come in, however the
 * wire cuts them.
 *
 * <p>Small frames come in through a buffer of {@value #IN_BYTES} bytes, many with one read; long payloads are read
 * straight to where they belong, together with the header of what follows them. Frames go out through a buffer that
 * holds the longest one: so whoever cannot write to the end leaves the rest there to the next one who comes by, and
 * nobody's memory is needed for longer than a call. Long payloads in native memory pass it by as far as the wire takes
 * them.
 *
 * <p><b>Holding a frame.</b> A frame that cannot be taken in yet is held, because there is no room to defer it ({@link
 * DeferredFrames}): it stays in the bounce buffer, nothing behind it is parsed, and nothing more is read. So nothing
 * grows here, the wire fills, and the other side waits for room. Every poll tries again. With one rail what comes later
 * waits. With several, frames on other rails arrive, but the count does not pass the held one; and the other side sends
 * no more than its {@link RetransmitBuffer} keeps. A held frame has had no effect, so it is forgotten with the wire
 * when its rail is lost, and comes again.
 *
 * <p>The outgoing side is guarded by the peer's sending lock, the incoming side by its receiving lock. The wire changes
 * only under both, when a lost rail comes back.
 */
final class Rail {
    /** The incoming buffer. */
    static final int IN_BYTES = 16 << 10;

    /** The outgoing buffer. */
    static final int OUT_BYTES = FrameLayout.HEADER_BYTES + FrameLayout.PAYLOAD_BYTES_MAX + (16 << 10);

    private static final int READ_BYTES_MAX = 128 << 10;
    private static final int HEADERS_READ = 2;

    /** Below it a copy is cheaper; and the JDK makes an object for each scattering read into memory of an arena. */
    private static final int READ_DIRECTLY_BYTES_MIN = IN_BYTES / 2;

    /** What takes in the frames that a rail takes apart; under the peer's receiving lock. */
    interface Receiver {
        /** The header of a frame has arrived: says where its payload goes, or else it is dropped. */
        void begin(Rail rail) throws ProtocolException;

        /**
         * The frame is complete.
         *
         * @return whether it is dealt with; else this is to be called again for it, before anything else of the rail
         */
        boolean end(Rail rail) throws ProtocolException;

        /**
         * Tries again what has been deferred.
         *
         * @return whether anything has taken effect
         */
        boolean retry() throws ProtocolException;
    }

    private final int index;
    private Wire wire;

    private final ByteBuffer out = FrameLayout.buffer(OUT_BYTES);
    private final ByteBuffer drain = out.duplicate();
    private final MemorySegment outSegment = MemorySegment.ofBuffer(out);
    private final Batch batch = new Batch(drain);
    private boolean batching;
    private int drained;

    private final Frame frame = new Frame();
    private final ByteBuffer in = FrameLayout.buffer(IN_BYTES);
    private final MemorySegment inSegment = MemorySegment.ofBuffer(in);
    private final ByteBuffer[] both = {null, in};
    private boolean inFrame;
    private int remaining;
    private final PayloadTarget payloadTarget = new PayloadTarget();
    private boolean held;

    private volatile long arrivedBytes;
    private long toldBytes;
    private volatile boolean lost;
    private volatile String whyLost = "it could not be connected";
    private volatile Wire next;
    private volatile boolean heard;
    private volatile boolean owesCount;
    private volatile boolean asksCount;

    /** Since when nothing has been heard, as far as its owner has looked; for the owner's use. */
    long silentNanos;

    /** The last attempt to bring it back that was accepted; for the service thread's use. */
    int attempt;

    /** Its buffers, before there is a connection. */
    Rail(int index) {
        this.index = index;
    }

    /** Begins: here is the connection, if there is one. */
    void connect(Wire connection) {
        wire = connection;
        lost = connection.equals(Wire.NONE);
    }

    int index() {
        return index;
    }

    // ---- out

    /** Whether a frame of so many bytes in all fits now. */
    boolean hasRoom(int bytes) {
        if (batching) {
            return false;
        }
        if (out.remaining() >= bytes) {
            return true;
        }
        if (drained > 0) {
            drain.limit(out.position()).position(drained);
            out.clear();
            out.put(drain);
            drained = 0;
        }
        return out.remaining() >= bytes;
    }

    /** The outgoing buffer, into which the payload of the next frame may be written if there is room for it. */
    MemorySegment outgoing() {
        return outSegment;
    }

    /** Where in the outgoing buffer that payload goes. */
    long payloadAt() {
        return (long) out.position() + FrameLayout.HEADER_BYTES;
    }

    /** Adds a frame whose payload has been written there. */
    void append(Frame added) {
        assert !batching : "frame " + added.number + " is added to rail " + index + " in the midst of a batch";
        assert FrameLayout.isPlausible(added) && out.remaining() >= FrameLayout.HEADER_BYTES + added.length : "frame "
                + added.number + " of kind " + added.kind + " with " + added.length + " bytes, where "
                + out.remaining() + " have room";
        FrameLayout.write(out, added);
        out.position(out.position() + added.length);
    }

    /** Copies the payload of a frame there, for which there is room. */
    void copyPayload(Frame added, MemorySegment source, long sourceOffset) {
        if (added.length > 0) {
            MemorySegment.copy(source, sourceOffset, outSegment, payloadAt(), added.length);
        }
    }

    /** Frames that go out with one system call, from where their payloads lie: after {@link #beginBatch}. */
    Batch batch() {
        return batch;
    }

    /** Begins a batch of frames whose payloads lie in the same memory. Until its end, nothing else can be added. */
    void beginBatch(MemorySegment source) {
        assert !batching : "rail " + index + " begins a batch inside another one";
        drain.limit(out.position()).position(drained);
        batch.begin(source);
        batching = true;
    }

    /** Writes what the wire takes of the batch; returns whether it took anything. */
    boolean writeBatch() throws IOException {
        return batch.write(wire);
    }

    /**
     * Ends the batch. What was written of a frame must be followed by the rest of it, which is copied; frames that have
     * not begun are dropped.
     *
     * @return how many were dropped
     */
    int endBatch() {
        assert batching : "rail " + index + " ends a batch that has not begun";
        batching = false;
        noteDrained();
        return batch.end(out);
    }

    /**
     * Adds a frame for which there is room, and writes what the wire takes of it, from where its payload lies. The rest
     * is copied.
     */
    void send(Frame added, MemorySegment source, long sourceOffset) throws IOException {
        beginBatch(source);
        batch.add(added, sourceOffset);
        try {
            batch.write(wire);
        } finally {
            batching = false;
            noteDrained();
            batch.endWhole(out);
        }
    }

    private void noteDrained() {
        drained = drain.position();
        if (!drain.hasRemaining()) {
            out.clear();
            drained = 0;
        }
    }

    /** How many bytes of the outgoing buffer are taken. */
    int gatheredBytes() {
        return out.position();
    }

    boolean isDrained() {
        return out.position() == 0;
    }

    /** Writes what the wire takes; returns whether it took anything. */
    boolean write() throws IOException {
        if (isDrained() || batching) {
            return false;
        }
        drain.limit(out.position()).position(drained);
        int written = wire.write(drain);
        noteDrained();
        return written > 0;
    }

    // ---- in

    /** The frame that is arriving, or has just arrived. */
    Frame frame() {
        return frame;
    }

    /** Whether a frame has begun to arrive, and not yet ended. */
    boolean isInFrame() {
        return inFrame;
    }

    /** How many bytes of that frame have not arrived. */
    int missingBytes() {
        return inFrame ? remaining : 0;
    }

    /** Where the payload of that frame goes. */
    PayloadTarget payloadTarget() {
        return payloadTarget;
    }

    /** Lets go of a region that has been revoked. */
    void forgetRevoked() {
        payloadTarget.forgetRevoked();
    }

    /**
     * Takes in what has arrived, up to a limit.
     *
     * @return whether anything had
     */
    boolean receive(Receiver receiver) throws IOException {
        if (held && (!tryAgain(receiver) || lost)) {
            return false;
        }
        int taken = 0;
        while (taken < READ_BYTES_MAX) {
            boolean direct = readsDirectly();
            if (direct) { // what follows is likely as long, after a word or so: take only headers, the rest directly
                in.limit(HEADERS_READ * FrameLayout.HEADER_BYTES);
            }
            int asked = in.remaining() + (direct ? remaining : 0);
            long bytes = direct ? readDirectly() : wire.read(in);
            if (bytes < 0) {
                throw new EOFException("the connection was closed by the other side");
            }
            if (bytes == 0) {
                break;
            }
            heard = true;
            taken += (int) bytes;
            in.flip();
            parse(receiver);
            in.compact();
            if (bytes < asked || held) {
                break; // what came meanwhile is for the next time: one system call less
            }
        }
        return taken > 0;
    }

    /** Goes on with the frame that is held, and with what is behind it; returns whether none is any more. */
    private boolean tryAgain(Receiver receiver) throws IOException {
        heard = true; // if nothing is heard, that is because nothing is read
        if (receiver.end(this)) {
            held = false;
            payloadTarget.discard();
            in.flip();
            parse(receiver);
            in.compact();
        }
        return !held;
    }

    private boolean readsDirectly() {
        payloadTarget.discardRevoked();
        return remaining >= READ_DIRECTLY_BYTES_MIN && in.position() == 0 && payloadTarget.hasView();
    }

    private long readDirectly() throws IOException {
        both[0] = payloadTarget.view(remaining);
        long bytes;
        try {
            bytes = wire.read(both);
        } catch (IllegalStateException e) {
            payloadTarget.discardClosed(e);
            return wire.read(in);
        } finally {
            both[0] = null;
        }
        remaining -= payloadTarget.noteRead();
        assert remaining >= 0 : -remaining + " bytes more than frame " + frame.number + " has were read";
        return bytes;
    }

    private void parse(Receiver receiver) throws IOException {
        while (true) {
            if (!inFrame) {
                if (in.remaining() < FrameLayout.HEADER_BYTES) {
                    return;
                }
                FrameLayout.read(in, frame);
                receiver.begin(this);
                remaining = frame.length;
                inFrame = true;
            }
            take(Math.min(remaining, in.remaining()));
            if (remaining > 0) {
                return;
            }
            inFrame = false;
            if (!receiver.end(this)) {
                held = true;
                return;
            }
            payloadTarget.discard();
        }
    }

    private void take(int bytes) {
        assert bytes >= 0 && bytes <= remaining : bytes + " bytes are taken of " + remaining;
        if (bytes > 0) {
            payloadTarget.fill(inSegment, in.position(), bytes);
            in.position(in.position() + bytes);
            remaining -= bytes;
        }
    }

    /** How many bytes of numbered frames have come over this rail, if it is one of several. */
    long arrivedBytes() {
        return arrivedBytes;
    }

    /**
     * A numbered frame is complete.
     *
     * @return whether the other side should be told: so many have come, or the frame asks for it
     */
    boolean noteArrived(Frame arrived) {
        long bytes = arrivedBytes + FrameLayout.HEADER_BYTES + arrived.length;
        arrivedBytes = bytes; // under the receiving lock
        boolean isDue = bytes - toldBytes >= RailSpeed.TOLD_BYTES || arrived.has(FrameLayout.WANTS_COUNT);
        toldBytes = isDue ? bytes : toldBytes;
        return isDue;
    }

    // ---- life

    boolean isLost() {
        return lost;
    }

    void lose(String reason) {
        if (!lost) {
            whyLost = reason;
            lost = true;
        }
        wire.close();
    }

    /** Why it is lost, or was. */
    String whyLost() {
        return whyLost;
    }

    /** Ends for good. */
    void close() {
        lost = true;
        wire.close();
        replaceNext(null);
    }

    /** It is lost, and will use this connection. */
    void bringBack(Wire connection) {
        replaceNext(connection);
    }

    private void replaceNext(Wire connection) {
        Wire before = next;
        next = connection;
        if (before != null) {
            before.close();
        }
    }

    /** Whether it is lost, but has a new connection. */
    boolean isComingBack() {
        return next != null;
    }

    /** Begins anew with the new connection: whatever is left of the old one is dropped. */
    void resume() {
        assert lost && next != null && !batching : "rail " + index + " comes back, and was not lost or is in use";
        wire = next;
        next = null;
        out.clear();
        drained = 0;
        in.clear();
        inFrame = false;
        held = false;
        remaining = 0;
        arrivedBytes = 0;
        toldBytes = 0;
        payloadTarget.discard();
        heard = true; // in its handshake
        lost = false;
    }

    /** Whether anything has arrived since the last time that this was asked. */
    boolean wasHeard() {
        boolean was = heard;
        heard = false;
        return was;
    }

    /** Whether the other side is to be asked on this rail whether it is there. */
    boolean asksCount() {
        return asksCount;
    }

    void askCount(boolean asks) {
        asksCount = asks;
    }

    boolean owesCount() {
        return owesCount;
    }

    void oweCount(boolean owes) {
        owesCount = owes;
    }
}
