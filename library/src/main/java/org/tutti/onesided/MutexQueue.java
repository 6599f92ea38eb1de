/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.Mutexes.HolderFailure;
import org.tutti.RankFailedException;
import org.tutti.fabric.AtomicOperation;
import org.tutti.memory.Asking;

import static org.tutti.onesided.MutexLayout.HELD;
import static org.tutti.onesided.MutexLayout.WAITING;

/**
 * The steps by which a rank joins the queues of mutexes and leaves them.
 *
 * <p><b>Steps of a lock.</b> The rank draws a ticket, its number in the queue, by one atomic operation on the word
 * QUEUE. If the queue was empty, the rank holds the mutex. Otherwise it changes the cell of its ticket to WAITING by a
 * compare-and-swap, and waits for its WAKE word. If the cell was HELD already, the mutex was given to the rank between
 * these two steps. To give up, the rank changes the cell from WAITING to LEFT by a compare-and-swap. If that fails
 * because the cell is HELD, the mutex has just been given to the rank.
 */
final class MutexQueue {
    private static final long MINE = -1;

    private final RemoteAccess access;
    private final PartAllocator allocator;
    private final HolderFailure policy;
    private final int rank;
    private final MutexLayout layout;
    private final MutexCheck check;
    private final MutexWakes wakes;
    private final Asking asking;

    /**
     * Creates the steps of a rank.
     *
     * @param access describes ranks
     * @param allocator the states of ranks
     * @param policy tells what happens to a mutex whose holder is gone
     * @param rank the rank
     * @param layout the offsets and bits of the words of mutexes
     * @param check tells whether a rank is gone
     * @param wakes the waits for mutexes
     * @param asking counts the calls that end in vain
     */
    MutexQueue(RemoteAccess access, PartAllocator allocator, HolderFailure policy, int rank, MutexLayout layout,
            MutexCheck check, MutexWakes wakes, Asking asking) {
        this.access = access;
        this.allocator = allocator;
        this.policy = policy;
        this.rank = rank;
        this.layout = layout;
        this.check = check;
        this.wakes = wakes;
        this.asking = asking;
    }

    /** Locks a mutex that this thread has made BUSY, if it is free. Returns whether the rank holds it. */
    boolean takeIfFree(MutexHome home, int index, MutexCall call) {
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

    /** Locks a mutex that this thread has made BUSY. Returns whether the rank holds it. */
    boolean enter(MutexHome home, int index, MutexCall call, int before) {
        boolean held = false;
        try {
            held = queue(home, index, call, before) || awaitTurn(home, index, call);
            return held;
        } finally {
            wakes.endWaiting(call);
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
            wakes.beginWaiting(call);
            if (changeCell(home, index, call, ticket, left, WAITING) == left) {
                return false;
            }
            wakes.stopWaiting(call);
        }
        long found = change(home, call, AtomicOperation.FETCH_ADD, layout.mutex(index), MutexLayout.DRAW, 0);
        int ticket = MutexLayout.nextTicket(found);
        home.tickets[index] = ticket;
        long empty = layout.emptyCell(ticket);
        if (MutexLayout.length(found) == 0) {
            nameHolder(home, index, call, empty);
            return true;
        }
        wakes.beginWaiting(call);
        long cell = changeCell(home, index, call, ticket, empty, WAITING);
        if (cell == empty) {
            return false;
        }
        wakes.stopWaiting(call);
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
        long woken = wakes.await(home, call, atLeast);
        if (wakes.takeIfAlone(call, woken)) {
            return MINE;
        }
        int ticket = home.tickets[index];
        long cell = change(home, call, AtomicOperation.FETCH, layout.cell(layout.mutex(index), ticket), 0, 0);
        if (cell == layout.cell(ticket, HELD, rank)) {
            wakes.take(call);
            return MINE;
        }
        return woken + 1;
    }

    /** Leaves the queue of a mutex. Returns false if the mutex was given to this rank before it could leave. */
    private boolean leave(MutexHome home, int index, MutexCall call) {
        int ticket = home.tickets[index];
        long waits = layout.cell(ticket, WAITING, rank);
        if (changeCell(home, index, call, ticket, waits, MutexLayout.LEFT) == waits) {
            wakes.stopWaiting(call);
            call.leave();
            return true;
        }
        wakes.take(call);
        return false;
    }

    /** Tells the keeper of a mutex that this rank does not hold it any more. */
    void tellUnlock(MutexHome home, int index, MutexCall call) {
        boolean there = home.tell(call, MutexKeeper.UNLOCK, layout.mutex(index), home.tickets[index], rank);
        if (!there) {
            call.check.begin("unlock", home.rank, Long.MAX_VALUE).requireThere(false);
        }
    }

    /** Changes a word of a mutex. Returns the value before. */
    static long change(MutexHome home, MutexCall call, AtomicOperation operation, long offset, long operand,
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
