/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

import org.tutti.DataType;
import org.tutti.NonBlockingPart;
import org.tutti.RemotePart;
import org.tutti.Request;
import org.tutti.Section;
import org.tutti.fabric.SectionPieces;

/**
 * The non-blocking calls on a part of remote memory, the memory of one rank. A get from another node has a request, for
 * which the caller waits. Puts, and all calls on a part of this node, have ended when they return, in the same way as
 * blocking calls. An aggregate, a group of calls with one request, uses an object of its own, which gathers small puts.
 */
final class LiveNonBlockingPart extends NonBlockingPart {
    private final LivePart part;
    private final RemoteAccess access;
    private final LiveAggregate aggregate;

    /**
     * Creates the non-blocking calls on the part of remote memory that belongs to one rank.
     *
     * @param part the part on which the calls operate
     * @param aggregate the group of calls that share one request, or null if each call has a request of its own
     */
    LiveNonBlockingPart(LivePart part, LiveAggregate aggregate) {
        this.part = part;
        this.access = part.access;
        this.aggregate = aggregate;
    }

    private Request done() {
        return aggregate != null ? aggregate : OneSidedRequest.DONE;
    }

    @Override
    public NonBlockingPart elements() {
        LivePart elements = part.elements();
        return aggregate == null ? elements.nonBlocking() : new LiveNonBlockingPart(elements, aggregate);
    }

    @Override
    protected Request written(Consumer<RemotePart> call) {
        call.accept(part);
        return done();
    }

    @Override
    protected Request read(long offset, MemorySegment target, DataType type) {
        long length = target.byteSize();
        long at = part.check("get", offset, length, type);
        if (length == 0) {
            return done();
        }
        PartAddress far = part.address();
        if (far == null) {
            part.copyOut(at, target, length);
            return done();
        }
        OneSidedRequest request = request();
        OneSidedCall call = access.takeCall();
        try {
            access.pending().begin(request, far, at, target, 0, length, access.begin(call, "get", part.rank), call.run);
        } catch (RuntimeException e) {
            access.pending().drop(request, e);
            throw e;
        } finally {
            access.putBack(call);
        }
        return requested(request);
    }

    @Override
    protected Request read(Section section, MemorySegment target, Section of, DataType type) {
        PartAddress far = part.address();
        if (far == null) {
            part.read(section, target, of, type);
            return done();
        }
        part.check("get", section, target, of, type, type.bytes());
        OneSidedRequest request = request();
        OneSidedCall call = access.takeCall();
        SectionPieces pieces = call.pieces;
        pieces.begin(section, target, of);
        try {
            for (long length = pieces.pieceBytes(); length > 0; length = pieces.pieceBytes()) {
                access.pending().begin(request, far, pieces.part().offset(), target, pieces.here().offset(), length,
                        access.begin(call, "get", part.rank), call.run);
                pieces.skip(length);
            }
        } catch (RuntimeException e) {
            access.pending().drop(request, e);
            throw e;
        } finally {
            access.putBack(call);
        }
        return requested(request);
    }

    private OneSidedRequest request() {
        return access.beginRequest(aggregate != null ? aggregate.request() : null);
    }

    private Request requested(OneSidedRequest request) {
        return aggregate != null ? aggregate : request;
    }
}
