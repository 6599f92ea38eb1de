/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.tutti.Aggregate;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Mutexes;
import org.tutti.RemoteMemory;
import org.tutti.RemotePart;
import org.tutti.Topology;
import org.tutti.collective.members.CallCheck;
import org.tutti.events.OneSidedEvent;
import org.tutti.memory.Words;

/**
 * The remote memory of a communicator, as one of its ranks uses it. Every rank contributes one part of it.
 *
 * <p><b>Several threads.</b> The threads of a rank may use its memory at the same time. Calls on this node are loads,
 * stores, copies and atomic operations in the node's memory, and share no other state. All threads share the
 * {@link RemoteAccess}, the marks of {@link WrittenProcesses}, the table of {@link PendingCalls}, the counts of
 * {@link SeenNotifications} and the fabric, the transport to other nodes. The head of each of these classes argues why
 * threads may share it. The objects for the parts of other ranks are created at first use, under this object's monitor.
 *
 * <p><b>Closing.</b> Each rank fences before the barrier of its close. Therefore no data are on their way to a part
 * when it is revoked, unless a rank breaks the rules. Later data are dropped at the target, because the target no
 * longer knows the handle.
 */
final class LiveRemoteMemory extends RemoteMemory {
    private final PartAllocator allocator;
    private final Communicator communicator;
    private final int rank;
    private final Part[] parts;
    private final RemoteAccess access;
    private final Fences fences;
    private final LivePart[] views;
    private final MemorySegment local;
    private final MemorySegment region;
    private final SeenNotifications seen;
    private final PendingCalls pending; // null when all ranks are on this node
    private final AtomicBoolean closing = new AtomicBoolean();

    LiveRemoteMemory(PartAllocator allocator, Communicator communicator, Part[] parts, DataType type,
            LongSupplier deadlineNanos) {
        this.allocator = allocator;
        this.communicator = communicator;
        this.rank = communicator.rank();
        this.parts = parts;
        this.views = new LivePart[parts.length];
        MemorySegment block = allocator.block(parts[rank]);
        this.local = PartLayout.data(block, parts[rank].bytes());
        this.region = PartLayout.region(block, parts[rank].bytes());
        this.seen = new SeenNotifications(parts[rank].notifications());
        boolean oneNode = communicator.topology().nodes() == 1;
        this.access = new RemoteAccess(allocator, rank, parts, Integer.numberOfTrailingZeros(type.bytes()),
                deadlineNanos, oneNode);
        this.fences = new Fences(access, allocator.fabric(), oneNode ? 0 : allocator.processesEnd());
        this.pending = access.pending();
        allocator.noteOpen();
    }

    @Override
    public MemorySegment local() {
        access.checkUsable("local");
        return local;
    }

    @Override
    public long size(int of) {
        return parts[access.checkRank(of)].bytes();
    }

    @Override
    public RemotePart at(int of) {
        return view(of);
    }

    LivePart view(int of) {
        LivePart view = views[access.checkRank(of)];
        return view != null ? view : makeView(of);
    }

    private synchronized LivePart makeView(int of) {
        Part part = parts[of];
        Topology topology = communicator.topology();
        if (views[of] != null) {
            return views[of]; // another thread has made it
        }
        if (topology.nodeOf(of) == topology.nodeOf(rank)) {
            views[of] = new NearPart(access, of, part.bytes(), allocator.block(part), allocator.waiter());
        } else {
            views[of] =
                    new FarPart(access, fences, part.bytes(), new PartAddress(of, allocator.process(of), part.handle()),
                            allocator.fabric());
        }
        return views[of];
    }

    // ---- fences

    @Override
    public void fence(int of) {
        access.checkUsable("fence");
        OneSidedEvent event = OneSidedEvents.begin();
        view(of).fence();
        if (event != null) {
            OneSidedEvents.end(event, access, "fence", of, 0);
        }
    }

    @Override
    public void fenceAll() {
        access.checkUsable("fenceAll");
        OneSidedEvent event = OneSidedEvents.begin();
        fences.fenceAll();
        if (event != null) {
            OneSidedEvents.end(event, access, "fence", OneSidedEvents.ALL, 0);
        }
    }

    boolean isClosed() {
        return access.isClosed();
    }

    // ---- notifications and mutexes

    @Override
    public long notifications(int notification) {
        access.askedInVain(); // perhaps: the count that the caller waits for is unknown
        return Words.load(region, notification("notifications", notification));
    }

    @Override
    public void awaitNotifications(int notification, long count) {
        long word = notification("awaitNotifications", notification);
        if (Words.load(region, word) < count) {
            await("awaitNotifications", notification, word, count);
        }
        seen.raise(notification, count);
    }

    @Override
    public void awaitMore(int notification, long count) {
        long word = notification("awaitMore", notification);
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    access.self() + " cannot await " + count + " more notifications: that is 0 to "
                            + Integer.MAX_VALUE);
        }
        for (long before = seen.count(notification);; before = seen.count(notification)) {
            if (Words.load(region, word) < before + count) {
                await("awaitMore", notification, word, before + count);
            }
            if (seen.take(notification, before, count)) {
                return;
            }
        }
    }

    private void await(String call, int notification, long word, long count) {
        OneSidedEvent event = OneSidedEvents.begin();
        OneSidedCall own = access.takeCall();
        try {
            own.arrival.begin(call, region, notification, word, count, access.deadlineNanos());
            allocator.waiter().await(region, word, count, own.arrival);
        } finally {
            access.putBack(own);
        }
        endAwait(event);
    }

    private void endAwait(OneSidedEvent event) {
        if (event != null) {
            OneSidedEvents.end(event, access, "await", OneSidedEvents.ALL, 0);
        }
    }

    @Override
    public int awaitAny(int... notifications) {
        if (Objects.requireNonNull(notifications, "notifications").length == 0) {
            throw new IllegalArgumentException(access.self() + " cannot awaitAny of no words");
        }
        for (int each : notifications) {
            notification("awaitAny", each);
        }
        int found = seen.takeAny(region, local.byteSize(), notifications);
        if (found == SeenNotifications.NONE) {
            OneSidedEvent event = OneSidedEvents.begin();
            OneSidedCall own = access.takeCall();
            try {
                own.arrival.beginAny("awaitAny", seen, region, local.byteSize(), notifications,
                        access.deadlineNanos());
                found = own.any(allocator.progress(), allocator.hasCoreForEach()).await(own.arrival);
            } finally {
                access.putBack(own);
            }
            endAwait(event);
        }
        return found;
    }

    private long notification(String call, int notification) {
        access.checkUsable(call);
        return PartLayout.notification(local.byteSize(), access.checkNotification(rank, notification));
    }

    @Override
    public Mutexes allocateMutexes(int count, Mutexes.HolderFailure holderFailure) {
        access.checkUsable("allocateMutexes");
        Objects.requireNonNull(holderFailure, "holderFailure");
        if (count < 0 || count > Mutexes.COUNT_MAX) {
            throw new IllegalArgumentException(access.self() + " cannot allocate " + count
                    + " mutexes: a rank has 0 to " + Mutexes.COUNT_MAX);
        }
        return new LiveMutexes(access, fences, allocator, communicator, count, holderFailure);
    }

    // ---- non-blocking calls

    @Override
    public Aggregate aggregate() {
        access.checkUsable("aggregate");
        return new LiveAggregate(this::view, parts.length, access);
    }

    private void awaitPending() {
        if (pending != null && !pending.isEmpty()) {
            OneSidedCall call = access.takeCall();
            try {
                pending.awaitAll(access.begin(call, "close", CallCheck.ANY));
            } finally {
                access.putBack(call);
            }
        }
    }

    private void dropPending() {
        if (pending != null) {
            pending.drop(null, new IllegalStateException(access.self() + " has closed this remote memory in the middle"
                    + " of a get, since not all ranks closed it together"));
        }
    }

    // ---- collective calls

    @Override
    public void barrier() {
        access.checkUsable("barrier");
        fenceAll();
        communicator.barrier();
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        boolean together = false;
        try {
            awaitPending();
            barrier();
            together = true;
        } finally {
            dropPending();
            access.close();
            allocator.noteClosed();
            if (together) { // else others may use it until they hear of the failure
                allocator.revoke(parts[rank]);
                allocator.free(parts[rank]);
            }
        }
    }
}
