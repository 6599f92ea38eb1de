/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.WordAction;

/**
 * The part of a rank on another node, reached over the fabric: its process checks region and bounds once more, whatever
 * this one claims. Puts leave at once; those of native memory of 16 KiB and more without a copy.
 */
final class FarPart extends LivePart {
    /** How many runs are asked for before the first has come. */
    private static final int ASKED_MAX = 16;

    private final int process;
    private final long region;
    private final Fabric fabric;
    private final long[] result = new long[1];
    private final int[] asked = new int[ASKED_MAX];
    private int askedFirst;
    private int askedCount;
    private CallCheck writing;

    FarPart(LiveRemoteMemory memory, int rank, Part part, int process, Fabric fabric) {
        super(memory, rank, part.bytes());
        this.process = process;
        this.region = part.handle();
        this.fabric = fabric;
    }

    int process() {
        return process;
    }

    long region() {
        return region;
    }

    @Override
    public MemorySegment segment() {
        throw new UnsupportedOperationException("rank " + memory.rank() + " cannot load and store in the part of rank "
                + rank + ", which is on another node; use put and get");
    }

    @Override
    void beginWriting(String call) {
        writing = memory.begin(call, rank);
        memory.noteWritten(process);
    }

    @Override
    void copyIn(long offset, MemorySegment source, long sourceOffset, long length) {
        writing.requireThere(fabric.put(process, region, offset, source, sourceOffset, length, WordAction.NONE,
                Fabric.NO_WORD, 0, 0, writing));
    }

    @Override
    void copyInAndNotify(long offset, MemorySegment source, long length, long word) {
        writing.requireThere(fabric.put(process, region, offset, source, 0, length, WordAction.ADD, word, 1, 0,
                writing));
    }

    @Override
    void combine(int code, long scale, long offset, MemorySegment source, long sourceOffset, long length) {
        writing.requireThere(
                fabric.accumulate(process, region, offset, source, sourceOffset, length, code, scale, writing));
    }

    @Override
    void endWriting() {
        if (!memory.isGathering()) {
            fabric.flush();
        }
    }

    @Override
    void copyOut(long offset, MemorySegment target, long length) {
        CallCheck check = memory.begin("get", rank);
        check.requireThere(fabric.get(process, region, offset, target, 0, length, check));
    }

    /** Several are asked for at once; when that ends early, nobody writes to the caller's memory any more. */
    @Override
    void copyOut(SectionPieces all, MemorySegment target) {
        CallCheck check = memory.begin("get", rank);
        askedFirst = 0;
        askedCount = 0;
        try {
            while (all.next()) {
                ask(all, target, check);
            }
            while (askedCount > 0) {
                awaitFirst(check);
            }
        } finally {
            for (; askedCount > 0; askedCount--) {
                fabric.forgetGet(process, asked[(askedFirst + askedCount - 1) % ASKED_MAX]);
            }
        }
    }

    /** Ranks of a process share the places for requests: none may wait for a place while it holds some. */
    private void ask(SectionPieces piece, MemorySegment target, CallCheck check) {
        if (askedCount == ASKED_MAX) {
            awaitFirst(check);
        }
        int request = begin(piece, target, check);
        while (request == Fabric.NO_PLACE && askedCount > 0) {
            awaitFirst(check);
            request = begin(piece, target, check);
        }
        if (request == Fabric.NO_PLACE) {
            check.requireThere(fabric.get(process, region, piece.partOffset(), target, piece.otherOffset(),
                    piece.length(), check));
        } else {
            check.requireThere(request >= 0);
            asked[(askedFirst + askedCount) % ASKED_MAX] = request;
            askedCount++;
        }
    }

    private int begin(SectionPieces piece, MemorySegment target, CallCheck check) {
        return fabric.beginGet(process, region, piece.partOffset(), target, piece.otherOffset(), piece.length(), check);
    }

    private void awaitFirst(CallCheck check) {
        int request = asked[askedFirst];
        askedFirst = (askedFirst + 1) % ASKED_MAX;
        askedCount--;
        check.requireThere(fabric.awaitGet(process, request, check));
    }

    @Override
    long atomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        CallCheck check = memory.begin(call, rank);
        check.requireThere(fabric.atomic(process, region, offset, operation, operand, expected, result, check));
        return result[0];
    }

    @Override
    void fence() {
        if (memory.isWritten(process)) {
            CallCheck check = memory.begin("fence", rank);
            check.requireThere(fabric.fence(process, check));
            memory.noteFenced(process);
        }
    }
}
