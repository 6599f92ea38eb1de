/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntConsumer;

import org.tutti.collective.members.Members;
import org.tutti.fabric.RegionHandler;
import org.tutti.memory.Words;

import static org.tutti.onesided.MutexLayout.HELD;
import static org.tutti.onesided.MutexLayout.LEFT;
import static org.tutti.onesided.MutexLayout.PASSED;
import static org.tutti.onesided.MutexLayout.WAITING;

/**
 * Passes the mutexes of a rank on, in the memory of that rank's node: for ranks of the node on their own threads, and
 * for others when an active message of theirs arrives.
 *
 * <p><b>Concurrency.</b> Only one thread passes a mutex on at a time: the one that has taken the holder's cell away by
 * a compare-and-swap. It then takes the holder off QUEUE. If tickets are left, it looks at the next cell: WAITING
 * becomes HELD, and its rank is woken; LEFT, and the cell of a rank that is gone, is skipped as if it had been held; an
 * EMPTY one, whose drawer has not got that far, becomes HELD, and its drawer will find it so. All changes of a cell
 * are compare-and-swaps, so a drawer who gives up and a holder who gives him the mutex agree on what happened first.
 *
 * <p><b>Memory ordering.</b> A cell is EMPTY again before its ticket is taken off QUEUE, and QUEUE is read by who draws
 * the next ticket for that cell. What a holder did is published by that change of QUEUE, or of the next cell, or by the
 * word that wakes: all atomic operations, of which the next holder has read one.
 */
final class MutexKeeper implements RegionHandler {
    /** The holder gives the mutex back. */
    static final int UNLOCK = 0;

    /** Somebody who waits says that the holder is gone. */
    static final int PASS_ON = 1;

    /** How a message lies in its bytes. */
    static final ValueLayout.OfLong MESSAGE = ValueLayout.JAVA_LONG_UNALIGNED;

    private final MemorySegment data;
    private final MutexLayout layout;
    private final Members members;
    private final IntConsumer wake;

    /**
     * @param data the memory of the rank's mutexes
     * @param layout how they lie there
     * @param members what is known of the ranks' lives
     * @param wake tells a rank that it holds now what it has waited for
     */
    MutexKeeper(MemorySegment data, MutexLayout layout, Members members, IntConsumer wake) {
        this.data = data;
        this.layout = layout;
        this.members = members;
        this.wake = wake;
    }

    /** What a message says besides its operation: the holder's ticket and rank. */
    static long message(int ticket, int rank) {
        return (long) ticket << Integer.SIZE | rank;
    }

    @Override
    public boolean accepts(int operation, long offset, long bytes) {
        return (operation == UNLOCK || operation == PASS_ON) && bytes == MESSAGE.byteSize() && layout.isMutex(offset)
                && offset <= data.byteSize() - layout.mutexBytes();
    }

    @Override
    public long handle(int operation, long argument0, long argument1, long offset, MemorySegment message,
            long messageOffset, long bytes) {
        long said = message.get(MESSAGE, messageOffset);
        return apply(operation, offset, (int) (said >>> Integer.SIZE), (int) said) ? bytes : REFUSED;
    }

    /** Does what a message says, for a rank of this node as well; returns whether there was something to do. */
    boolean apply(int operation, long mutex, int ticket, int rank) {
        return layout.isRank(rank)
                && (operation == UNLOCK ? unlock(mutex, ticket, rank) : passOn(mutex, ticket, rank));
    }

    /** Whoever a cell names: other nodes may have written anything there. */
    private boolean isGone(int rank) {
        return !layout.isRank(rank) || members.isGone(rank);
    }

    private boolean isHolding(long mutex, int ticket) {
        long queue = Words.load(data, mutex);
        return MutexLayout.length(queue) > 0 && MutexLayout.holdingTicket(queue) == ticket;
    }

    /** Gives a mutex back; returns whether it was this rank's, by that ticket. */
    boolean unlock(long mutex, int ticket, int rank) {
        long at = layout.cell(mutex, ticket);
        long cell = Words.load(data, at);
        boolean unnamed = cell == layout.emptyCell(ticket) || cell == layout.cell(ticket, HELD, -1);
        if (!unnamed && cell != layout.cell(ticket, HELD, rank) || !isHolding(mutex, ticket)
                || !Words.compareAndSet(data, at, cell, layout.nextCell(ticket))) {
            return false;
        }
        giveToNext(mutex, ticket);
        return true;
    }

    /** Takes a mutex from a rank that is gone; returns false when that is not so, or somebody else was faster. */
    boolean passOn(long mutex, int ticket, int rank) {
        long at = layout.cell(mutex, ticket);
        if (rank < 0 || !members.isGone(rank) || !isHolding(mutex, ticket) || !Words.compareAndSet(data, at,
                layout.cell(ticket, HELD, rank), layout.cell(ticket, PASSED, rank))) {
            return false;
        }
        Words.compareAndSet(data, MutexLayout.failed(mutex), 0, rank + 1L);
        Words.store(data, at, layout.nextCell(ticket));
        giveToNext(mutex, ticket);
        return true;
    }

    /** The ticket's cell is free again: goes on until somebody holds the mutex, or nobody wants it. */
    private void giveToNext(long mutex, int done) {
        int next = done;
        do {
            long queue = Words.add(data, mutex, -1);
            if (MutexLayout.length(queue) <= 1) {
                return;
            }
            next++;
        } while (!give(mutex, next) && next - done < layout.cells());
    }

    /** Gives the mutex to a ticket; returns false when its drawer does not want it any more. */
    private boolean give(long mutex, int ticket) {
        long at = layout.cell(mutex, ticket);
        while (true) {
            long cell = Words.load(data, at);
            int state = MutexLayout.state(cell);
            int rank = MutexLayout.rank(cell);
            boolean skipped = state == LEFT || state == WAITING && isGone(rank);
            long changed = skipped ? layout.nextCell(ticket) : layout.cell(ticket, HELD, rank);
            if (Words.compareAndSet(data, at, cell, changed)) {
                if (state == WAITING && !skipped) {
                    wake.accept(rank);
                }
                return !skipped;
            }
        }
    }
}
