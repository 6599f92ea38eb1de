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
 * Passes the mutexes of a rank from one holder to the next, in the memory of that rank's node. Ranks of the node run
 * this code on their own threads. For ranks of other nodes it runs when their active messages arrive.
 *
 * <p><b>Concurrency.</b> Each ticket in the queue of a mutex has a cell, 64 bits with the state of the ticket's rank.
 * Only one thread passes a mutex on at a time. It is the thread that has changed the holder's cell by a
 * compare-and-swap. It then takes the holder off the word QUEUE. If tickets remain, it looks at the next cell. A
 * WAITING cell becomes HELD, and its rank is woken. A LEFT cell, or the WAITING cell of a rank that is gone, is skipped
 * in the same way as the cell of a holder. A cell is still EMPTY if its rank has drawn the ticket, but has not yet
 * written WAITING. This thread changes that cell to HELD, and the rank will find it HELD. All changes of a cell are
 * compare-and-swaps, except the one from PASSED, which only one thread makes. Therefore a rank that gives up and a
 * holder that gives it the mutex agree on which of the two was first.
 *
 * <p><b>Memory ordering.</b> A cell is EMPTY again before its ticket is taken off QUEUE. A rank that draws the next
 * ticket for that cell reads QUEUE first, and so finds the cell EMPTY. The change of QUEUE, the change of the next cell
 * and the WAKE word publish all that a holder has done. They are atomic operations, and the next holder has read one of
 * them.
 */
final class MutexKeeper implements RegionHandler {
    /** The operation by which the holder unlocks the mutex. */
    static final int UNLOCK = 0;

    /** The operation by which a waiting rank reports that the holder is gone. */
    static final int PASS_ON = 1;

    /** The layout of a message. */
    static final ValueLayout.OfLong MESSAGE = ValueLayout.JAVA_LONG_UNALIGNED;

    private final MemorySegment data;
    private final MutexLayout layout;
    private final Members members;
    private final IntConsumer wake;

    /**
     * Creates the keeper, which passes the mutexes of a rank from one holder to the next.
     *
     * @param data the memory of the rank's mutexes
     * @param layout the offsets and bits of the words in that memory
     * @param members the states of the communicator's ranks: joined, left or failed
     * @param wake a function that wakes the rank of a given number, because it holds the mutex for which it has waited
     */
    MutexKeeper(MemorySegment data, MutexLayout layout, Members members, IntConsumer wake) {
        this.data = data;
        this.layout = layout;
        this.members = members;
        this.wake = wake;
    }

    /** Returns the content of a message: the holder's ticket and rank. */
    static long message(int ticket, int rank) {
        return (long) ticket << Integer.SIZE | rank;
    }

    @Override
    public boolean accepts(int operation, long offset, long bytes) {
        return (operation == UNLOCK || operation == PASS_ON) && bytes == MESSAGE.byteSize() && layout.isMutex(offset)
                && offset <= data.byteSize() - layout.mutexBytes();
    }

    @Override
    public long handle(int process, int operation, long argument0, long argument1, long offset, MemorySegment message,
            long messageOffset, long bytes) {
        long said = message.get(MESSAGE, messageOffset);
        return apply(operation, offset, (int) (said >>> Integer.SIZE), (int) said) ? bytes : REFUSED;
    }

    /** Runs an operation that a rank of this node or a message requests. Returns whether it had an effect. */
    boolean apply(int operation, long mutex, int ticket, int rank) {
        return layout.isRank(rank)
                && (operation == UNLOCK ? unlock(mutex, ticket, rank) : passOn(mutex, ticket, rank));
    }

    /**
     * Returns whether the rank in a cell is gone. An invalid rank counts as gone, because other nodes may have written
     * any value.
     */
    private boolean isGone(int rank) {
        return !layout.isRank(rank) || members.isGone(rank);
    }

    private boolean isHolding(long mutex, int ticket) {
        long queue = Words.load(data, mutex);
        return MutexLayout.length(queue) > 0 && MutexLayout.holdingTicket(queue) == ticket;
    }

    /** Unlocks a mutex. Returns whether the rank held it by that ticket. */
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

    /**
     * Takes a mutex from a rank that has failed or left the job, and gives it to the next rank in the queue. Returns
     * false if the holder is not gone, or if another rank has taken the mutex from it first.
     */
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
     * Gives a mutex to the next ticket in its queue. Tickets of ranks that have given up or are gone are skipped, until
     * a rank holds the mutex or no ticket remains. The cell of the ticket that is done must be EMPTY again.
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

    /** Gives the mutex to a ticket. Returns false if the ticket's rank has left the queue or is gone. */
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
