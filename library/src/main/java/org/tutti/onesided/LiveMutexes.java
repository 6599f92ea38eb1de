/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.LongSupplier;

import org.tutti.CallInterruptedException;
import org.tutti.Communicator;
import org.tutti.DeadlineExceededException;
import org.tutti.Mutexes;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.fabric.AtomicOperation;
import org.tutti.memory.Asking;
import org.tutti.memory.Waiter;

import static org.tutti.onesided.MutexLayout.HELD;
import static org.tutti.onesided.MutexLayout.WAITING;

/**
 * The mutexes of a communicator, at one rank. {@link MutexLayout} says what lies where, {@link MutexKeeper} how a mutex
 * is passed on; this is how a rank queues.
 *
 * <p><b>Steps of a lock.</b> Draw a ticket (one atomic operation): if QUEUE was empty, the mutex is held. Else write
 * WAITING into the ticket's cell, by a compare-and-swap, and wait for one's own WAKE word; if the cell was HELD
 * already, the turn came in between. Giving up is a compare-and-swap from WAITING to LEFT; if the cell is HELD, the
 * wake-up is on its way, and is waited for, so that each is counted once.
 */
final class LiveMutexes extends Mutexes {
    /** How long it may be unclear who holds a mutex, when a rank is gone, before that rank is taken for it. */
    private static final long UNCLEAR_NANOS_MAX = 1_000_000_000;

    private final LiveRemoteMemory memory;
    private final Allocator allocator;
    private final Communicator communicator;
    private final HolderFailure policy;
    private final LongSupplier deadlineNanos;
    private final int rank;
    private final MutexLayout layout;
    private final Waiter.Check alive;
    private final MutexWaker waker;
    private final MutexCheck check;
    private final Part[] parts;
    private final MutexHome[] homes;
    private final MemorySegment own;
    private final Asking asking = new Asking();
    private int talkingWith;
    private long wakes;
    private boolean closed;

    private int unclearTicket;
    private long unclearSinceNanos;

    LiveMutexes(LiveRemoteMemory memory, Allocator allocator, Communicator communicator, int count,
            HolderFailure policy, LongSupplier deadlineNanos) {
        this.memory = memory;
        this.allocator = allocator;
        this.communicator = communicator;
        this.policy = policy;
        this.deadlineNanos = deadlineNanos;
        this.rank = communicator.rank();
        int size = communicator.size();
        this.layout = new MutexLayout(size);
        this.check = new MutexCheck(allocator.members(), rank, size, policy);
        this.alive = () -> checkAlive(talkingWith);
        this.waker = new MutexWaker(allocator, communicator.topology(), rank, () -> checkAlive(rank));
        this.parts = share(layout.bytes(count));
        this.homes = new MutexHome[size];
        this.own = waker.near(rank);
        allocator.noteOpen();
    }

    private Part[] share(long bytes) {
        try {
            Part[] made = allocator.share(communicator, table -> communicator.allreduce(table, Reduction.SUM), bytes,
                    block -> new MutexKeeper(PartLayout.data(block, bytes),
                            layout, allocator.members(), waker::wakeFromFabric));
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
        return layout.count(parts[memory.checkRank(of)].bytes());
    }

    @Override
    public void lock(int index, int of) {
        MutexHome home = homeToLock("lock", index, of);
        enter("lock", home, index, Long.MAX_VALUE);
    }

    @Override
    public boolean tryLock(int index, int of, Duration timeout) {
        if (!timeout.isPositive()) {
            return tryLock(index, of);
        }
        MutexHome home = homeToLock("tryLock", index, of);
        long untilNanos = Long.MAX_VALUE;
        try {
            untilNanos = System.nanoTime() + timeout.toNanos();
        } catch (ArithmeticException _) {
            untilNanos = Long.MAX_VALUE; // more than 292 years
        }
        return enter("tryLock", home, index, untilNanos);
    }

    @Override
    public boolean tryLock(int index, int of) {
        MutexHome home = homeToLock("tryLock", index, of);
        long free = MutexLayout.freeQueue(home.tickets[index] + 1);
        while (true) {
            long found = change(home, AtomicOperation.COMPARE_AND_SWAP, layout.mutex(index), free + MutexLayout.DRAW,
                    free);
            if (found == free) {
                int ticket = MutexLayout.nextTicket(free);
                hold(home, index, ticket, layout.emptyCell(ticket));
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
        if (home.states[index] != MutexHome.HELD) {
            throw new IllegalStateException(
                    memory.self() + " cannot unlock mutex " + index + " of " + memory.describe(of)
                            + ": it does not hold it");
        }
        if (policy == HolderFailure.THROW || !check.hasAnyGone()) { // else the memory has no fences any more
            memory.fenceWritten();
        }
        release(home, index);
    }

    @Override
    public int failedHolder(int index, int of) {
        MutexHome home = home("failedHolder", index, of);
        return (int) change(home, AtomicOperation.FETCH_ADD, MutexLayout.failed(layout.mutex(index)), 0, 0) - 1;
    }

    @Override
    public void close() {
        if (closed) {
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
            if (together) { // else others may still be using it, until they hear why
                allocator.revoke(parts[rank]);
                allocator.free(parts[rank]);
            }
        }
        if (held != null) {
            throw new IllegalStateException(memory.self() + " has closed the mutexes while it held " + held
                    + "; it was unlocked, and should be before");
        }
    }

    /** Gives back what is held, and has all that was told done; names the first mutex that was held, or null. */
    private String releaseAll() {
        String held = null;
        for (MutexHome home : homes) {
            for (int index = 0; home != null && index < home.states.length; index++) {
                if (home.states[index] == MutexHome.HELD) {
                    held = held != null ? held : "mutex " + index + " of " + memory.describe(home.rank);
                    release(home, index);
                }
            }
            if (home != null) {
                talkingWith = home.rank;
                home.settle();
            }
        }
        return held;
    }

    // ---- which mutex

    private MutexHome homeToLock(String call, int index, int of) {
        MutexHome home = home(call, index, of);
        if (home.states[index] == MutexHome.HELD) {
            throw new IllegalStateException(
                    memory.self() + " cannot " + call + " mutex " + index + " of " + memory.describe(of)
                            + ": it holds it already; mutexes are not reentrant");
        }
        return home;
    }

    private MutexHome home(String call, int index, int of) {
        if (closed) {
            throw new IllegalStateException(memory.self() + " cannot " + call + ": the mutexes have been closed");
        }
        MutexHome home = homes[memory.checkRank(of)];
        if (home == null) {
            home = makeHome(of);
            homes[of] = home;
        }
        if (index < 0 || index >= home.states.length) {
            throw new IndexOutOfBoundsException(memory.self() + " cannot " + call + " mutex " + index + " of "
                    + memory.describe(of) + ", which has " + home.states.length);
        }
        talkingWith = of;
        checkAlive(of);
        return home;
    }

    private MutexHome makeHome(int of) {
        int count = count(of);
        if (waker.isNear(of)) {
            MemorySegment data = waker.near(of);
            return MutexHome.near(of, count, data,
                    new MutexKeeper(data, layout, allocator.members(), waker::wake));
        }
        return MutexHome.far(of, count, allocator.fabric(), allocator.process(of), parts[of].handle(),
                alive);
    }

    /** For what must not be ended halfway: only that somebody has failed ends it. */
    private void checkAlive(int home) {
        RuntimeException failure = check.failure(home);
        if (failure != null) {
            throw failure;
        }
    }

    private long change(MutexHome home, AtomicOperation operation, long offset, long operand, long expected) {
        boolean there = home.atomic(operation, offset, operand, expected);
        if (!there) {
            check.begin("lock", home.rank, Long.MAX_VALUE).requireThere(false);
        }
        return home.found();
    }

    /** Changes a cell if it is as expected; returns what it was. */
    private long changeCell(MutexHome home, int index, int ticket, long expected, int state) {
        return change(home, AtomicOperation.COMPARE_AND_SWAP, layout.cell(layout.mutex(index), ticket),
                layout.cell(ticket, state, rank), expected);
    }

    // ---- the queue

    private boolean enter(String call, MutexHome home, int index, long timeoutAtNanos) {
        if (queue(home, index)) {
            return true;
        }
        check.begin(call, home.rank, deadlineNanos.getAsLong());
        check.limit(timeoutAtNanos);
        check.queue(home, layout.mutex(index), home.tickets[index]);
        Waiter waiter = home.isNear() ? allocator.waiter() : allocator.answers();
        unclearSinceNanos = 0;
        while (true) {
            try {
                waiter.await(own, MutexLayout.WAKE, wakes + 1, check);
                wakes++;
                home.states[index] = MutexHome.HELD;
                return true;
            } catch (WaitEndedException e) {
                if (e == WaitEndedException.TIMED_OUT) {
                    asking.inVain();
                    return !leave(home, index);
                }
                lookAfterHolder(home, index);
            } catch (CallInterruptedException | DeadlineExceededException e) {
                if (!leave(home, index)) {
                    release(home, index);
                }
                throw e;
            }
        }
    }

    /** Gets a place in the queue; returns whether that was all, and the mutex is held. */
    private boolean queue(MutexHome home, int index) {
        if (home.states[index] == MutexHome.LEFT) {
            int ticket = home.tickets[index];
            long left = layout.cell(ticket, MutexLayout.LEFT, rank);
            home.states[index] = MutexHome.FREE;
            if (changeCell(home, index, ticket, left, WAITING) == left) {
                return false;
            }
        }
        long found = change(home, AtomicOperation.FETCH_ADD, layout.mutex(index), MutexLayout.DRAW, 0);
        int ticket = MutexLayout.nextTicket(found);
        home.tickets[index] = ticket;
        long empty = layout.emptyCell(ticket);
        if (MutexLayout.length(found) == 0) {
            hold(home, index, ticket, empty);
            return true;
        }
        long cell = changeCell(home, index, ticket, empty, WAITING);
        if (cell == empty) {
            return false;
        }
        hold(home, index, ticket, cell);
        return true;
    }

    /** The mutex is this rank's. That its cell says whose it is, is needed only by who is to pass it on. */
    private void hold(MutexHome home, int index, int ticket, long cell) {
        home.tickets[index] = ticket;
        home.states[index] = MutexHome.HELD;
        if (policy == HolderFailure.PASS_ON) {
            changeCell(home, index, ticket, cell, HELD);
        }
    }

    /** Gives up the place in the queue; returns false when the mutex has come meanwhile. */
    private boolean leave(MutexHome home, int index) {
        int ticket = home.tickets[index];
        long waiting = layout.cell(ticket, WAITING, rank);
        if (changeCell(home, index, ticket, waiting, MutexLayout.LEFT) == waiting) {
            home.states[index] = MutexHome.LEFT;
            return true;
        }
        allocator.waiter().await(own, MutexLayout.WAKE, wakes + 1, alive);
        wakes++;
        home.states[index] = MutexHome.HELD;
        return false;
    }

    private void release(MutexHome home, int index) {
        talkingWith = home.rank;
        boolean there = home.tell(MutexKeeper.UNLOCK, layout.mutex(index), home.tickets[index], rank);
        if (!there) {
            check.begin("unlock", home.rank, Long.MAX_VALUE).requireThere(false);
        }
        home.states[index] = MutexHome.FREE;
    }

    // ---- holders that are gone

    /** A rank is gone: if it is the holder, the mutex is passed on. */
    private void lookAfterHolder(MutexHome home, int index) {
        long mutex = layout.mutex(index);
        long queue = change(home, AtomicOperation.FETCH_ADD, mutex, 0, 0);
        int ticket = MutexLayout.holdingTicket(queue);
        long cell = change(home, AtomicOperation.FETCH_ADD, layout.cell(mutex, ticket), 0, 0);
        int holder = MutexLayout.rank(cell);
        if (holder >= 0 && cell == layout.cell(ticket, HELD, holder)) {
            unclearSinceNanos = 0;
            if (allocator.members().isGone(holder)) {
                home.tell(MutexKeeper.PASS_ON, mutex, ticket, holder);
            }
        } else {
            noteUnclear(home, index, ticket);
        }
    }

    /** Somebody is about to lock or unlock. If that takes too long, it was the one that is gone. */
    private void noteUnclear(MutexHome home, int index, int ticket) {
        int gone = check.anyGone();
        if (unclearSinceNanos == 0 || ticket != unclearTicket || gone < 0) {
            unclearTicket = ticket;
            unclearSinceNanos = System.nanoTime();
        } else if (System.nanoTime() - unclearSinceNanos > UNCLEAR_NANOS_MAX) {
            leave(home, index);
            throw new RankFailedException(allocator.members().rankInJob(gone),
                    memory.self() + " cannot lock mutex " + index + " of "
                            + memory.describe(home.rank) + ": " + memory.describe(gone)
                            + " has failed or left, perhaps while it locked or unlocked it, and"
                            + " nobody passes it on; close the mutexes and make new ones");
        }
    }
}
