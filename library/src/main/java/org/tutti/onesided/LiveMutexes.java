/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import org.tutti.Communicator;
import org.tutti.Mutexes;
import org.tutti.Reduction;
import org.tutti.events.OneSidedEvent;
import org.tutti.fabric.AtomicOperation;
import org.tutti.memory.Asking;
import org.tutti.memory.Spares;

/**
 * Locks and unlocks the mutexes of a communicator for one of its ranks. This class has the calls. {@link MutexQueue}
 * has the steps by which a rank joins the queue of a mutex, {@link MutexWakes} the waits of the rank's threads, {@link
 * MutexLayout} the words, and {@link MutexKeeper} passes a mutex from one holder to the next.
 */
final class LiveMutexes extends Mutexes {
    private final RemoteAccess access;
    private final Fences fences;
    private final PartAllocator allocator;
    private final Communicator communicator;
    private final HolderFailure policy;
    private final int rank;
    private final MutexLayout layout;
    private final MutexCheck check; // tells whether a rank is gone; each call has its own for its waits
    private final Spares<MutexCall> spareCalls;
    private final MutexWaker waker;
    private final Part[] parts;
    private final MutexHome[] homes;
    private final MutexWakes wakes;
    private final MutexQueue queue;
    private final Asking asking = new Asking();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean closed;

    LiveMutexes(RemoteAccess access, Fences fences, PartAllocator allocator, Communicator communicator, int count,
            HolderFailure policy) {
        this.access = access;
        this.fences = fences;
        this.allocator = allocator;
        this.communicator = communicator;
        this.policy = policy;
        this.rank = communicator.rank();
        int size = communicator.size();
        long changes = allocator.members().changes();
        this.layout = new MutexLayout(size);
        this.check = new MutexCheck(allocator.members(), rank, size, policy, changes);
        this.spareCalls = new Spares<>(
                () -> new MutexCall(new MutexCheck(allocator.members(), rank, size, policy, changes)));
        this.waker = new MutexWaker(allocator, communicator.topology(), rank, () -> checkAlive(rank));
        this.parts = share(layout.bytes(count));
        this.homes = new MutexHome[size];
        this.wakes = new MutexWakes(allocator, waker.near(rank), check);
        this.queue = new MutexQueue(access, allocator, policy, rank, layout, check, wakes, asking);
        allocator.noteOpen();
    }

    private Part[] share(long bytes) {
        try {
            Part[] made = allocator.share(communicator, table -> communicator.allreduce(table, Reduction.SUM), bytes, 0,
                    block -> new MutexKeeper(PartLayout.data(block, bytes), layout, allocator.members(),
                            waker::wakeFromFabric));
            waker.complete(made);
            return made;
        } catch (RuntimeException e) {
            waker.fail(e);
            throw e;
        }
    }

    // ---- the face

    @Override
    public int count(int of) {
        return layout.count(parts[access.checkRank(of)].bytes());
    }

    @Override
    public void lock(int index, int of) {
        lock("lock", index, of, Long.MAX_VALUE);
    }

    @Override
    public boolean tryLock(int index, int of, Duration timeout) {
        if (!Objects.requireNonNull(timeout, "timeout").isPositive()) {
            return tryLock(index, of);
        }
        long untilNanos = Long.MAX_VALUE;
        try {
            untilNanos = System.nanoTime() + timeout.toNanos();
        } catch (ArithmeticException _) {
            untilNanos = Long.MAX_VALUE; // more than 292 years
        }
        return lock("tryLock", index, of, untilNanos);
    }

    private boolean lock(String name, int index, int of, long timeoutAtNanos) {
        MutexHome home = homeToLock(name, index, of);
        OneSidedEvent event = OneSidedEvents.begin();
        MutexCall call = spareCalls.take().begin(of);
        boolean held;
        try {
            call.check.begin(name, of, access.deadlineNanos());
            call.check.limit(timeoutAtNanos);
            int before = claim(home, index, call);
            held = before != MutexHome.HELD && queue.enter(home, index, call, before);
        } finally {
            spareCalls.putBack(call);
        }
        if (event != null) {
            OneSidedEvents.end(event, access, "lock", of, 0);
        }
        return held;
    }

    /**
     * Claims a mutex for this thread, so that no other thread of the same rank queues for it. Waits while another
     * thread of the rank holds the mutex or queues for it. Returns the state of the mutex before the claim, or HELD if
     * the timeout has passed.
     */
    private int claim(MutexHome home, int index, MutexCall call) {
        while (true) {
            int state = home.state(index);
            if (state == MutexHome.FREE || state == MutexHome.LEFT) {
                if (home.claim(index, state)) {
                    return state;
                }
            } else {
                try {
                    home.awaitOtherThread(index, call.check);
                } catch (WaitEndedException e) {
                    if (e == WaitEndedException.TIMED_OUT) {
                        asking.waitedInVain();
                        return MutexHome.HELD;
                    }
                }
            }
        }
    }

    @Override
    public boolean tryLock(int index, int of) {
        MutexHome home = homeToLock("tryLock", index, of);
        int state = home.state(index);
        if (state != MutexHome.FREE && state != MutexHome.LEFT || !home.claim(index, state)) {
            asking.inVain();
            return false; // another thread of this rank has it or queues for it
        }
        OneSidedEvent event = OneSidedEvents.begin();
        MutexCall call = spareCalls.take().begin(of);
        boolean held = false;
        try {
            held = queue.takeIfFree(home, index, call);
        } finally {
            if (held) {
                home.hold(index);
            } else {
                home.release(index, state);
            }
            spareCalls.putBack(call);
        }
        if (event != null) {
            OneSidedEvents.end(event, access, "lock", of, 0);
        }
        return held;
    }

    @Override
    public void unlock(int index, int of) {
        MutexHome home = home("unlock", index, of);
        if (!home.isHeldByThisThread(index)) {
            throw new IllegalStateException(
                    access.self() + " cannot unlock mutex " + index + " of " + access.describe(of) + ": "
                            + (home.state(index) == MutexHome.HELD ? "another thread of it holds it"
                                    : "it does not hold it"));
        }
        OneSidedEvent event = OneSidedEvents.begin();
        if (policy == HolderFailure.THROW || !check.hasAnyGone()) { // else a fence throws because of the failed rank
            fences.fenceIfWritten();
        }
        MutexCall call = spareCalls.take().begin(of);
        try {
            giveBack(home, index, call);
        } finally {
            spareCalls.putBack(call);
        }
        if (event != null) {
            OneSidedEvents.end(event, access, "unlock", of, 0);
        }
    }

    @Override
    public int failedHolder(int index, int of) {
        MutexHome home = home("failedHolder", index, of);
        MutexCall call = spareCalls.take().begin(of);
        try {
            return (int) MutexQueue.change(home, call, AtomicOperation.FETCH, MutexLayout.failed(layout.mutex(index)),
                    0, 0) - 1;
        } finally {
            spareCalls.putBack(call);
        }
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        String held = null;
        boolean together = false;
        try {
            held = releaseAll();
            communicator.barrier();
            together = true;
        } finally {
            closed = true;
            allocator.noteClosed();
            if (together) { // else others may use it until they hear of the failure
                allocator.revoke(parts[rank]);
                allocator.free(parts[rank]);
            }
        }
        if (held != null) {
            throw new IllegalStateException(access.self() + " has closed the mutexes while it held " + held
                    + "; it was unlocked, and should be before");
        }
    }

    /**
     * Unlocks all mutexes that this rank holds, and waits until the messages that unlock them have taken effect.
     * Returns the name of the first mutex that was held, or null if none was.
     */
    private String releaseAll() {
        String held = null;
        MutexCall call = spareCalls.take().begin(rank);
        try {
            for (MutexHome home : homes) {
                for (int index = 0; home != null && index < home.count(); index++) {
                    if (home.state(index) == MutexHome.HELD) {
                        held = held != null ? held : "mutex " + index + " of " + access.describe(home.rank);
                        giveBack(home, index, call.begin(home.rank));
                    }
                }
                if (home != null) {
                    home.settle(call.begin(home.rank));
                }
            }
            wakes.awaitAll();
        } finally {
            spareCalls.putBack(call);
        }
        return held;
    }

    // ---- finding a mutex

    private MutexHome homeToLock(String name, int index, int of) {
        MutexHome home = home(name, index, of);
        if (home.isHeldByThisThread(index)) {
            throw new IllegalStateException(
                    access.self() + " cannot " + name + " mutex " + index + " of " + access.describe(of)
                            + ": it holds it already; mutexes are not reentrant");
        }
        return home;
    }

    private MutexHome home(String name, int index, int of) {
        if (closed) {
            throw new IllegalStateException(access.self() + " cannot " + name + ": the mutexes have been closed");
        }
        MutexHome home = homes[access.checkRank(of)];
        if (home == null) {
            home = makeHome(of);
        }
        if (index < 0 || index >= home.count()) {
            throw new IndexOutOfBoundsException(access.self() + " cannot " + name + " mutex " + index + " of "
                    + access.describe(of) + ", which has " + home.count());
        }
        checkAlive(of);
        return home;
    }

    private synchronized MutexHome makeHome(int of) {
        if (homes[of] == null) {
            homes[of] = newHome(of);
        }
        return homes[of];
    }

    private MutexHome newHome(int of) {
        int count = count(of);
        if (waker.isNear(of)) {
            MemorySegment data = waker.near(of);
            return MutexHome.near(of, count, allocator.waiter(), data,
                    new MutexKeeper(data, layout, allocator.members(), waker::wake));
        }
        return MutexHome.far(of, count, allocator.waiter(), allocator.fabric(), allocator.process(of),
                parts[of].handle());
    }

    private void checkAlive(int home) {
        RuntimeException failure = check.failure(home);
        if (failure != null) {
            throw failure;
        }
    }

    private void giveBack(MutexHome home, int index, MutexCall call) {
        queue.tellUnlock(home, index, call);
        home.release(index, MutexHome.FREE);
    }
}
