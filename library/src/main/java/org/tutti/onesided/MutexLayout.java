/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * The layout of the mutexes that one rank keeps in its node's memory, and the meaning of their bits. The ranks that
 * hold a mutex or wait for it form a queue.
 *
 * <pre>
 *  line 0:        +0 WAKE: counts the mutexes that this rank was given after it had waited for them
 *  for each mutex, in whole lines:
 *                 +0 QUEUE: tickets drawn (32 bits) | tickets in the queue, the holder's included (32 bits)
 *                 +8 FAILED: the first rank that failed as the holder, plus one, or 0
 *                +16 a ring of cells, the power of two above the number of ranks
 *  a cell:        generation (32 bits) | state (8 bits) | rank plus one (24 bits)
 * </pre>
 *
 * <p><b>Tickets.</b> A rank draws a ticket by adding {@link #DRAW} to QUEUE. If QUEUE was empty, the rank holds the
 * mutex. The oldest ticket in the queue is the holder's. The cell of ticket t is number t mod ring length, in
 * generation t ÷ ring length. It is EMPTY at first (zeros, for generation 0), then WAITING, and HELD when its turn to
 * hold the mutex has come. It is LEFT if its rank has given up. When the ticket leaves the queue, the cell becomes
 * EMPTY of the next generation.
 *
 * <p><b>The ring is long enough</b>, because a rank has at most one ticket for a mutex. If it gives up and later locks
 * again, it uses the ticket that it has left. Only the last holder may have two, because its unlock may still be on its
 * way when it draws the next ticket.
 */
final class MutexLayout {
    /** The value that is added to QUEUE to draw a ticket. */
    static final long DRAW = (1L << Integer.SIZE) + 1;

    static final long WAKE = 0;
    static final int EMPTY = 0;
    static final int WAITING = 1;
    static final int LEFT = 2;
    static final int HELD = 3;
    /** The state of the cell of a holder that is gone, while another rank passes the mutex on. */
    static final int PASSED = 4;

    private static final long FAILED = 8;
    private static final long CELLS = 16;
    private static final int RANK_BITS = 24;
    private static final int STATE_MASK = 0xff;
    private static final int RANK_MASK = (1 << RANK_BITS) - 1;

    private final int ranks;
    private final int cells;
    private final int generationShift;
    private final long mutexBytes;

    MutexLayout(int ranks) {
        this.ranks = ranks;
        this.cells = Integer.highestOneBit(ranks) << 1;
        this.generationShift = Integer.numberOfTrailingZeros(cells);
        this.mutexBytes = Memory.roundToLines(CELLS + (long) cells * Long.BYTES);
    }

    /** Returns whether a number, which may come from another node, is a rank. */
    boolean isRank(int rank) {
        return rank >= 0 && rank < ranks;
    }

    /** Returns the number of bytes that a rank needs for a number of mutexes. */
    long bytes(int count) {
        return Words.LINE_BYTES + count * mutexBytes;
    }

    /** Returns the number of mutexes of a rank that has allocated the given number of bytes. */
    int count(long bytes) {
        return (int) ((bytes - Words.LINE_BYTES) / mutexBytes);
    }

    /** Returns the offset of a mutex, which is the offset of its QUEUE. */
    long mutex(int index) {
        return Words.LINE_BYTES + index * mutexBytes;
    }

    /**
     * Returns whether a mutex may begin at an offset, which may come from another node. The offset may be after the
     * last mutex.
     */
    boolean isMutex(long offset) {
        return offset >= Words.LINE_BYTES && (offset - Words.LINE_BYTES) % mutexBytes == 0;
    }

    /** Returns the number of bytes of one mutex with its ring of cells. */
    long mutexBytes() {
        return mutexBytes;
    }

    /** Returns the number of cells in the ring of a mutex. */
    int cells() {
        return cells;
    }

    /** Returns the offset of the FAILED word of a mutex. */
    static long failed(long mutex) {
        return mutex + FAILED;
    }

    /** Returns the offset of a ticket's cell. */
    long cell(long mutex, int ticket) {
        return mutex + CELLS + (long) (ticket & cells - 1) * Long.BYTES;
    }

    // ---- QUEUE

    /** Returns the ticket that is drawn next, from a value of QUEUE. */
    static int nextTicket(long queue) {
        return (int) (queue >>> Integer.SIZE);
    }

    /** Returns the number of tickets in the queue, including the holder's, from a value of QUEUE. */
    static int length(long queue) {
        return (int) queue;
    }

    /** Returns the ticket of the holder from a value of QUEUE, if there is a holder. */
    static int holdingTicket(long queue) {
        return nextTicket(queue) - length(queue);
    }

    /** Returns the value of an empty QUEUE. */
    static long freeQueue(int nextTicket) {
        return (long) nextTicket << Integer.SIZE;
    }

    // ---- cells

    /** Returns the value of a ticket's cell with a state, and with a rank or −1 for none. */
    long cell(int ticket, int state, int rank) {
        return Integer.toUnsignedLong(ticket >>> generationShift) << Integer.SIZE
                | (long) state << RANK_BITS | rank + 1;
    }

    /** Returns the value of a ticket's cell before the ticket is drawn, and until its rank has written WAITING. */
    long emptyCell(int ticket) {
        return cell(ticket, EMPTY, -1);
    }

    /** Returns the value of a ticket's cell after the ticket has left the queue. */
    long nextCell(int ticket) {
        return emptyCell(ticket + cells);
    }

    static int state(long cell) {
        return (int) (cell >>> RANK_BITS) & STATE_MASK;
    }

    /** Returns the rank in a cell, or −1 if there is none. */
    static int rank(long cell) {
        return ((int) cell & RANK_MASK) - 1;
    }
}
