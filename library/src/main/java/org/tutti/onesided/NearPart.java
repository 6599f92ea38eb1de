/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.Optional;

import org.tutti.RankFailedException;
import org.tutti.RemotePart;
import org.tutti.TransferProtocol;
import org.tutti.collective.members.Members;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionPieces;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Accesses remote memory that belongs to a rank on the same node. Calls are loads, stores and copies in the node's
 * shared memory. The processor may reorder them until a fence. The fence is a full one. Therefore a put before the
 * fence is visible before a later load of this rank reads anything.
 */
final class NearPart extends LivePart {
    private final MemorySegment data;
    private final MemorySegment region;
    private final PartAccumulator accumulator;
    private final Members members;
    private final Waiter waiter; // of this rank, which wakes those of other ranks

    NearPart(RemoteAccess access, int rank, long bytes, MemorySegment block, Waiter waiter) {
        super(access, rank, bytes, 0);
        this.members = access.members();
        this.waiter = waiter;
        this.data = PartLayout.data(block, bytes);
        this.region = PartLayout.region(block, bytes);
        this.accumulator = new PartAccumulator(block, bytes, members, access.rank());
    }

    /** Creates a view of the part with another unit of offsets. */
    private NearPart(NearPart part, int unitShift) {
        super(part.access, part.rank, part.bytes, unitShift);
        this.data = part.data;
        this.region = part.region;
        this.accumulator = part.accumulator;
        this.members = part.members;
        this.waiter = part.waiter;
    }

    @Override
    LivePart view(int ofUnitShift) {
        return new NearPart(this, ofUnitShift);
    }

    @Override
    LivePart gathering() {
        return this; // nothing is sent
    }

    @Override
    public MemorySegment segment() {
        access.checkUsable("segment");
        return data;
    }

    @Override
    public RemotePart withProtocol(TransferProtocol protocol) {
        Objects.requireNonNull(protocol, "protocol");
        return this; // nothing travels
    }

    @Override
    public Optional<TransferProtocol> lastProtocol() {
        return Optional.empty();
    }

    @Override
    void copyIn(long offset, MemorySegment source, long length) {
        MemorySegment.copy(source, 0, data, offset, length);
    }

    @Override
    void copyIn(OneSidedCall call) {
        call.pieces.copyTo(data);
    }

    @Override
    void copyInAndNotify(long offset, MemorySegment source, long length, long word) {
        MemorySegment.copy(source, 0, data, offset, length);
        Words.add(region, word, 1);
        waiter.wake(region, word);
    }

    @Override
    void copyOut(long offset, MemorySegment target, long length) {
        MemorySegment.copy(data, offset, target, 0, length);
    }

    @Override
    void copyOut(OneSidedCall call) {
        call.pieces.copyFrom(data);
    }

    @Override
    long atomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        return operation.apply(data, offset, operand, expected);
    }

    @Override
    void combine(int code, long scale, long imaginary, long offset, MemorySegment source, long length) {
        combine(code, scale, imaginary, offset, source, 0, length);
    }

    @Override
    void combine(int code, long scale, long imaginary, OneSidedCall call) {
        SectionPieces all = call.pieces;
        for (long length = all.pieceBytes(); length > 0; length = all.pieceBytes()) {
            combine(code, scale, imaginary, all.part().offset(), all.memory(), all.here().offset(), length);
            all.skip(length);
        }
    }

    private void combine(int code, long scale, long imaginary, long offset, MemorySegment source, long sourceOffset,
            long length) {
        long done = 0;
        while (done < length) { // a rank that keeps a lock for long is stopped, or waits for a core
            long more = accumulator.accumulate(code, scale, imaginary, offset + done, source, sourceOffset + done,
                    length - done);
            if (more == RegionHandler.REFUSED) {
                RuntimeException failure = members.failure(-1);
                throw failure != null ? failure
                        : new RankFailedException(members.rankInJob(rank), access.self() + " cannot accumulate into "
                                + access.describe(rank)
                                + "'s part: a rank has left the job while it was accumulating there");
            }
            done += more;
        }
    }

    @Override
    void fence() {
        VarHandle.fullFence();
    }
}
