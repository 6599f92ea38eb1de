/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import org.tutti.CallInterruptedException;
import org.tutti.Communicator;
import org.tutti.DeadlineExceededException;
import org.tutti.Mutexes;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.fabric.AtomicOperation;
import org.tutti.memory.Asking;
import org.tutti.memory.Spares;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.tutti.onesided.MutexLayout.HELD;
import static org.tutti.onesided.MutexLayout.WAITING;

/**
 * Locks and unlocks the mutexes of a communicator for one of its ranks. This class has the calls, and the steps by
 * which a rank joins the queue of a mutex. {@link MutexLayout} lays out the words, and {@link MutexKeeper} passes a
 * mutex from one holder to the next.
 *
 * <p><b>Steps of a lock.</b> The rank draws a ticket, its number in the queue, by one atomic operation on the word
 * QUEUE. If the queue was empty, the rank holds the mutex. Otherwise it changes the cell of its ticket to WAITING by a
 * compare-and-swap, and waits for its WAKE word. If the cell was HELD already, the mutex was given to the rank between
 * these two steps. To give up, the rank changes the cell from WAITING to LEFT by a compare-and-swap. If that fails
 * because the cell is HELD, the mutex has just been given to the rank.
 *
 * <p><b>Several threads.</b> If several threads of the rank want the same mutex, one at a time queues for the rank
 * ({@link MutexHome}). Threads that want different mutexes wait for the same WAKE word. WAKE counts the mutexes that
 * the rank was given, but does not name them. Therefore the field {@code taken} counts the mutexes that threads have
 * taken. While WAKE is greater than {@code taken}, some waiting thread was given its mutex. If only one thread waits,
 * it is that thread. Otherwise each thread looks at its own cell, which becomes HELD before WAKE is raised. If the cell
 * is not HELD, the thread waits until WAKE grows further. A thread counts as waiting before its cell is WAITING, and
 * until it has taken its mutex.
 */
final class LiveMutexes extends Mutexes {
    private static final long MINE = -1;

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
    private final MemorySegment own;
    private final Asking asking = new Asking();
    private final AtomicBoolean closing = new AtomicBoolean();
    private int waiting; // threads, under this object's monitor
    private long taken; // mutexes that WAKE counts, under this object's monitor
    private volatile boolean strayWakes;
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
        this.own = waker.near(rank);
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
        MutexCall call = spareCalls.take().begin(of);
        try {
            call.check.begin(name, of, access.deadlineNanos());
            call.check.limit(timeoutAtNanos);
            int before = claim(home, index, call);
            return before != MutexHome.HELD && enter(home, index, call, before);
        } finally {
            spareCalls.putBack(call);
        }
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
        MutexCall call = spareCalls.take().begin(of);
        boolean held = false;
        try {
            held = takeIfFree(home, index, call);
            return held;
        } finally {
            if (held) {
                home.hold(index);
            } else {
                home.release(index, state);
            }
            spareCalls.putBack(call);
        }
    }

    private boolean takeIfFree(MutexHome home, int index, MutexCall call) {
        long free = MutexLayout.freeQueue(home.tickets[index] + 1);
        while (true) {
            long found = change(home, call, AtomicOperation.COMPARE_AND_SWAP, layout.mutex(index),
                    free + MutexLayout.DRAW, free);
            if (found == free) {
                int ticket = MutexLayout.nextTicket(free);
                home.tickets[index] = ticket;
                nameHolder(home, index, call, layout.emptyCell(ticket));
                return true;
            }
            if (MutexLayout.length(found) != 0) {
                asking.inVain();
                return false;
            }
            free = found;
        }
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
        if (policy == HolderFailure.THROW || !check.hasAnyGone()) { // else a fence throws because of the failed rank
            fences.fenceIfWritten();
        }
        MutexCall call = spareCalls.take().begin(of);
        try {
            giveBack(home, index, call);
        } finally {
            spareCalls.putBack(call);
        }
    }

    @Override
    public int failedHolder(int index, int of) {
        MutexHome home = home("failedHolder", index, of);
        MutexCall call = spareCalls.take().begin(of);
        try {
            return (int) change(home, call, AtomicOperation.FETCH, MutexLayout.failed(layout.mutex(index)), 0, 0) - 1;
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
            awaitWakes();
        } finally {
            spareCalls.putBack(call);
        }
        return held;
    }

    /**
     * Waits until the word WAKE has counted every mutex that this rank's threads have taken. A holder that passes a
     * mutex on first changes the next rank's cell to HELD, and then raises WAKE. A thread that has seen its cell HELD
     * may therefore take the mutex before WAKE is raised. Without this wait, the memory of WAKE could be freed before
     * it is raised.
     */
    private void awaitWakes() {
        long all;
        synchronized (this) {
            all = taken;
        }
        try {
            allocator.waiter().await(own, MutexLayout.WAKE, all, () -> {
                if (check.hasAnyGone()) {
                    throw WaitEndedException.TIME_TO_LOOK;
                }
            });
        } catch (WaitEndedException _) {
            // a rank may have died before it raised WAKE; in that case the ranks do not close the mutexes together
        }
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

    private static long change(MutexHome home, MutexCall call, AtomicOperation operation, long offset, long operand,
            long expected) {
        boolean there = home.atomic(call, operation, offset, operand, expected);
        if (!there) {
            call.check.begin("lock", home.rank, Long.MAX_VALUE).requireThere(false);
        }
        return call.result[0];
    }

    /** Changes a cell to a state if it has the expected value. Returns the value before. */
    private long changeCell(MutexHome home, int index, MutexCall call, int ticket, long expected, int state) {
        return change(home, call, AtomicOperation.COMPARE_AND_SWAP, layout.cell(layout.mutex(index), ticket),
                layout.cell(ticket, state, rank), expected);
    }

    // ---- the queue

    /** Locks a mutex that this thread has made BUSY. Returns whether the rank holds it. */
    private boolean enter(MutexHome home, int index, MutexCall call, int before) {
        boolean held = false;
        try {
            held = queue(home, index, call, before) || awaitTurn(home, index, call);
            return held;
        } finally {
            endWaiting(call);
            if (held) {
                home.hold(index);
            } else {
                home.release(index, call.hasLeft() ? MutexHome.LEFT : MutexHome.FREE);
            }
        }
    }

    /** Enters the queue of a mutex. Returns whether the rank already holds the mutex. */
    private boolean queue(MutexHome home, int index, MutexCall call, int before) {
        if (before == MutexHome.LEFT) {
            int ticket = home.tickets[index];
            long left = layout.cell(ticket, MutexLayout.LEFT, rank);
            beginWaiting(call);
            if (changeCell(home, index, call, ticket, left, WAITING) == left) {
                return false;
            }
            stopWaiting(call);
        }
        long found = change(home, call, AtomicOperation.FETCH_ADD, layout.mutex(index), MutexLayout.DRAW, 0);
        int ticket = MutexLayout.nextTicket(found);
        home.tickets[index] = ticket;
        long empty = layout.emptyCell(ticket);
        if (MutexLayout.length(found) == 0) {
            nameHolder(home, index, call, empty);
            return true;
        }
        beginWaiting(call);
        long cell = changeCell(home, index, call, ticket, empty, WAITING);
        if (cell == empty) {
            return false;
        }
        stopWaiting(call);
        nameHolder(home, index, call, cell);
        return true;
    }

    /** Writes the rank into the cell of a mutex that it holds, if another rank may have to pass the mutex on. */
    private void nameHolder(MutexHome home, int index, MutexCall call, long cell) {
        if (policy == HolderFailure.PASS_ON) {
            changeCell(home, index, call, home.tickets[index], cell, HELD);
        }
    }

    /** Waits until the rank holds the mutex. Returns false if the rank has left the queue instead. */
    private boolean awaitTurn(MutexHome home, int index, MutexCall call) {
        call.check.queue(home, layout.mutex(index), home.tickets[index]);
        long atLeast = 0;
        while (true) {
            try {
                atLeast = awaitWake(home, index, call, atLeast);
                if (atLeast == MINE) {
                    return true;
                }
            } catch (WaitEndedException e) {
                if (e == WaitEndedException.TIMED_OUT) {
                    asking.waitedInVain();
                    return !leave(home, index, call);
                }
                if (isHolderLost(home, index, call)) {
                    if (!leave(home, index, call)) {
                        return true;
                    }
                    throw lostHolder(home, index);
                }
            } catch (CallInterruptedException | DeadlineExceededException e) {
                if (!leave(home, index, call)) {
                    tellUnlock(home, index, call);
                }
                throw e;
            }
        }
    }

    /**
     * Waits until the word WAKE has grown, because this rank was given a mutex. Returns {@link #MINE} if it was the
     * mutex for which this thread waits. Otherwise returns the value of WAKE for which the thread must wait next.
     */
    private long awaitWake(MutexHome home, int index, MutexCall call, long atLeast) {
        Waiter waiter = home.isNear() ? allocator.waiter() : allocator.answers();
        waiter.await(own, MutexLayout.WAKE, Math.max(atLeast, taken() + 1), call.check);
        long woken = Words.load(own, MutexLayout.WAKE);
        if (takeIfAlone(call, woken)) {
            return MINE;
        }
        int ticket = home.tickets[index];
        long cell = change(home, call, AtomicOperation.FETCH, layout.cell(layout.mutex(index), ticket), 0, 0);
        if (cell == layout.cell(ticket, HELD, rank)) {
            take(call);
            return MINE;
        }
        return woken + 1;
    }

    /** Leaves the queue of a mutex. Returns false if the mutex was given to this rank before it could leave. */
    private boolean leave(MutexHome home, int index, MutexCall call) {
        int ticket = home.tickets[index];
        long waits = layout.cell(ticket, WAITING, rank);
        if (changeCell(home, index, call, ticket, waits, MutexLayout.LEFT) == waits) {
            stopWaiting(call);
            call.leave();
            return true;
        }
        take(call);
        return false;
    }

    private void giveBack(MutexHome home, int index, MutexCall call) {
        tellUnlock(home, index, call);
        home.release(index, MutexHome.FREE);
    }

    private void tellUnlock(MutexHome home, int index, MutexCall call) {
        boolean there = home.tell(call, MutexKeeper.UNLOCK, layout.mutex(index), home.tickets[index], rank);
        if (!there) {
            call.check.begin("unlock", home.rank, Long.MAX_VALUE).requireThere(false);
        }
    }

    // ---- accounts of WAKE

    private synchronized void beginWaiting(MutexCall call) {
        waiting++;
        call.isWaiting = true;
    }

    private synchronized void stopWaiting(MutexCall call) {
        waiting--;
        call.isWaiting = false;
    }

    /**
     * Ends a call on a mutex. If the call still counts as waiting, it has failed, and the word WAKE may count a mutex
     * that no thread takes. From then on each waiting thread looks at its own cell to learn whether it was given its
     * mutex.
     */
    private void endWaiting(MutexCall call) {
        if (call.isWaiting) {
            stopWaiting(call);
            strayWakes = true;
        }
    }

    private synchronized long taken() {
        return taken;
    }

    /** Records that this thread has taken the mutex that it was given. */
    private synchronized void take(MutexCall call) {
        taken++;
        stopWaiting(call);
    }

    /** Takes a mutex that WAKE counts, if only this thread can have been given it. Returns whether it did so. */
    private synchronized boolean takeIfAlone(MutexCall call, long woken) {
        if (waiting > 1 || woken <= taken || strayWakes) {
            return false;
        }
        take(call);
        return true;
    }

    // ---- holders that are gone

    /**
     * Passes a mutex on to the next rank in its queue, if the rank that holds it has failed or left. Returns true if
     * some rank has failed or left, and the holder has been unknown for so long that the lost rank is assumed to be the
     * holder.
     */
    private boolean isHolderLost(MutexHome home, int index, MutexCall call) {
        long mutex = layout.mutex(index);
        long queue = change(home, call, AtomicOperation.FETCH, mutex, 0, 0);
        int ticket = MutexLayout.holdingTicket(queue);
        long cell = change(home, call, AtomicOperation.FETCH, layout.cell(mutex, ticket), 0, 0);
        int holder = MutexLayout.rank(cell);
        if (holder < 0 || cell != layout.cell(ticket, HELD, holder)) { // a rank is locking or unlocking
            return call.noteUnclear(ticket, check.anyGone() >= 0);
        }
        call.noteClear();
        if (allocator.members().isGone(holder)) {
            home.tell(call, MutexKeeper.PASS_ON, mutex, ticket, holder);
        }
        return false;
    }

    private RankFailedException lostHolder(MutexHome home, int index) {
        int gone = check.anyGone();
        return new RankFailedException(allocator.members().rankInJob(gone),
                access.self() + " cannot lock mutex " + index + " of " + access.describe(home.rank) + ": "
                        + access.describe(gone)
                        + " has failed or left, perhaps while it locked or unlocked it, and"
                        + " nobody passes it on; close the mutexes and make new ones");
    }
}
