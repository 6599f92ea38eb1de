/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;

import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.TransferProtocol;
import org.tutti.collective.members.CallCheck;
import org.tutti.events.OneSidedEvent;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.RunCursor;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;

/**
 * Accesses remote memory that belongs to a rank on another node. All calls become messages of the fabric, the transport
 * between nodes. The process of the target checks the region and the bounds of each message again, and does not rely on
 * the checks of this process.
 *
 * <p>A small put may be delayed shortly, so that several puts share a system call. The method {@link #choose} chooses
 * how a call moves its bytes. The fabric defines the format of the messages, and limits the number of requests under
 * way.
 *
 * <p>Each call first waits for the non-blocking calls in the {@link CallQueue} of the part. Therefore calls into the
 * part start in the order of the program.
 */
final class FarPart extends LivePart {
    private static final int CHUNKS_ASKED = (int) (OneSidedCall.STREAM_BUFFER_BYTES / Chunks.BYTES_MAX);
    private static final long WHOLE_RUN_BYTES_MIN = 16 << 10;
    private static final long GRID_BYTES_MAX = Long.BYTES * (3 + 2L * Section.LEVELS_MAX);

    /**
     * The time at which the calls of a view are made, if it is not the time at which the program makes them.
     *
     * @param number the number of a non-blocking call that another thread makes, in the {@link PendingCalls}
     * @param checksOnly whether calls check their arguments and do nothing else
     * @param deadlineNanos the time of {@link System#nanoTime()} by which a call of another thread must end
     */
    private record Turn(long number, boolean checksOnly, long deadlineNanos) {}

    private final Fences fences;
    private final CallQueue queue;
    private final PartAddress address;
    private final int process;
    private final long region;
    private final SectionTransport fabric;
    private final int packedBytesMax;
    private final int requestBytesMax;
    private final TransferProtocol forced;
    private final boolean gathers;
    private final Turn turn; // null if the program's thread makes the calls
    private final FarPart[] views; // a view for each protocol; all these views share the array
    private final FarPart origin; // the view that tells the protocol of the last call
    private TransferProtocol used; // written by any thread

    FarPart(RemoteAccess access, Fences fences, long bytes, PartAddress address, SectionTransport fabric) {
        super(access, address.rank(), bytes, 0);
        this.fences = fences;
        this.queue = new CallQueue();
        this.address = address;
        this.process = address.process();
        this.region = address.region();
        this.fabric = fabric;
        this.packedBytesMax = fabric.packedBytesMax();
        this.requestBytesMax = fabric.requestBytesMax();
        this.forced = null;
        this.gathers = false;
        this.turn = null;
        this.views = new FarPart[TransferProtocol.values().length];
        this.origin = this;
    }

    /**
     * Creates another view of the same part.
     *
     * @param origin the view that notes the protocol of this view's calls; null for this one
     */
    private FarPart(FarPart part, int unitShift, TransferProtocol forced, boolean gathers, Turn turn, FarPart[] views,
            FarPart origin) {
        super(part.access, part.rank, part.bytes, unitShift);
        this.fences = part.fences;
        this.queue = part.queue;
        this.address = part.address;
        this.process = part.process;
        this.region = part.region;
        this.fabric = part.fabric;
        this.packedBytesMax = part.packedBytesMax;
        this.requestBytesMax = part.requestBytesMax;
        this.forced = forced;
        this.gathers = gathers;
        this.turn = turn;
        this.views = views;
        this.origin = origin == null ? this : origin;
    }

    private FarPart view(int ofUnitShift, TransferProtocol protocol, boolean gathersAll, FarPart[] ofViews) {
        return new FarPart(this, ofUnitShift, protocol, gathersAll, null, ofViews, null);
    }

    /** Returns a view for calls that are made at another time than the program makes them. */
    private FarPart at(Turn when) {
        return new FarPart(this, unitShift, forced, false, when, views, origin);
    }

    /** Returns a view whose calls check their arguments and do nothing else. */
    FarPart checking() {
        return at(new Turn(0, true, 0));
    }

    /**
     * Returns a view for one non-blocking call that another thread makes.
     *
     * @param number the number of the call in the {@link PendingCalls}
     * @param deadlineNanos the time of {@link System#nanoTime()} by which the call must end
     */
    FarPart inBackground(long number, long deadlineNanos) {
        return at(new Turn(number, false, deadlineNanos));
    }

    @Override
    OneSidedEvent beginEvent() {
        OneSidedEvent event = turn != null && turn.checksOnly ? null : super.beginEvent();
        if (event != null) {
            event.nonBlocking = turn != null;
        }
        return event;
    }

    @Override
    LivePart view(int ofUnitShift) {
        return view(ofUnitShift, forced, gathers, new FarPart[views.length]);
    }

    @Override
    LivePart gathering() {
        return view(unitShift, forced, true, new FarPart[views.length]);
    }

    /** Returns the address by which the fabric reaches the part. */
    PartAddress address() {
        return address;
    }

    /** Returns the queue of the non-blocking calls that write to the part. */
    CallQueue queue() {
        return queue;
    }

    @Override
    public MemorySegment segment() {
        throw new UnsupportedOperationException(access.self() + " cannot load and store in the part of "
                + access.describe(rank) + ", which is on another node; use put and get");
    }

    @Override
    public RemotePart withProtocol(TransferProtocol protocol) {
        FarPart view = views[Objects.requireNonNull(protocol, "protocol").ordinal()];
        return view != null ? view : makeView(protocol);
    }

    private FarPart makeView(TransferProtocol protocol) {
        synchronized (access) {
            if (views[protocol.ordinal()] == null) {
                views[protocol.ordinal()] = view(unitShift, protocol, gathers, views);
            }
            return views[protocol.ordinal()];
        }
    }

    @Override
    public Optional<TransferProtocol> lastProtocol() {
        return Optional.ofNullable(used);
    }

    /** Begins a call of a view, after the queued calls that are before it. */
    private CallCheck begin(OneSidedCall call, String name) {
        CallCheck check = access.begin(call, name, rank);
        if (turn != null) {
            check.begin(name, rank, turn.deadlineNanos).inBackground(access.pending().policy());
        }
        if (queue.isBusy()) {
            PendingCalls pending = access.pending();
            pending.awaitQueued(address, turn == null ? pending.begun() : turn.number - 1, check);
        }
        return check;
    }

    // ---- put and accumulate

    @Override
    void copyIn(long offset, MemorySegment source, long length) {
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(offset, source, 0, length);
            copyIn(call);
        } finally {
            access.putBack(call);
        }
    }

    @Override
    void copyIn(OneSidedCall call) {
        send("put", SectionTransport.PUT, 0, 0, call);
    }

    @Override
    void combine(int code, long scale, long imaginary, long offset, MemorySegment source, long length) {
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(offset, source, 0, length);
            combine(code, scale, imaginary, call);
        } finally {
            access.putBack(call);
        }
    }

    @Override
    void combine(int code, long scale, long imaginary, OneSidedCall call) {
        send("accumulate", code, scale, imaginary, call);
    }

    @Override
    void copyInAndNotify(long offset, MemorySegment source, long length, long word) {
        if (turn != null && turn.checksOnly) {
            return;
        }
        OneSidedCall call = access.takeCall();
        try {
            CallCheck check = begin(call, "putNotify");
            if (length > 0) { // the bytes of a section have been put before
                origin.used = TransferProtocol.ZERO_COPY;
            }
            call.notified.at(process, region, offset).add(word, 1);
            check.requireThere(fabric.put(call.notified, call.source.add(source, 0, length), check));
        } finally {
            call.source.clear();
            fences.noteWritten(process, rank);
            access.putBack(call);
        }
        if (!gathers) {
            fabric.flush(); // another rank waits for the notification
        }
    }

    private void send(String name, int operation, long scale, long imaginary, OneSidedCall call) {
        if (turn != null && turn.checksOnly) {
            return;
        }
        CallCheck check = begin(call, name);
        SectionPieces all = call.pieces;
        TransferProtocol protocol = choose(all, all.memory().isNative(), packedBytesMax);
        origin.used = protocol;
        try {
            if (protocol == TransferProtocol.ZERO_COPY) {
                check.requireThere(fabric.send(process, region, all, operation, scale, imaginary, check));
            } else {
                stream(protocol, operation, scale, imaginary, all, check);
            }
        } finally {
            fences.noteWritten(process, rank);
        }
        if (!gathers) {
            fabric.flushSoon();
        }
    }

    private void stream(TransferProtocol protocol, int operation, long scale, long imaginary, SectionPieces all,
            CallCheck check) {
        long total = all.left();
        while (all.left() > 0) {
            if (protocol == TransferProtocol.STREAMING && all.left() < total) {
                check.requireThere(fabric.fence(process, check)); // then the buffers of both sides are free
            }
            long length = chunk(protocol, total, all);
            check.requireThere(
                    fabric.sendPacked(process, region, all, length, operation, scale, imaginary, check));
        }
    }

    private long chunk(TransferProtocol protocol, long total, SectionPieces all) {
        return Math.min(packedBytesMax, protocol == TransferProtocol.STREAMING
                ? Math.min(all.left(), OneSidedCall.STREAM_BUFFER_BYTES) : Chunks.next(total, all.part().position()));
    }

    /** Returns the protocol for a call, by the rules of {@link TransferProtocol}. */
    private TransferProtocol choose(SectionPieces all, boolean mayGoDirectly, long describedBytesMax) {
        if (forced != null) {
            return forced;
        }
        if ((mayGoDirectly || all.left() > packedBytesMax)
                && all.left() >= WHOLE_RUN_BYTES_MIN * all.runs()) {
            return TransferProtocol.ZERO_COPY;
        }
        long described = describedBytes(all.part());
        return described <= describedBytesMax && all.left() + described <= packedBytesMax
                ? TransferProtocol.STREAMING
                : TransferProtocol.PIPELINED;
    }

    /** Returns the greatest length, in bytes, of the description of the runs in one frame. */
    private static long describedBytes(RunCursor part) {
        return part.isStrided() ? part.directions() == 0 ? 0 : GRID_BYTES_MAX : Long.BYTES * (1 + part.runsLeft());
    }

    // ---- get

    /**
     * Returns whether the protocol of a get has a single request, whose bytes arrive in one run of the caller's memory
     * without a buffer. Then no thread is needed that goes on when the bytes have arrived.
     */
    boolean isOneRequest(SectionPieces all) {
        return all.here().runLeft() == all.left() && switch (choose(all, true, requestBytesMax)) {
            case ZERO_COPY -> all.part().runLeft() == all.left();
            case STREAMING -> all.left() <= packedBytesMax && describedBytes(all.part()) <= requestBytesMax;
            case PIPELINED -> all.left() < Chunks.PIPELINED_BYTES_MIN
                    && describedBytes(all.part()) <= requestBytesMax;
        };
    }

    /** Begins a get that is a single request, as {@link PendingCalls} describes. Returns whether there was room. */
    boolean begin(OneSidedRequest request, OneSidedCall call, CallCheck check) {
        origin.used = choose(call.pieces, true, requestBytesMax);
        return access.pending().begin(request, address, call.pieces, check);
    }

    @Override
    void copyOut(long offset, MemorySegment target, long length) {
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(offset, target, 0, length);
            copyOut(call);
        } finally {
            access.putBack(call);
        }
    }

    /**
     * Gets the sections of a call from the other node into the caller's memory. Most protocols have several requests
     * outstanding at the same time, so that the next ones are on their way while the first one that has arrived is
     * unpacked. If the call ends early, its outstanding requests are forgotten. Therefore nothing writes to the
     * caller's memory after this method has returned.
     */
    @Override
    void copyOut(OneSidedCall call) {
        CallCheck check = begin(call, "get");
        SectionPieces all = call.pieces;
        TransferProtocol protocol = choose(all, true, requestBytesMax);
        origin.used = protocol;
        int window = switch (protocol) {
            case ZERO_COPY -> OneSidedCall.ASKED_MAX;
            case STREAMING -> 1;
            case PIPELINED -> CHUNKS_ASKED;
        };
        call.askedFirst = 0;
        call.askedCount = 0;
        long total = all.left();
        try {
            while (all.left() > 0) {
                if (call.askedCount == window || !ask(call, protocol, total, window, check)) {
                    takeFirst(call, protocol, window, check);
                }
            }
            while (call.askedCount > 0) {
                takeFirst(call, protocol, window, check);
            }
        } finally {
            for (; call.askedCount > 0; call.askedCount--) {
                fabric.forgetGet(process, call.asked[(call.askedFirst + call.askedCount - 1) % window]);
            }
        }
    }

    /**
     * Requests the next chunk of a get from the other node. If the chunk is one run of consecutive bytes in the
     * caller's memory, it arrives there directly. Otherwise it arrives in a buffer, from which it is unpacked.
     *
     * <p>The ranks of a process share a limited number of outstanding requests. If that number is reached, a rank waits
     * for a free request only if it has none outstanding itself.
     *
     * @return whether the chunk was requested; false if too many requests are outstanding
     */
    private boolean ask(OneSidedCall call, TransferProtocol protocol, long total, int window, CallCheck check) {
        SectionPieces all = call.pieces;
        int next = (call.askedFirst + call.askedCount) % window;
        RunCursor here = all.here();
        boolean whole = protocol == TransferProtocol.ZERO_COPY;
        boolean buffered = !whole && here.runLeft() < here.left();
        call.buffered[next] = buffered;
        long length = whole ? all.pieceBytes() : chunk(protocol, total, all);
        MemorySegment target = buffered ? call.streamBuffer() : all.memory();
        long at = buffered ? bufferOffset(next, window)
                : here.offset() + all.part().position() - here.position(); // earlier chunks may be on their way
        long before = all.part().position();
        int request = fabric.beginGet(process, region, all, length, target, at, call.askedCount == 0, check);
        if (request == SectionTransport.NO_ENTRY) {
            return false;
        }
        check.requireThere(request >= 0);
        call.asked[next] = request;
        call.askedBytes[next] = all.part().position() - before;
        call.askedCount++;
        if (whole) {
            here.skip(call.askedBytes[next]);
        }
        return true;
    }

    private static long bufferOffset(int place, int window) {
        return (long) place * (OneSidedCall.STREAM_BUFFER_BYTES / window);
    }

    private void takeFirst(OneSidedCall call, TransferProtocol protocol, int window, CallCheck check) {
        SectionPieces all = call.pieces;
        int first = call.askedFirst;
        call.askedFirst = (first + 1) % window;
        assert call.askedCount > 0 && call.askedCount <= window : call.askedCount + " runs are asked for of " + window;
        call.askedCount--;
        check.requireThere(fabric.awaitGet(process, call.asked[first], check));
        if (call.buffered[first]) {
            all.scatter(call.streamBuffer(), bufferOffset(first, window), call.askedBytes[first]);
        } else if (protocol != TransferProtocol.ZERO_COPY) {
            all.here().skip(call.askedBytes[first]);
        }
    }

    // ---- atomic operations and fences

    @Override
    long atomic(String name, AtomicOperation operation, long offset, long operand, long expected) {
        OneSidedCall call = access.takeCall();
        try {
            CallCheck check = begin(call, name);
            check.requireThere(
                    fabric.atomic(process, region, offset, operation, operand, expected, call.result, check));
            return call.result[0];
        } finally {
            access.putBack(call);
        }
    }

    @Override
    void fence() {
        fences.fence(address);
    }
}
