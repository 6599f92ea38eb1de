/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.tutti.Aggregate;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Mutexes;
import org.tutti.RemoteMemory;
import org.tutti.RemotePart;
import org.tutti.Topology;
import org.tutti.memory.Asking;
import org.tutti.memory.Words;

/**
 * The remote memory of a communicator, at one rank.
 *
 * <p><b>Fences.</b> A fence of all asks the {@link WrittenProcesses} before it waits for the first answer, and begins
 * with a random one, so that ranks that fence at the same time do not all ask the same process first (ARMCI, Figure
 * 12).
 *
 * <p><b>Several threads.</b> The threads of a rank may use its memory at the same time. Calls on this node are loads,
 * stores, copies and atomic operations in the node's memory, and share nothing else. A call that may wait, or walks
 * over sections, has a {@link OneSidedCall} of its own while it lasts. All threads share the marks of
 * {@link WrittenProcesses}, the table of {@link PendingGets}, the counts of {@link SeenNotifications} and the fabric,
 * each of which argues why it may be shared. Objects that are made when they are needed first are made under this
 * object's monitor. The number of changes that was seen last may be an older one when two threads store it: then a
 * later call looks for failures once more.
 *
 * <p><b>Closing.</b> The barrier of a close comes after everybody's fence, so nothing of a rank that keeps the rules is
 * under way when a part is revoked; what still comes is dropped at the target, which does not know the handle any more.
 */
final class LiveRemoteMemory extends RemoteMemory {
    private static final long NOT_BEGUN = -1;
    private static final long BEGUN = 0;

    private final Allocator allocator;
    private final Communicator communicator;
    private final int rank;
    private final Part[] parts;
    private final LongSupplier deadlineNanos;
    private final LivePart[] views;
    private final int elementShift;
    private final MemorySegment local;
    private final MemorySegment region;
    private final SeenNotifications seen;
    private final WrittenProcesses written;
    private final PendingGets pending; // null when all ranks are on this node
    private final Spares<OneSidedCall> spareCalls;
    private final AtomicBoolean closing = new AtomicBoolean();
    private long changesSeen;
    private final Asking asking = new Asking();
    private volatile boolean closed;

    LiveRemoteMemory(Allocator allocator, Communicator communicator, Part[] parts, DataType type,
            LongSupplier deadlineNanos) {
        this.allocator = allocator;
        this.communicator = communicator;
        this.rank = communicator.rank();
        this.parts = parts;
        this.deadlineNanos = deadlineNanos;
        this.views = new LivePart[parts.length];
        this.elementShift = Integer.numberOfTrailingZeros(type.bytes());
        MemorySegment block = allocator.block(parts[rank]);
        this.local = PartLayout.data(block, parts[rank].bytes());
        this.region = PartLayout.region(block, parts[rank].bytes());
        this.seen = new SeenNotifications(parts[rank].notifications());
        boolean oneNode = communicator.topology().nodes() == 1;
        this.written = new WrittenProcesses(oneNode ? 0 : allocator.processesEnd());
        this.pending = oneNode ? null
                : new PendingGets(allocator.fabric(), allocator.members(), rank, allocator.hasCoreForEach());
        this.spareCalls = allocator.spareCalls(parts.length, rank);
        allocator.noteOpen();
    }

    int rank() {
        return rank;
    }

    /** What to call this rank in messages. */
    String self() {
        return describe(rank);
    }

    String describe(int other) {
        return allocator.members().describe(other);
    }

    @Override
    public MemorySegment local() {
        checkUsable("local");
        return local;
    }

    @Override
    public long size(int of) {
        return parts[checkRank(of)].bytes();
    }

    @Override
    public RemotePart at(int of) {
        return view(of);
    }

    LivePart view(int of) {
        LivePart view = views[checkRank(of)];
        return view != null ? view : makeView(of);
    }

    private synchronized LivePart makeView(int of) {
        Part part = parts[of];
        Topology topology = communicator.topology();
        if (views[of] != null) {
            return views[of]; // another thread has made it
        }
        if (topology.nodeOf(of) == topology.nodeOf(rank)) {
            views[of] = new NearPart(this, of, part.bytes(), allocator.block(part), allocator.members());
        } else {
            views[of] = new FarPart(this, of, part, allocator.process(of), allocator.fabric());
        }
        return views[of];
    }

    int checkRank(int of) {
        if (of < 0 || of >= parts.length) {
            throw new IllegalArgumentException("rank " + of + " has no part of this memory, whose ranks are 0 to "
                    + (parts.length - 1));
        }
        return of;
    }

    /** Before a call does anything: the memory is open, this rank has not left, and none has failed. */
    void checkUsable(String call) {
        if (closed || allocator.hasEnded()) {
            throw new IllegalStateException(self() + " cannot " + call + ": "
                    + (closed ? "this remote memory has been closed"
                            : "it has left its job, and remote memory with it"));
        }
        long changes = allocator.members().changes();
        if (changes != changesSeen) {
            RuntimeException failure = allocator.members().failure(-1);
            if (failure != null) {
                throw failure;
            }
            changesSeen = changes;
        }
    }

    /** By how many bits an index of elements is shifted to be an offset in bytes. */
    int elementShift() {
        return elementShift;
    }

    /** A call begins that needs more than its arguments; it gives back what it gets here. */
    OneSidedCall takeCall() {
        return spareCalls.take();
    }

    void putBack(OneSidedCall call) {
        call.end();
        spareCalls.putBack(call);
    }

    /** A call begins that may wait for a rank on another node. */
    CallCheck begin(OneSidedCall call, String name, int target) {
        return call.check.begin(name, target, deadlineNanos.getAsLong());
    }

    CallCheck beginFence(OneSidedCall call, String name, int target) {
        return call.check.beginFence(name, target, deadlineNanos.getAsLong());
    }

    // ---- fences

    WrittenProcesses written() {
        return written;
    }

    @Override
    public void fence(int of) {
        checkUsable("fence");
        view(of).fence();
    }

    @Override
    public void fenceAll() {
        checkUsable("fenceAll");
        VarHandle.fullFence();
        if (written.isAny()) {
            fenceWritten();
        }
    }

    private void fenceWritten() {
        OneSidedCall call = takeCall();
        int count = written.count();
        long[] asked = call.fences(count);
        int first = ThreadLocalRandom.current().nextInt(count);
        for (int i = 0; i < count; i++) {
            asked[i] = written.beginFence(written.process((first + i) % count)) ? BEGUN : NOT_BEGUN;
        }
        boolean done = false;
        try {
            for (int i = 0; i < count; i++) {
                if (asked[i] != NOT_BEGUN) {
                    int process = written.process((first + i) % count);
                    asked[i] = allocator.fabric().beginFence(process, beginFence(call, "fenceAll", process));
                }
            }
            for (int i = 0; i < count; i++) {
                if (asked[i] != NOT_BEGUN) {
                    int process = written.process((first + i) % count);
                    CallCheck check = beginFence(call, "fenceAll", process);
                    check.requireThere(allocator.fabric().awaitFence(process, asked[i], check));
                }
            }
            done = true;
        } finally {
            for (int i = 0; i < count; i++) {
                if (asked[i] != NOT_BEGUN) { // only now: a fence that has failed can be called again
                    written.endFence(written.process((first + i) % count), !done);
                }
            }
            putBack(call);
        }
    }

    /** As {@link #fenceAll}, if there is something to wait for; what was put on this node a releasing store covers. */
    void fenceIfWritten() {
        if (!closed && written.isAny()) {
            fenceAll();
        }
    }

    // ---- notifications and mutexes

    /** Returns what a compare-and-swap has found: a rank that finds something else is about to ask again. */
    long compared(long expected, long found) {
        if (found != expected) {
            asking.inVain();
        }
        return found;
    }

    @Override
    public long notifications(int notification) {
        asking.inVain(); // perhaps: which count the caller waits for is not known
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
            throw new IllegalArgumentException(self() + " cannot await " + count + " more notifications: that is 0 to "
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
        OneSidedCall own = takeCall();
        try {
            own.arrival.begin(call, region, notification, word, count, deadlineNanos.getAsLong());
            allocator.waiter().await(region, word, count, own.arrival);
        } finally {
            putBack(own);
        }
    }

    @Override
    public int awaitAny(int... notifications) {
        if (notifications.length == 0) {
            throw new IllegalArgumentException(self() + " cannot awaitAny of no words");
        }
        for (int each : notifications) {
            notification("awaitAny", each);
        }
        int found = seen.takeAny(region, local.byteSize(), notifications);
        if (found == SeenNotifications.NONE) {
            OneSidedCall own = takeCall();
            try {
                own.arrival.beginAny("awaitAny", seen, region, local.byteSize(), notifications,
                        deadlineNanos.getAsLong());
                found = own.any(allocator).await(own.arrival);
            } finally {
                putBack(own);
            }
        }
        return found;
    }

    private long notification(String call, int notification) {
        checkUsable(call);
        return PartLayout.notification(local.byteSize(), checkNotification(rank, notification));
    }

    int checkNotification(int of, int notification) {
        if (notification < 0 || notification >= parts[of].notifications()) {
            throw new IndexOutOfBoundsException(self() + " cannot use notification word " + notification + " of "
                    + describe(of) + "'s part, which has " + parts[of].notifications()
                    + "; the number is chosen when memory is allocated");
        }
        return notification;
    }

    @Override
    public Mutexes allocateMutexes(int count, Mutexes.HolderFailure holderFailure) {
        checkUsable("allocateMutexes");
        Objects.requireNonNull(holderFailure, "holderFailure");
        if (count < 0 || count > Mutexes.COUNT_MAX) {
            throw new IllegalArgumentException(self() + " cannot allocate " + count
                    + " mutexes: a rank has 0 to " + Mutexes.COUNT_MAX);
        }
        return new LiveMutexes(this, allocator, communicator, count, holderFailure, deadlineNanos);
    }

    // ---- what is not waited for

    @Override
    public Aggregate aggregate() {
        checkUsable("aggregate");
        return new LiveAggregate(this, parts.length, pending == null ? null : new OneSidedRequest(pending));
    }

    /** The request of a call that begins: a given one, or for null a new one. */
    OneSidedRequest beginRequest(OneSidedRequest given) {
        return (given != null ? given : new OneSidedRequest(pending)).until(deadlineNanos.getAsLong());
    }

    PendingGets pending() {
        return pending;
    }

    /** Sends what was gathered. */
    void flush() {
        if (allocator.fabric() != null) {
            allocator.fabric().flush();
        }
    }

    private void awaitPending() {
        if (pending != null && !pending.isEmpty()) {
            OneSidedCall call = takeCall();
            try {
                pending.awaitAll(begin(call, "close", CallCheck.ANY));
            } finally {
                putBack(call);
            }
        }
    }

    private void dropPending() {
        if (pending != null) {
            pending.drop(null, new IllegalStateException(self() + " has closed this remote memory in the middle"
                    + " of a get, since not all ranks closed it together"));
        }
    }

    // ---- together

    @Override
    public void barrier() {
        checkUsable("barrier");
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
            closed = true;
            allocator.noteClosed();
            if (together) { // else others may still be using it, until they hear why
                allocator.revoke(parts[rank]);
                allocator.free(parts[rank]);
            }
        }
    }
}
