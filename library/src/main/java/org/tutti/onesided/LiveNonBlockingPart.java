/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

import org.tutti.NonBlockingPart;
import org.tutti.RemotePart;
import org.tutti.Request;
import org.tutti.Section;

/**
 * The calls of a part that are not waited for: of a part on this node they are those that wait, and so are puts.
 */
final class LiveNonBlockingPart extends NonBlockingPart {
    private final LivePart part;
    private final LiveRemoteMemory memory;
    private final LiveAggregate aggregate;
    private final SectionPieces pieces = new SectionPieces();

    /**
     * @param part the part
     * @param aggregate what collects the calls, or null when each has a request of its own
     */
    LiveNonBlockingPart(LivePart part, LiveAggregate aggregate) {
        this.part = part;
        this.memory = part.memory;
        this.aggregate = aggregate;
    }

    private Request done() {
        return aggregate != null ? aggregate : OneSidedRequest.DONE;
    }

    @Override
    protected Request written(Consumer<RemotePart> call) {
        memory.gather(aggregate != null);
        try {
            call.accept(part);
        } finally {
            memory.gather(false);
        }
        return done();
    }

    @Override
    protected Request read(long offset, MemorySegment target) {
        long length = target.byteSize();
        part.check("get", offset, length);
        if (length == 0) {
            return done();
        }
        if (!(part instanceof FarPart far)) {
            part.copyOut(offset, target, length);
            return done();
        }
        OneSidedRequest request = request();
        try {
            memory.pending().begin(request, far, offset, target, 0, length, memory.begin("get", part.rank));
        } catch (RuntimeException e) {
            memory.pending().drop(request, e);
            throw e;
        }
        return requested(request);
    }

    @Override
    protected Request read(Section section, MemorySegment target, Section of) {
        part.check("get", section, target, of);
        pieces.begin(section, of);
        if (!(part instanceof FarPart far)) {
            part.copyOut(pieces, target);
            return done();
        }
        OneSidedRequest request = request();
        try {
            while (pieces.next()) {
                memory.pending().begin(request, far, pieces.partOffset(), target, pieces.otherOffset(), pieces.length(),
                        memory.begin("get", part.rank));
            }
        } catch (RuntimeException e) {
            memory.pending().drop(request, e);
            throw e;
        }
        return requested(request);
    }

    private OneSidedRequest request() {
        return memory.beginRequest(aggregate != null ? aggregate.request() : null);
    }

    private Request requested(OneSidedRequest request) {
        return aggregate != null ? aggregate : request;
    }
}
