/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

import org.tutti.DataType;
import org.tutti.NonBlockingPart;
import org.tutti.RemotePart;
import org.tutti.Request;
import org.tutti.Section;
import org.tutti.collective.members.CallCheck;
import org.tutti.events.OneSidedEvent;
import org.tutti.memory.EndedRequest;
import org.tutti.memory.Memory;

/**
 * The non-blocking calls on a part of remote memory, the memory of one rank. All calls on a part of this node have
 * ended when they return, in the same way as blocking calls, and so have short puts to other nodes. A get that is one
 * request of the fabric is asked for immediately. All other calls are blocking calls that a virtual thread makes; see
 * {@link PendingCalls}. An aggregate, a group of calls with one request, uses an object of its own, which gathers small
 * puts.
 */
final class LiveNonBlockingPart extends NonBlockingPart {

    private final LivePart part;
    private final FarPart far; // null if the part is on this node
    private final FarPart checking;
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
        this.far = part instanceof FarPart other ? other : null;
        this.checking = far == null ? null : far.checking();
        this.access = part.access;
        this.aggregate = aggregate;
    }

    private Request done() {
        return aggregate != null ? aggregate : EndedRequest.INSTANCE;
    }

    @Override
    public NonBlockingPart elements() {
        LivePart elements = part.elements();
        return aggregate == null ? elements.nonBlocking() : new LiveNonBlockingPart(elements, aggregate);
    }

    @Override
    protected Request written(MemorySegment source, long bytes, Consumer<RemotePart> call) {
        if (far == null || bytes <= AT_ONCE_BYTES_MAX && !far.queue().isBusy() || !Memory.isOpenToAll(source)) {
            call.accept(part);
            return done();
        }
        call.accept(checking);
        long deadlineNanos = access.deadlineNanos();
        OneSidedRequest request = request();
        OneSidedCall own = access.takeCall();
        try {
            access.pending().begin(request, far.address(), far.queue(),
                    number -> call.accept(far.inBackground(number, deadlineNanos)),
                    access.begin(own, "put", part.rank));
        } finally {
            access.putBack(own);
        }
        return requested(request);
    }

    @Override
    protected Request read(long offset, MemorySegment target, DataType type) {
        if (far == null) {
            part.read(offset, target, type);
            return done();
        }
        long length = target.byteSize();
        long at = part.check("get", offset, length, type);
        if (length == 0) {
            return done();
        }
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(at, target, 0, length);
            return read(call, length, view -> view.read(offset, target, type));
        } finally {
            access.putBack(call);
        }
    }

    @Override
    protected Request read(Section section, MemorySegment target, Section of, DataType type) {
        if (far == null || section.bytes() == 0) {
            part.read(section, target, of, type);
            return done();
        }
        part.check("get", section, target, of, type, type.bytes());
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(section, target, of);
            return read(call, section.bytes(), view -> view.read(section, target, of, type));
        } finally {
            access.putBack(call);
        }
    }

    private Request read(OneSidedCall call, long bytes, Consumer<LivePart> blocking) {
        PendingCalls pending = access.pending();
        OneSidedRequest request = request();
        CallCheck check = access.begin(call, "get", part.rank);
        if (far.queue().isBusy() || !far.isOneRequest(call.pieces)) {
            long deadlineNanos = access.deadlineNanos();
            pending.begin(request, far.address(),
                    number -> blocking.accept(far.inBackground(number, deadlineNanos)), check);
        } else {
            OneSidedEvent event = OneSidedEvents.begin();
            try {
                if (!far.begin(request, call, check)) {
                    part.copyOut(call);
                }
            } catch (RuntimeException e) {
                pending.drop(request, e);
                throw e;
            }
            if (event != null) { // the time to send the request
                event.nonBlocking = true;
                OneSidedEvents.end(event, access, "get", part.rank, bytes);
            }
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
