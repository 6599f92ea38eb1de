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
 * Passes the mutexes of a rank on, in the memory of that rank's node. For ranks of the node it runs on their own
 * threads. For ranks of other nodes it runs when their active messages arrive.
 *
 * <p><b>Concurrency.</b> Only one thread passes a mutex on at a time: the thread that has taken the holder's cell away
 * by a compare-and-swap. It then takes the holder off QUEUE. If tickets are left, it looks at the next cell. A WAITING
 * cell becomes HELD, and its rank is woken. A LEFT cell, or the WAITING cell of a rank that is gone, is skipped as if
 * it had been held. A cell is still EMPTY if its rank has drawn the ticket, but not yet written WAITING. It becomes
 * HELD, and the rank will find it HELD. All changes of a cell are compare-and-swaps, except the one from PASSED, which
 * only one thread makes. Therefore a rank that gives up and a holder that gives it the mutex agree on the order of the
 * two.
 *
 * <p><b>Memory ordering.</b> A cell is EMPTY again before its ticket is taken off QUEUE. A rank that draws the next
 * ticket for that cell reads QUEUE first, and so finds the cell EMPTY. The change of QUEUE, the change of the next cell
 * and the WAKE word publish all that a holder has done: they are atomic operations, and the next holder has read one of
 * them.
 */
final class MutexKeeper implements RegionHandler {
    /** The operation by which the holder unlocks the mutex. */
    static final int UNLOCK = 0;

    /** The operation by which a waiting rank says that the holder is gone. */
    static final int PASS_ON = 1;

    /** The layout of a message. */
    static final ValueLayout.OfLong MESSAGE = ValueLayout.JAVA_LONG_UNALIGNED;

    private final MemorySegment data;
    private final MutexLayout layout;
    private final Members members;
    private final IntConsumer wake;

    /**
     * @param data the memory of the rank's mutexes
     * @param layout the layout of the mutexes
     * @param members the states of the ranks
     * @param wake tells a rank that it holds the mutex that it has waited for
     */
    MutexKeeper(MemorySegment data, MutexLayout layout, Members members, IntConsumer wake) {
        this.data = data;
        this.layout = layout;
        this.members = members;
        this.wake = wake;
    }

    /** The content of a message: the holder's ticket and rank. */
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

    /** Runs the operation of a message, or of a rank of this node; returns whether it had an effect. */
    boolean apply(int operation, long mutex, int ticket, int rank) {
        return layout.isRank(rank)
                && (operation == UNLOCK ? unlock(mutex, ticket, rank) : passOn(mutex, ticket, rank));
    }

    /**
     * Whether the rank in a cell is gone. An invalid rank counts as gone, because other nodes may have written any
     * value.
     */
    private boolean isGone(int rank) {
        return !layout.isRank(rank) || members.isGone(rank);
    }

    private boolean isHolding(long mutex, int ticket) {
        long queue = Words.load(data, mutex);
        return MutexLayout.length(queue) > 0 && MutexLayout.holdingTicket(queue) == ticket;
    }

    /** Unlocks a mutex; returns whether the rank held it by that ticket. */
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

    /** Takes a mutex from a rank that is gone; returns false if the rank is not gone, or another rank was faster. */
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

    /**
     * Passes the mutex on from a ticket, until a rank holds the mutex or no ticket is left. The ticket's cell is EMPTY
     * again.
     */
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

    /** Gives the mutex to a ticket; returns false if the ticket's rank has left the queue or is gone. */
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
