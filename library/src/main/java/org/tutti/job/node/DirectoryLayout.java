/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import org.tutti.memory.Words;

/**
 * Where all ranks of a job on several nodes are: a block of each node's memory. The leader of a node puts the records
 * of its ranks into the block of rank 0's node, and gets all of it when it is complete.
 *
 * <pre>
 *  line 0:  +0 known: how many ranks have a record here (many add)   +16 complete: 1 when the records are all there
 *           +32 fetched: how many other nodes have got the whole directory from here (many add)
 *  then, of each rank, 6 lines:
 *    line 0:  +0 node   +8 first rank of its process   +16 process identifier   +24 handle of the world's ring
 *             +32 how many rails   +40 how many nodes the job has, as the rank was told
 *             +48 of rank 0 alone: the links between the nodes ({@link org.tutti.choice.Links})
 *             +56 how many addresses
 *    line 1:  +0 length of the host's name   +8 the name, up to 56 bytes
 *    lines 2 to 5:  of each address, at most 8, rail by rail:
 *             +0 length of the address: 4 or 16   +8 rail · 2^16 + port   +16 the address
 * </pre>
 */
public final class DirectoryLayout {
    /** How many ranks have a record. */
    public static final long KNOWN = 0;
    static final long COMPLETE = 16;
    /** How many other nodes have got the whole directory. */
    public static final long FETCHED = 32;
    static final long NODE = 0;
    static final long FIRST_RANK_OF_PROCESS = 8;
    static final long PROCESS_IDENTIFIER = 16;
    static final long RING = 24;
    static final long RAILS = 32;
    static final long NODES = 40;
    static final long LINKS = 48;
    static final long ADDRESSES = 56;
    static final long HOST = Words.LINE_BYTES;
    static final long HOST_TEXT = HOST + Long.BYTES;
    static final int HOST_TEXT_MAX = 56;
    /** The length of a record. */
    public static final long RECORD_BYTES = 6L * Words.LINE_BYTES;

    private static final long FIRST_ADDRESS = 2L * Words.LINE_BYTES;
    private static final long ADDRESS_BYTES = 32;

    private DirectoryLayout() {}

    /** The length of the directory of a job with so many ranks. */
    public static long bytes(int size) {
        return record(size);
    }

    /** Where the record of a rank begins. */
    public static long record(int rank) {
        return Words.LINE_BYTES + rank * RECORD_BYTES;
    }

    static long addressLength(int rank, int number) {
        return record(rank) + FIRST_ADDRESS + number * ADDRESS_BYTES;
    }

    static long railAndPort(int rank, int number) {
        return addressLength(rank, number) + 8;
    }

    static long address(int rank, int number) {
        return addressLength(rank, number) + 16;
    }
}
