/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.memory.Words;

/**
 * The shared block of one communicator on one node: the word that says it is broken, for each rank a word that counts
 * the operations it has left, and the ring of slots. Every cell is four lines of its rank:
 *
 * <pre>
 *  byte 0        64                64 + 64·size
 *   +------------+-----------------+--------+--------+-- … --+---------+
 *   | broken     | left: a line    | slot 0 | slot 1 |       | slot 15 |
 *   | word, line | for each rank   |        |        |       |         |
 *   +------------+-----------------+--------+--------+-- … --+---------+
 *
 *  a slot:  +---------------+---------------+-- … --+
 *           | cell, rank 0  | cell, rank 1  |       |          256 bytes each
 *           +---------------+---------------+-- … --+
 *
 *  a cell:  +0    READY word      +8 fingerprint   +16 payload, 48 bytes
 *           +64   descriptor of the call
 *           +128  DONE word
 *           +192  names of the descriptor
 *
 *  a descriptor: +0 sequence + 1 (word; 0 while it is being written)   +8 fingerprint   +16 hash of the call
 *                +24 count   +32 root, type and collective   +40 operator's unit and whether it commutes
 *      its names: +0 operator, 32 bytes   +32 algorithm, 16 bytes
 * </pre>
 */
public final class RingLayout {
    /** How many operations of a communicator may be in flight: begun by some ranks and not yet left by all. */
    public static final int SLOTS = 16;

    /** How many bytes of data ride in the line of the READY word. */
    public static final int PAYLOAD_BYTES = 48;

    static final long BROKEN = 0;
    static final long READY = 0;
    static final long FINGERPRINT = 8;
    static final long PAYLOAD = 16;
    static final long DESCRIPTOR = 64;
    static final long DONE = 128;

    static final long DESCRIPTOR_FINGERPRINT = 8;
    static final long DESCRIPTOR_CALL = 16;
    static final long DESCRIPTOR_COUNT = 24;
    static final long DESCRIPTOR_KIND = 32;
    static final long DESCRIPTOR_TRAITS = 40;
    static final long NAMES = 192 - DESCRIPTOR;
    static final long ALGORITHM_NAME = NAMES + 32;

    private static final long CELL_BYTES = 256;

    private RingLayout() {}

    /**
     * The size of the block.
     *
     * @param size the communicator's ranks
     * @return bytes
     */
    public static long bytes(int size) {
        return slot(SLOTS, size);
    }

    static long left(int rank) {
        return (1L + rank) * Words.LINE_BYTES;
    }

    static long slot(long index, int size) {
        return (1L + size) * Words.LINE_BYTES + index * size * CELL_BYTES;
    }

    static long cell(long slot, int rank) {
        return slot + rank * CELL_BYTES;
    }
}
