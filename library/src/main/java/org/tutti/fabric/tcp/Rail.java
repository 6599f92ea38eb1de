/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.tutti.fabric.Region;

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
 * <p><b>Holding a frame.</b> A frame whose bytes cannot all be delivered yet is held: it stays in the landing buffer,
 * nothing behind it is parsed, and nothing more is read. So nothing grows here, the wire fills, and the other side
 * waits for room. Every poll tries again. With one rail what comes later waits, and all keeps its order. With several,
 * frames on other rails arrive, but the count does not pass the held one, so no word is raised, and no request is
 * answered, out of order; and the other side sends no more than {@link Retention} keeps. A held frame has begun to
 * take effect, so it is the one that is carried through, even when its rail is lost meanwhile, and a copy on another
 * rail is dropped. When the last rail is lost, so is what is held, like all that has not arrived.
 *
 * <p>The outgoing side is guarded by the peer's sending lock, the incoming side by its receiving lock.
 */
final class Rail {
    /** The incoming buffer. */
    static final int IN_BYTES = 16 << 10;

    /** The outgoing buffer. */
    static final int OUT_BYTES = FrameLayout.HEADER_BYTES + FrameLayout.PAYLOAD_BYTES_MAX + (16 << 10);

    /** How many frames go out with one system call, at most. */
    static final int BATCH_FRAMES = 16;

    private static final int READ_BYTES_MAX = 128 << 10;
    private static final int HEADERS_READ = 2;

    /** Below it a copy is cheaper; and the JDK makes an object for each scattering read into memory of an arena. */
    private static final int READ_DIRECTLY_BYTES_MIN = IN_BYTES / 2;

    private final int index;
    private Wire wire;

    private final ByteBuffer out = buffer(OUT_BYTES);
    private final ByteBuffer drain = out.duplicate();
    private final MemorySegment outSegment = MemorySegment.ofBuffer(out);
    private final ByteBuffer headers = buffer(BATCH_FRAMES * FrameLayout.HEADER_BYTES);
    private final ByteBuffer[] batch = new ByteBuffer[1 + 2 * BATCH_FRAMES];
    private WeakReference<Views> batched = new WeakReference<>(null);
    private WeakReference<Views> batchedBefore = new WeakReference<>(null);
    private Views payloads;
    private int frames;
    private boolean batching;
    private int drained;

    private final Frame frame = new Frame();
    private final ByteBuffer in = buffer(IN_BYTES);
    private final MemorySegment inSegment = MemorySegment.ofBuffer(in);
    private final ByteBuffer[] both = {null, in};
    private boolean inFrame;
    private int remaining;
    private MemorySegment sink;
    private long sinkOffset;
    private Region sinkRegion;
    private ByteBuffer view;
    private Region viewed;
    private boolean landed;
    private MemorySegment landing;
    private ByteBuffer landingView;
    private boolean held;
    private long delivered;

    private volatile boolean lost;
    private volatile boolean heard;
    private volatile boolean owesCount;
    private volatile boolean asksCount;

    /** Since when nothing has been heard, as far as its owner has looked; for the owner's use. */
    long silentNanos;

    /** Its buffers, before there is a connection. */
    Rail(int index) {
        this.index = index;
        batch[0] = drain;
        for (int i = 0; i < BATCH_FRAMES; i++) {
            batch[1 + 2 * i] = headers.duplicate();
        }
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Begins: here is the connection. */
    void connect(Wire connection) {
        wire = connection;
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
        FrameLayout.write(out, added);
        out.position(out.position() + added.length);
    }

    /** Copies the payload of a frame there, for which there is room. */
    void copyPayload(Frame added, MemorySegment source, long sourceOffset) {
        if (added.length > 0) {
            MemorySegment.copy(source, sourceOffset, outSegment, payloadAt(), added.length);
        }
    }

    // ---- out, long payloads straight from where they lie

    /** Views of one memory, a buffer for each frame of a batch. */
    private static final class Views {
        private final ByteBuffer[] buffers = new ByteBuffer[BATCH_FRAMES];
        private final MemorySegment.Scope scope;
        private final long address;
        private final long bytes;

        Views(MemorySegment source) {
            scope = source.scope();
            address = source.address();
            bytes = source.byteSize();
            ByteBuffer view = source.asByteBuffer();
            for (int i = 0; i < BATCH_FRAMES; i++) {
                buffers[i] = view.duplicate();
            }
        }

        /** Whether they are of just this memory; other memory may have its address once it has been freed. */
        boolean areOf(MemorySegment source) {
            return source.address() == address && source.byteSize() == bytes && source.scope().equals(scope);
        }
    }

    /**
     * The views of a memory. Those of two are kept, as calls send from their source and their target in turns; but only
     * until the next collection of garbage, as memory of an automatic arena is there for as long as its views are.
     */
    private Views views(MemorySegment source) {
        Views last = batched.get();
        if (last != null && last.areOf(source)) {
            return last;
        }
        WeakReference<Views> before = batchedBefore;
        Views views = before.get();
        if (views == null || !views.areOf(source)) {
            views = new Views(source);
            before = new WeakReference<>(views);
        }
        batchedBefore = batched;
        batched = before;
        return views;
    }

    /** Begins a batch of frames whose payloads lie in the same memory. Until its end, nothing else can be added. */
    void beginBatch(MemorySegment source) {
        payloads = views(source);
        drain.limit(out.position()).position(drained);
        headers.clear();
        frames = 0;
        batching = true;
    }

    /** Adds a frame to the batch, which has at most {@value #BATCH_FRAMES}. */
    void addToBatch(Frame added, long sourceOffset) {
        FrameLayout.write(headers, added);
        batch[1 + 2 * frames].limit(headers.position()).position(headers.position() - FrameLayout.HEADER_BYTES);
        batch[2 + 2 * frames] =
                payloads.buffers[frames].limit((int) sourceOffset + added.length).position((int) sourceOffset);
        frames++;
    }

    /** Writes what the wire takes of the batch; returns whether it took anything. */
    boolean writeBatch() throws IOException {
        return wire.write(batch, 1 + 2 * frames) > 0;
    }

    boolean isBatchWritten() {
        return !batch[2 * frames].hasRemaining();
    }

    /**
     * Ends the batch. What was written of a frame must be followed by the rest of it, which is copied; frames that have
     * not begun are dropped.
     *
     * @return how many were dropped
     */
    int endBatch() {
        batching = false;
        drained = drain.position();
        if (!drain.hasRemaining()) {
            out.clear();
            drained = 0;
        }
        int dropped = 0;
        for (int i = 0; i < frames; i++) {
            ByteBuffer header = batch[1 + 2 * i];
            ByteBuffer payload = batch[2 + 2 * i];
            if (header.remaining() == FrameLayout.HEADER_BYTES) {
                dropped++;
            } else if (header.hasRemaining() || payload.hasRemaining()) {
                out.put(header).put(payload);
            }
            batch[2 + 2 * i] = null;
        }
        payloads = null;
        return dropped;
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
        drained = drain.position();
        if (!drain.hasRemaining()) {
            out.clear();
            drained = 0;
        }
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

    /** Sends the payload of the arriving frame into a region. */
    void into(Region region, long offset) {
        sink = region.segment();
        sinkOffset = offset;
        sinkRegion = region;
        landed = false;
    }

    /** Sends the payload of the arriving frame into memory that has no view. */
    void into(MemorySegment segment, long offset) {
        sink = segment;
        sinkOffset = offset;
        sinkRegion = null;
        landed = false;
    }

    /** Sends the payload of the arriving frame into a buffer of this rail, where it stays until the next frame. */
    void intoLanding() {
        if (landing == null) {
            landingView = buffer(FrameLayout.PAYLOAD_BYTES_MAX);
            landing = MemorySegment.ofBuffer(landingView);
        }
        into(landing, 0);
        landed = true;
        delivered = 0;
    }

    /** Whether the payload of the arriving frame is there. */
    boolean isLanded() {
        return landed;
    }

    /** That buffer. */
    MemorySegment landing() {
        return landing;
    }

    /** How many bytes of that buffer have been delivered, when the frame has been tried before. */
    long delivered() {
        return delivered;
    }

    void noteDelivered(long bytes) {
        delivered = bytes;
    }

    /** Whether the frame is complete, but has to be tried again. */
    boolean isHeld() {
        return held;
    }

    /** Drops the payload of the arriving frame, and lets go of where it was to go. */
    void discard() {
        sink = null;
        sinkRegion = null;
        landed = false;
    }

    /** Lets go of a region that has been revoked. */
    void forgetRevoked() {
        if (viewed != null && viewed.isRevoked()) {
            viewed = null;
            view = null;
            both[0] = null;
        }
        if (sinkRegion != null && sinkRegion.isRevoked()) {
            discard();
        }
    }

    /**
     * Takes in what has arrived, up to a limit.
     *
     * @return whether anything had
     */
    boolean receive(Arrivals arrivals) throws IOException {
        if (held && (!tryAgain(arrivals) || lost)) {
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
            parse(arrivals);
            in.compact();
            if (bytes < asked || held) {
                break; // what came meanwhile is for the next time: one system call less
            }
        }
        return taken > 0;
    }

    /** Goes on with the frame that is held, and with what is behind it; returns whether none is any more. */
    private boolean tryAgain(Arrivals arrivals) throws IOException {
        heard = true; // if nothing is heard, that is because nothing is read
        if (arrivals.end(this)) {
            held = false;
            arrivals.noteHeld();
            discard();
            in.flip();
            parse(arrivals);
            in.compact();
        }
        return !held;
    }

    private boolean readsDirectly() {
        if (sinkRegion != null && sinkRegion.isRevoked()) {
            discard();
        }
        return remaining >= READ_DIRECTLY_BYTES_MIN && in.position() == 0 && hasView();
    }

    /** Views are made for long payloads only: small ones may go to another region each time. */
    private boolean hasView() {
        if (landed) {
            viewed = null;
            view = landingView;
        } else if (sinkRegion == null) {
            return false;
        } else if (viewed != sinkRegion) {
            viewed = sinkRegion;
            view = sinkRegion.view();
        }
        return view != null;
    }

    private long readDirectly() throws IOException {
        view.limit((int) sinkOffset + remaining).position((int) sinkOffset);
        both[0] = view;
        long bytes;
        try {
            bytes = wire.read(both);
        } catch (IllegalStateException e) {
            discardClosed(e);
            return wire.read(in);
        }
        int arrived = view.position() - (int) sinkOffset;
        sinkOffset += arrived;
        remaining -= arrived;
        return bytes;
    }

    private void parse(Arrivals arrivals) throws IOException {
        while (true) {
            if (!inFrame) {
                if (in.remaining() < FrameLayout.HEADER_BYTES) {
                    return;
                }
                FrameLayout.read(in, frame);
                arrivals.begin(this);
                remaining = frame.length;
                inFrame = true;
            }
            take(Math.min(remaining, in.remaining()));
            if (remaining > 0) {
                return;
            }
            inFrame = false;
            if (!arrivals.end(this)) {
                held = true;
                arrivals.noteHeld();
                return;
            }
            discard();
        }
    }

    private void take(int bytes) {
        if (bytes > 0) {
            if (sink != null) {
                fill(bytes);
            }
            in.position(in.position() + bytes);
            remaining -= bytes;
        }
    }

    private void fill(int bytes) {
        try {
            MemorySegment.copy(inSegment, in.position(), sink, sinkOffset, bytes);
            sinkOffset += bytes;
        } catch (IllegalStateException e) {
            discardClosed(e);
        }
    }

    /** Whoever has closed memory that bytes are on their way to does not want them; the other side goes on. */
    private void discardClosed(IllegalStateException e) {
        if (sink.scope().isAlive()) {
            throw e;
        }
        discard();
    }

    // ---- life

    boolean isLost() {
        return lost;
    }

    void lose() {
        lost = true;
        wire.close();
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
