/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;

import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.TransferProtocol;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.RunCursor;
import org.tutti.fabric.SectionPieces;

/**
 * The part of a rank on another node, reached over the fabric: its process checks region and bounds once more, whatever
 * this one claims. Small puts may wait for others to share a system call with them, but not for long. Which of the
 * protocols carries a call says {@link #choose}; frames and places for requests are the fabric's.
 */
final class FarPart extends LivePart {
    /**
     * The buffer into which chunks of sections are got. A long get is divided twice (ARMCI, section 3): first into what
     * fits in here, and that into chunks, of which the next ones come while the first is unpacked.
     */
    static final long STREAM_BUFFER_BYTES = 256 << 10;

    /** How many runs are asked for before the first has come. */
    private static final int ASKED_MAX = 16;

    private static final int CHUNKS_ASKED = (int) (STREAM_BUFFER_BYTES / Chunks.BYTES_MAX);
    private static final long WHOLE_RUN_BYTES_MIN = 16 << 10;
    private static final long GRID_BYTES_MAX = Long.BYTES * (1 + 2L * Section.LEVELS_MAX);

    private final int process;
    private final long region;
    private final Fabric fabric;
    private final PutTarget notified = new PutTarget();
    private final long[] result = new long[1];
    private final int[] asked = new int[ASKED_MAX];
    private final long[] askedBytes = new long[ASKED_MAX];
    private final boolean[] buffered = new boolean[ASKED_MAX];
    private final FarPart[] views;
    private final TransferProtocol forced;
    private TransferProtocol used;
    private int askedFirst;
    private int askedCount;

    FarPart(LiveRemoteMemory memory, int rank, Part part, int process, Fabric fabric) {
        super(memory, rank, part.bytes());
        this.process = process;
        this.region = part.handle();
        this.fabric = fabric;
        this.views = new FarPart[TransferProtocol.values().length];
        this.forced = null;
    }

    /** The same part, by one protocol. */
    private FarPart(LiveRemoteMemory memory, FarPart part, TransferProtocol forced) {
        super(memory, part.rank, part.bytes);
        this.process = part.process;
        this.region = part.region;
        this.fabric = part.fabric;
        this.views = part.views;
        this.forced = forced;
    }

    int process() {
        return process;
    }

    long region() {
        return region;
    }

    @Override
    public MemorySegment segment() {
        throw new UnsupportedOperationException(memory.self() + " cannot load and store in the part of "
                + memory.describe(rank) + ", which is on another node; use put and get");
    }

    @Override
    public RemotePart withProtocol(TransferProtocol protocol) {
        FarPart view = views[Objects.requireNonNull(protocol, "protocol").ordinal()];
        if (view == null) {
            view = new FarPart(memory, this, protocol);
            views[protocol.ordinal()] = view;
        }
        return view;
    }

    @Override
    public Optional<TransferProtocol> lastProtocol() {
        return Optional.ofNullable(used);
    }

    // ---- put and accumulate

    @Override
    void copyIn(long offset, MemorySegment source, long length) {
        pieces.begin(offset, source, 0, length);
        send("put", Fabric.PUT, 0, 0, pieces);
    }

    @Override
    void copyIn(SectionPieces all) {
        send("put", Fabric.PUT, 0, 0, all);
    }

    @Override
    void combine(int code, long scale, long imaginary, long offset, MemorySegment source, long length) {
        pieces.begin(offset, source, 0, length);
        send("accumulate", code, scale, imaginary, pieces);
    }

    @Override
    void combine(int code, long scale, long imaginary, SectionPieces all) {
        send("accumulate", code, scale, imaginary, all);
    }

    @Override
    void copyInAndNotify(long offset, MemorySegment source, long length, long word) {
        memory.enter("putNotify");
        try {
            CallCheck check = memory.begin("putNotify", rank);
            memory.noteWritten(process);
            notified.at(process, region, offset).add(word, 1);
            check.requireThere(fabric.put(notified, source, 0, length, check));
            if (!memory.isGathering()) {
                fabric.flush(); // somebody waits for it
            }
        } finally {
            memory.leave();
        }
    }

    private void send(String call, int operation, long scale, long imaginary, SectionPieces all) {
        memory.enter(call);
        try {
            CallCheck check = memory.begin(call, rank);
            memory.noteWritten(process);
            used = choose(all, all.memory().isNative(), Fabric.PACKED_BYTES_MAX);
            if (used == TransferProtocol.ZERO_COPY) {
                check.requireThere(fabric.send(process, region, all, operation, scale, imaginary, check));
            } else {
                stream(operation, scale, imaginary, all, check);
            }
            if (!memory.isGathering()) {
                fabric.flushSoon();
            }
        } finally {
            memory.leave();
        }
    }

    private void stream(int operation, long scale, long imaginary, SectionPieces all, CallCheck check) {
        long total = all.left();
        while (all.left() > 0) {
            if (used == TransferProtocol.STREAMING && all.left() < total) {
                check.requireThere(fabric.fence(process, check)); // the buffers of both sides are free again
            }
            long bytes = chunk(total, all);
            check.requireThere(
                    fabric.sendPacked(process, region, all, bytes, operation, scale, imaginary, check));
        }
    }

    private long chunk(long total, SectionPieces all) {
        return used == TransferProtocol.STREAMING ? Math.min(all.left(), Fabric.PACKED_BYTES_MAX)
                : Chunks.next(total, all.part().position());
    }

    /** What {@link TransferProtocol} says. */
    private TransferProtocol choose(SectionPieces all, boolean mayGoDirectly, long describedBytesMax) {
        if (forced != null) {
            return forced;
        }
        if ((mayGoDirectly || all.left() > Fabric.PACKED_BYTES_MAX)
                && all.left() >= WHOLE_RUN_BYTES_MIN * all.runs()) {
            return TransferProtocol.ZERO_COPY;
        }
        long described = describedBytes(all.part());
        return described <= describedBytesMax && all.left() + described <= Fabric.PACKED_BYTES_MAX
                ? TransferProtocol.STREAMING
                : TransferProtocol.PIPELINED;
    }

    /** How many bytes describe the runs in one frame, at most. */
    private static long describedBytes(RunCursor part) {
        return part.isStrided() ? part.directions() == 0 ? 0 : GRID_BYTES_MAX : Long.BYTES * (1 + part.runsLeft());
    }

    // ---- get

    @Override
    void copyOut(long offset, MemorySegment target, long length) {
        pieces.begin(offset, target, 0, length);
        copyOut(pieces);
    }

    /** When that ends early, nobody writes to the caller's memory any more. */
    @Override
    void copyOut(SectionPieces all) {
        memory.enter("get");
        try {
            get(all);
        } finally {
            memory.leave();
        }
    }

    private void get(SectionPieces all) {
        CallCheck check = memory.begin("get", rank);
        used = choose(all, true, Fabric.REQUEST_BYTES_MAX);
        int window = switch (used) {
            case ZERO_COPY -> ASKED_MAX;
            case STREAMING -> 1;
            case PIPELINED -> CHUNKS_ASKED;
        };
        askedFirst = 0;
        askedCount = 0;
        long total = all.left();
        try {
            while (all.left() > 0) {
                if (askedCount == window || !ask(all, total, window, check)) {
                    takeFirst(all, window, check);
                }
            }
            while (askedCount > 0) {
                takeFirst(all, window, check);
            }
        } finally {
            for (; askedCount > 0; askedCount--) {
                fabric.forgetGet(process, asked[(askedFirst + askedCount - 1) % window]);
            }
        }
    }

    /**
     * Asks for the next bytes: straight to where they belong, or into one of the buffers. Ranks of a process share the
     * places for requests: none may wait for a place while it holds some.
     *
     * @return whether there was a place
     */
    private boolean ask(SectionPieces all, long total, int window, CallCheck check) {
        int next = (askedFirst + askedCount) % window;
        RunCursor here = all.here();
        boolean whole = used == TransferProtocol.ZERO_COPY;
        buffered[next] = !whole && here.runLeft() < here.left();
        long bytes = whole ? all.pieceBytes() : chunk(total, all);
        MemorySegment target = buffered[next] ? memory.streamBuffer() : all.memory();
        long at = buffered[next] ? bufferOffset(next, window)
                : here.offset() + all.part().position() - here.position(); // chunks before it may be under way
        long before = all.part().position();
        int request = fabric.beginGet(process, region, all, bytes, target, at, askedCount == 0, check);
        if (request == Fabric.NO_PLACE) {
            return false;
        }
        check.requireThere(request >= 0);
        asked[next] = request;
        askedBytes[next] = all.part().position() - before;
        askedCount++;
        if (whole) {
            here.skip(askedBytes[next]);
        }
        return true;
    }

    private static long bufferOffset(int place, int window) {
        return (long) place * (STREAM_BUFFER_BYTES / window);
    }

    private void takeFirst(SectionPieces all, int window, CallCheck check) {
        int first = askedFirst;
        askedFirst = (first + 1) % window;
        askedCount--;
        check.requireThere(fabric.awaitGet(process, asked[first], check));
        if (buffered[first]) {
            all.scatter(memory.streamBuffer(), bufferOffset(first, window), askedBytes[first]);
        } else if (used != TransferProtocol.ZERO_COPY) {
            all.here().skip(askedBytes[first]);
        }
    }

    @Override
    long atomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        memory.enter(call);
        try {
            CallCheck check = memory.begin(call, rank);
            check.requireThere(fabric.atomic(process, region, offset, operation, operand, expected, result, check));
            return result[0];
        } finally {
            memory.leave();
        }
    }

    @Override
    void fence() {
        if (memory.isWritten(process)) {
            memory.enter("fence");
            try {
                CallCheck check = memory.beginFence("fence", rank);
                check.requireThere(fabric.fence(process, check));
                memory.noteFenced(process);
            } finally {
                memory.leave();
            }
        }
    }
}
