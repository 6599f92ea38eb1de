/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.LongSupplier;

import org.tutti.Aggregate;
import org.tutti.Communicator;
import org.tutti.Mutexes;
import org.tutti.RemoteMemory;
import org.tutti.RemotePart;
import org.tutti.Topology;
import org.tutti.collective.Occupant;
import org.tutti.memory.Asking;
import org.tutti.memory.Words;

/**
 * The remote memory of a communicator, at one rank.
 *
 * <p><b>Fences.</b> Which processes have been written to since the last fence is kept in a list. A fence of all asks
 * them all before it waits for the first answer, in random order, so that ranks that fence at the same time do not all
 * ask the same process first (ARMCI, Figure 12).
 *
 * <p><b>Closing.</b> The barrier of a close comes after everybody's fence, so nothing of a rank that keeps the rules is
 * under way when a part is revoked; what still comes is dropped at the target, which does not know the handle any more.
 */
final class LiveRemoteMemory extends RemoteMemory {
    private final Allocator allocator;
    private final Communicator communicator;
    private final int rank;
    private final Part[] parts;
    private final LongSupplier deadlineNanos;
    private final LivePart[] views;
    private final CallCheck check;
    private final NotificationCheck arrival;
    private final MemorySegment local;
    private final MemorySegment region;

    private final boolean[] written;
    private final int[] servers;
    private final long[] asked;
    private int serverCount;
    private long random;

    private MemorySegment streamBuffer;
    private PendingGets pending;
    private boolean gathering;
    private long changesSeen;
    private final Occupant occupant = new Occupant("remote memory");
    private boolean closed;
    private final Asking asking = new Asking();

    LiveRemoteMemory(Allocator allocator, Communicator communicator, Part[] parts, LongSupplier deadlineNanos) {
        this.allocator = allocator;
        this.communicator = communicator;
        this.rank = communicator.rank();
        this.parts = parts;
        this.deadlineNanos = deadlineNanos;
        this.views = new LivePart[parts.length];
        this.check = new CallCheck(allocator.members(), rank);
        this.arrival = new NotificationCheck(allocator.members(), rank, parts.length);
        MemorySegment block = allocator.block(parts[rank]);
        this.local = PartLayout.data(block, parts[rank].bytes());
        this.region = PartLayout.region(block, parts[rank].bytes());
        int servable = communicator.topology().nodes() == 1 ? 0 : allocator.processesEnd();
        this.written = new boolean[servable];
        this.servers = new int[servable];
        this.asked = new long[servable];
        this.random = rank + 1L;
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

    private LivePart makeView(int of) {
        Part part = parts[of];
        Topology topology = communicator.topology();
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

    /** Before a call that works on parts does anything: it is usable, and no thread is inside another one. */
    void checkCall(String call) {
        if (occupant.isInside()) {
            throw occupant.refusal(self(), call);
        }
        checkUsable(call);
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

    /** Where chunks of sections are got before they are unpacked: one for all parts, as one call at a time uses it. */
    MemorySegment streamBuffer() {
        if (streamBuffer == null) {
            streamBuffer = Arena.ofAuto().allocate(FarPart.STREAM_BUFFER_BYTES);
        }
        return streamBuffer;
    }

    /** A call on other nodes begins, after it was checked: two at once would mix up what they share. */
    void enter(String call) {
        occupant.enter(call);
    }

    /** The call has ended. */
    void leave() {
        occupant.leave();
    }

    /** A call begins that may wait for a rank on another node. */
    CallCheck begin(String call, int target) {
        return check.begin(call, target, deadlineNanos.getAsLong());
    }

    CallCheck beginFence(String call, int target) {
        return check.beginFence(call, target, deadlineNanos.getAsLong());
    }

    // ---- fences

    /** Remembers that a process has something of this rank's that no fence has waited for. */
    void noteWritten(int process) {
        if (!written[process]) {
            written[process] = true;
            servers[serverCount++] = process;
        }
    }

    /** Whether there is such a thing. */
    boolean isWritten(int process) {
        return written[process];
    }

    /** A fence has waited for it. */
    void noteFenced(int process) {
        written[process] = false;
        int at = 0;
        while (servers[at] != process) {
            at++;
        }
        servers[at] = servers[--serverCount];
    }

    @Override
    public void fence(int of) {
        checkCall("fence");
        view(of).fence();
    }

    @Override
    public void fenceAll() {
        checkCall("fenceAll");
        enter("fenceAll");
        try {
            fenceServers();
        } finally {
            leave();
        }
    }

    private void fenceServers() {
        VarHandle.fullFence();
        shuffleServers();
        for (int i = 0; i < serverCount; i++) {
            asked[i] = allocator.fabric().beginFence(servers[i], beginFence("fenceAll", servers[i]));
        }
        for (int i = 0; i < serverCount; i++) {
            CallCheck call = beginFence("fenceAll", servers[i]);
            call.requireThere(allocator.fabric().awaitFence(servers[i], asked[i], call));
        }
        while (serverCount > 0) { // only now: a fence that has failed can be called again
            written[servers[--serverCount]] = false;
        }
    }

    /** As {@link #fenceAll}, if there is something to wait for; what was put on this node a releasing store covers. */
    void fenceWritten() {
        if (serverCount > 0 && !closed) {
            fenceAll();
        }
    }

    private void shuffleServers() {
        for (int left = serverCount; left > 1; left--) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            int other = (int) Long.remainderUnsigned(random, left);
            int server = servers[other];
            servers[other] = servers[left - 1];
            servers[left - 1] = server;
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
            arrival.begin(region, word, count, deadlineNanos.getAsLong());
            allocator.waiter().await(region, word, count, arrival);
        }
    }

    private long notification(String call, int notification) {
        checkUsable(call);
        return PartLayout.notification(local.byteSize(), checkNotification(notification));
    }

    int checkNotification(int notification) {
        if (notification < 0 || notification >= NOTIFICATIONS_MAX) {
            throw new IndexOutOfBoundsException(self() + " cannot use notification " + notification
                    + " of a part: there are 0 to " + (NOTIFICATIONS_MAX - 1));
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
        checkCall("aggregate");
        return new LiveAggregate(this, parts.length, allocator.fabric() == null ? null
                : new OneSidedRequest(pending()));
    }

    /** The request of a call that begins: a given one, or for null a new one. */
    OneSidedRequest beginRequest(OneSidedRequest given) {
        return (given != null ? given : new OneSidedRequest(pending())).until(deadlineNanos.getAsLong());
    }

    PendingGets pending() {
        if (pending == null) {
            pending = new PendingGets(allocator.fabric(), allocator.members(), rank, allocator.hasCoreForEach());
        }
        return pending;
    }

    /** Whether puts to other nodes are kept back for a while. */
    void gather(boolean now) {
        gathering = now;
    }

    boolean isGathering() {
        return gathering;
    }

    /** Sends what was gathered. */
    void flush() {
        if (allocator.fabric() != null) {
            allocator.fabric().flush();
        }
    }

    private void awaitPending() {
        if (pending != null) {
            pending.awaitAll(check.begin("close", CallCheck.ANY, deadlineNanos.getAsLong()));
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
        fenceAll();
        communicator.barrier();
    }

    @Override
    public void close() {
        if (closed) {
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
