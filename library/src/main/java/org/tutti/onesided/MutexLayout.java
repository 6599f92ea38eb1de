/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * The mutexes of a rank in its node's memory, and what their bits mean.
 *
 * <pre>
 *  line 0:        +0 WAKE: how often this rank was given a mutex that it waited for
 *  for each mutex, in whole lines:
 *                 +0 QUEUE: tickets drawn (32 bits) | how many of them are not done with (32 bits)
 *                 +8 FAILED: the first rank that failed as the holder, plus one, or 0
 *                +16 a ring of cells, the power of two above the number of ranks
 *  a cell:        generation (32 bits) | state (8 bits) | rank plus one (24 bits)
 * </pre>
 *
 * <p><b>Tickets.</b> To draw one is to add {@link #DRAW} to QUEUE: who finds nobody there holds the mutex. The oldest
 * ticket that is not done with is the holder's. The cell of ticket t is number t mod ring length, in generation t ÷
 * ring length: EMPTY at first (zeros, for generation 0), then WAITING, and HELD when its turn has come; LEFT when its
 * drawer has given up. Who is done with it makes it EMPTY of the next generation.
 *
 * <p><b>The ring is long enough</b>: a rank has one ticket for a mutex at most (one that it left is taken up again),
 * and the holder's unlock may be on its way while it draws the next one already.
 */
final class MutexLayout {
    /** What drawing a ticket adds to QUEUE. */
    static final long DRAW = (1L << Integer.SIZE) + 1;

    static final long WAKE = 0;
    static final int EMPTY = 0;
    static final int WAITING = 1;
    static final int LEFT = 2;
    static final int HELD = 3;
    /** Held by a rank that has failed, and somebody is just passing the mutex on. */
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

    /** Whether a number is a rank's, whoever says so. */
    boolean isRank(int rank) {
        return rank >= 0 && rank < ranks;
    }

    /** The bytes that a rank with so many mutexes needs. */
    long bytes(int count) {
        return Words.LINE_BYTES + count * mutexBytes;
    }

    /** How many mutexes a rank has that gave so many bytes. */
    int count(long bytes) {
        return (int) ((bytes - Words.LINE_BYTES) / mutexBytes);
    }

    /** Where a mutex lies, which is where its QUEUE lies. */
    long mutex(int index) {
        return Words.LINE_BYTES + index * mutexBytes;
    }

    /** Whether a mutex begins there, whoever says so; it may lie behind the last one. */
    boolean isMutex(long offset) {
        return offset >= Words.LINE_BYTES && (offset - Words.LINE_BYTES) % mutexBytes == 0;
    }

    long mutexBytes() {
        return mutexBytes;
    }

    int cells() {
        return cells;
    }

    static long failed(long mutex) {
        return mutex + FAILED;
    }

    /** Where the cell of a ticket lies. */
    long cell(long mutex, int ticket) {
        return mutex + CELLS + (long) (ticket & cells - 1) * Long.BYTES;
    }

    // ---- QUEUE

    /** The next ticket to be drawn, of a value of QUEUE. */
    static int nextTicket(long queue) {
        return (int) (queue >>> Integer.SIZE);
    }

    /** How many tickets are not done with. */
    static int length(long queue) {
        return (int) queue;
    }

    /** The ticket of the holder, if there is one. */
    static int holdingTicket(long queue) {
        return nextTicket(queue) - length(queue);
    }

    /** A QUEUE with nobody in it. */
    static long freeQueue(int nextTicket) {
        return (long) nextTicket << Integer.SIZE;
    }

    // ---- cells

    /** The cell of a ticket, with a rank or with −1 for none. */
    long cell(int ticket, int state, int rank) {
        return Integer.toUnsignedLong(ticket >>> generationShift) << Integer.SIZE
                | (long) state << RANK_BITS | rank + 1;
    }

    /** The cell of a ticket that nobody has drawn, or whose drawer has not said yet that he waits. */
    long emptyCell(int ticket) {
        return cell(ticket, EMPTY, -1);
    }

    /** What the cell of a ticket becomes when it is done with. */
    long nextCell(int ticket) {
        return emptyCell(ticket + cells);
    }

    static int state(long cell) {
        return (int) (cell >>> RANK_BITS) & STATE_MASK;
    }

    /** The rank in a cell, or −1. */
    static int rank(long cell) {
        return ((int) cell & RANK_MASK) - 1;
    }
}
