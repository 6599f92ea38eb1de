/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * One of the parallel connections of a pair of processes. A rail gathers outgoing frames in a buffer. It parses
 * incoming frames from the bytes that arrive over its wire, however the wire divides them.
 *
 * <p>Small frames arrive through a buffer of {@value #IN_BYTES} bytes, many with one read. A long payload is read
 * straight into its target, together with the header of the next frame. Outgoing frames pass through a buffer. A thread
 * that cannot write all bytes of this buffer leaves the rest there for the next thread, so no caller's memory is needed
 * for longer than its call. Long payloads bypass the buffer, those in native memory over every wire, and those in the
 * Java heap over a wire that takes arrays. If a call ends before the wire has taken all bytes of such a frame, the rest
 * is copied to the buffer, which grows if necessary.
 *
 * <p><b>Holding a frame.</b> A frame is held if it cannot take effect yet and there is no room to defer it ({@link
 * DeferredFrames}). It stays in the bounce buffer. The rail parses nothing behind it, and reads nothing more. No buffer
 * of this side grows, because the wire fills and the other side waits for room. Every poll tries the frame again. With
 * one rail, later frames wait. With several rails, frames on other rails arrive, but the count does not pass the held
 * frame, and the other side sends no more than its {@link RetransmitBuffer} keeps. A held frame has had no effect. If
 * its rail is lost, the frame is forgotten with the wire, and arrives again.
 *
 * <p>The peer's sending lock guards the outgoing side, and the receiving lock guards the incoming side. The wire
 * changes only under both locks, when a lost rail comes back.
 */
final class Rail {
    /** The size of the incoming buffer in bytes. */
    static final int IN_BYTES = 16 << 10;

    /** The size of the outgoing buffer in bytes, unless it has grown. */
    static final int OUT_BYTES = FrameLayout.HEADER_BYTES + FrameLayout.PAYLOAD_BYTES_MAX + (16 << 10);

    private static final int READ_BYTES_MAX = 128 << 10;
    private static final int HEADERS_READ = 2;

    /**
     * The length in bytes of the shortest payload that is read directly into its target. A shorter payload is read into
     * the incoming buffer and copied, which is cheaper. For a direct read, the JDK also creates an object if the memory
     * belongs to an arena.
     */
    private static final int READ_DIRECTLY_BYTES_MIN = IN_BYTES / 2;

    /** Receives the frames that a rail has parsed. Called under the peer's receiving lock. */
    interface Receiver {
        /**
         * Called when the header of a frame has arrived. This method sets the target of the frame's payload ({@link
         * Rail#payloadTarget}). If it sets none, the payload is dropped.
         */
        void begin(Rail rail) throws ProtocolException;

        /**
         * Called when the last byte of a frame has arrived.
         *
         * @return whether the frame has been taken in, so that the rail may parse the next one. If not, the rail reads
         *            nothing more, and later calls this method again for the same frame
         */
        boolean end(Rail rail) throws ProtocolException;

        /**
         * Tries again to let deferred frames take effect, which have arrived and could not take effect at that time.
         *
         * @return whether a frame has taken effect
         */
        boolean retry() throws ProtocolException;
    }

    private final int index;
    private Wire wire = Wire.NONE;

    private ByteBuffer out = FrameLayout.buffer(OUT_BYTES);
    private ByteBuffer drain = out.duplicate();
    private MemorySegment outSegment = MemorySegment.ofBuffer(out);
    private final Batch batch = new Batch();
    private boolean batching;
    private int drained;

    private final Frame frame = new Frame();
    private final ByteBuffer in = FrameLayout.buffer(IN_BYTES);
    private final MemorySegment inSegment = MemorySegment.ofBuffer(in);
    private final ByteBuffer[] both = {null, in};
    private boolean inFrame;
    private int remaining;
    private final PayloadTarget payloadTarget = new PayloadTarget();
    private volatile boolean held; // written under the receiving lock
    private boolean endsArray; // the last read was one into an array

    private volatile long arrivedBytes;
    private long toldBytes;
    private volatile boolean lost;
    private volatile String whyLost = "it could not be connected";
    private volatile Wire next;
    private volatile boolean heard;
    private volatile boolean owesAck;
    private volatile boolean asksAck;

    /**
     * The time in nanoseconds for which nothing has been heard on this rail. Only the owner of the rail uses this
     * field.
     */
    long silentNanos;

    /** The number of the last accepted attempt to reconnect this rail. Only the service thread uses this field. */
    int attempt;

    /**
     * Creates a rail with its buffers, which has no connection.
     *
     * @param index the number of the rail
     */
    Rail(int index) {
        this.index = index;
    }

    /** Begins to use a connection. If the connection is {@link Wire#NONE}, the rail is lost. */
    void connect(Wire connection) {
        wire = connection;
        lost = connection.equals(Wire.NONE);
    }

    /** Returns whether payloads in the Java heap can be written and read where they lie. */
    boolean takesArrays() {
        return wire.takesArrays();
    }

    int index() {
        return index;
    }

    // ---- out

    /**
     * Returns whether there is room for a frame.
     *
     * @param bytes the length of the frame in bytes, header included
     */
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

    /**
     * Returns the outgoing buffer. If {@link #hasRoom} returns true, the payload of the next frame may be written to
     * it, at {@link #payloadAt}.
     */
    MemorySegment outgoing() {
        return outSegment;
    }

    /** Returns the offset in the outgoing buffer for the payload of the next frame. */
    long payloadAt() {
        return (long) out.position() + FrameLayout.HEADER_BYTES;
    }

    /** Adds a frame with its payload already in the outgoing buffer, at {@link #payloadAt}. */
    void append(Frame added) {
        assert !batching : "frame " + added.number + " is added to rail " + index + " in the midst of a batch";
        assert FrameLayout.isPlausible(added) && out.remaining() >= FrameLayout.HEADER_BYTES + added.length : "frame "
                + added.number + " of kind " + added.kind + " with " + added.length + " bytes, where "
                + out.remaining() + " have room";
        FrameLayout.write(out, added);
        out.position(out.position() + added.length);
    }

    /** Copies the payload of the next frame to the outgoing buffer, which must have room for it. */
    void copyPayload(Frame added, MemorySegment source, long sourceOffset) {
        if (added.length > 0) {
            MemorySegment.copy(source, sourceOffset, outSegment, payloadAt(), added.length);
        }
    }

    /**
     * Returns the batch of this rail, to which frames are added after {@link #beginBatch}. A batch writes several
     * frames with one system call, and their payloads from where they lie.
     */
    Batch batch() {
        return batch;
    }

    /** Begins a batch of frames with payloads in the same memory. No other frame can be added before the batch ends. */
    void beginBatch(MemorySegment source) {
        assert !batching : "rail " + index + " begins a batch inside another one";
        drain.limit(out.position()).position(drained);
        batch.begin(drain, source);
        batching = true;
    }

    /** Writes as much of the batch as the wire takes. Returns whether the wire took anything. */
    boolean writeBatch() throws IOException {
        return batch.write(wire);
    }

    /**
     * Ends the batch. If a frame was written in part, its rest is copied to the outgoing buffer, because it must be
     * written next. The buffer grows if the rest is longer. Frames of which no byte was written are dropped.
     *
     * @return the number of dropped frames
     * @throws OutOfMemoryError if the buffer cannot grow; the wire is then in the midst of a frame
     */
    int endBatch() {
        assert batching : "rail " + index + " ends a batch that has not begun";
        batching = false;
        noteDrained();
        try {
            if (batch.restBytes() > out.remaining()) {
                grow(batch.restBytes());
            }
            return batch.copyRest(out);
        } finally {
            batch.end();
        }
    }

    /** Replaces the outgoing buffer, which is empty, by a longer one. */
    private void grow(int bytes) {
        assert isDrained() : "rail " + index + " has bytes to write before the rest of a frame";
        out = FrameLayout.buffer(bytes);
        drain = out.duplicate();
        outSegment = MemorySegment.ofBuffer(out);
    }

    /**
     * Writes a frame immediately, as far as the wire takes its bytes, with the payload from where it lies. The rest is
     * copied to the outgoing buffer, which must have room for the whole frame.
     */
    void send(Frame added, MemorySegment source, long sourceOffset) throws IOException {
        beginBatch(source);
        batch.add(added, sourceOffset);
        try {
            batch.write(wire);
        } finally {
            batching = false;
            noteDrained();
            batch.copyWhole(out);
            batch.end();
        }
    }

    private void noteDrained() {
        drained = drain.position();
        if (!drain.hasRemaining()) {
            out.clear();
            drained = 0;
        }
    }

    /** Returns the position of the outgoing buffer in bytes, an upper bound of the bytes to write. */
    int gatheredBytes() {
        return out.position();
    }

    boolean isDrained() {
        return out.position() == 0;
    }

    /** Writes as much of the outgoing buffer as the wire takes. Returns whether the wire took anything. */
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

    /** Returns whether a frame is held. Any thread may call this method. */
    boolean isHolding() {
        return held;
    }

    /** Returns the frame that is arriving. If no frame is arriving, returns the frame that arrived last. */
    Frame frame() {
        return frame;
    }

    /** Returns whether a frame has begun to arrive, and is not complete. */
    boolean isInFrame() {
        return inFrame;
    }

    /** Returns the number of payload bytes that are missing from the arriving frame; 0 if no frame is arriving. */
    int missingBytes() {
        return inFrame ? remaining : 0;
    }

    /** Returns the target of the arriving frame's payload. */
    PayloadTarget payloadTarget() {
        return payloadTarget;
    }

    /** Forgets a region that has been revoked. */
    void forgetRevoked() {
        payloadTarget.forgetRevoked();
    }

    /**
     * Reads the bytes that have arrived over the wire, up to a limit, and passes the frames that they contain to a
     * receiver. If a frame is held, it is tried first, and nothing is read while it remains held.
     *
     * @return whether any bytes had arrived
     */
    boolean receive(Receiver receiver) throws IOException {
        if (held && (!tryAgain(receiver) || lost)) {
            return false;
        }
        int taken = 0;
        while (taken < READ_BYTES_MAX) {
            boolean direct = readsDirectly();
            if (direct || endsArray) { // the next payload is likely as long: take headers only, and read it directly
                in.limit(HEADERS_READ * FrameLayout.HEADER_BYTES);
            }
            endsArray = direct && payloadTarget.isArray();
            int asked = (endsArray ? 0 : in.remaining()) + (direct ? remaining : 0);
            long bytes = endsArray ? readArray() : direct ? readDirectly() : wire.read(in);
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
                break; // bytes that came meanwhile are read next time, which saves a system call
            }
        }
        return taken > 0;
    }

    /** Tries the held frame again, and then parses the bytes behind it. Returns whether no frame is held any more. */
    private boolean tryAgain(Receiver receiver) throws IOException {
        heard = true; // silence would only mean that nothing is read
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
        return remaining >= READ_DIRECTLY_BYTES_MIN && in.position() == 0
                && (payloadTarget.isArray() ? wire.takesArrays() : payloadTarget.hasView());
    }

    private int readArray() throws IOException {
        int bytes = payloadTarget.readArray(wire, remaining);
        remaining -= Math.max(bytes, 0);
        return bytes;
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

    /**
     * Returns the number of bytes of numbered frames that have arrived over this rail's current connection. The bytes
     * are counted only if there are several rails.
     */
    long arrivedBytes() {
        return arrivedBytes;
    }

    /**
     * Counts the bytes of a numbered frame that has arrived completely over this rail.
     *
     * @return whether the other side must be told the number of arrived bytes, because enough bytes have arrived or the
     *            frame asks for it
     */
    boolean noteArrived(Frame arrived) {
        long bytes = arrivedBytes + FrameLayout.HEADER_BYTES + arrived.length;
        arrivedBytes = bytes; // under the receiving lock
        boolean isDue = bytes - toldBytes >= RailSpeed.TOLD_BYTES || arrived.has(FrameLayout.WANTS_ACK);
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

    /** Returns the reason why the rail is lost, or was lost last. */
    String whyLost() {
        return whyLost;
    }

    /** Closes the rail for good. */
    void close() {
        lost = true;
        wire.close();
        replaceNext(null);
    }

    /** Gives a lost rail a new connection. The rail uses it when {@link #resume} is called. */
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

    /** Returns whether the rail has a new connection that is not in use. */
    boolean isComingBack() {
        return next != null;
    }

    /** Begins to use the new connection, and drops all bytes of the old one. */
    void resume() {
        assert lost && next != null && !batching : "rail " + index + " comes back, and was not lost or is in use";
        wire = next;
        next = null;
        out.clear();
        drained = 0;
        in.clear();
        inFrame = false;
        held = false;
        endsArray = false;
        remaining = 0;
        arrivedBytes = 0;
        toldBytes = 0;
        payloadTarget.discard();
        heard = true; // in its handshake
        lost = false;
    }

    /** Returns whether anything has arrived since the last call of this method. */
    boolean wasHeard() {
        boolean was = heard;
        heard = false;
        return was;
    }

    /** Returns whether an ack must be requested on this rail. An answer shows that the other side is there. */
    boolean asksAck() {
        return asksAck;
    }

    void askAck(boolean asks) {
        asksAck = asks;
    }

    /** Returns whether the other side must be sent an ack with the number of bytes that have arrived over this rail. */
    boolean owesAck() {
        return owesAck;
    }

    void oweAck(boolean owes) {
        owesAck = owes;
    }
}
