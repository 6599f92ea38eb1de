/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import org.tutti.memory.Words;

/**
 * The layout of the directory, a block of each node's memory. The directory has a record for each rank of a job on
 * several nodes, with the rank's node, process and addresses. On each node the process of the lowest rank puts the
 * records of the node's ranks into the directory of rank 0's node. When that directory has the records of all ranks,
 * the process gets a copy of it.
 *
 * <pre>
 *  line 0:  +0 known: ranks that have a record here (many add)   +16 complete: 1 when all records are here
 *           +32 fetched: other nodes that have got the whole directory from here (many add)
 *  then 6 lines for each rank:
 *    line 0:  +0 node   +8 first rank of its process   +16 process identifier   +24 handle of the world's ring
 *             +32 number of rails   +40 number of nodes of the job, from the rank's environment
 *             +48 for rank 0 only: the links between the nodes ({@link org.tutti.choice.Links})
 *             +56 number of addresses
 *    line 1:  +0 length of the host's name   +8 the name, up to 56 bytes
 *    lines 2 to 5:  for each address, at most 8, rail by rail:
 *             +0 length of the address: 4 or 16   +8 rail · 2^16 + port   +16 the address
 * </pre>
 */
public final class DirectoryLayout {
    /** The number of ranks that have a record. */
    public static final long KNOWN = 0;
    static final long COMPLETE = 16;
    /** The number of other nodes that have got the whole directory. */
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
    /** The length of a record, in bytes. */
    public static final long RECORD_BYTES = 6L * Words.LINE_BYTES;

    private static final long FIRST_ADDRESS = 2L * Words.LINE_BYTES;
    private static final long ADDRESS_BYTES = 32;

    private DirectoryLayout() {}

    /** Returns the length in bytes of the directory of a job with the given number of ranks. */
    public static long bytes(int size) {
        return record(size);
    }

    /** Returns the offset of a rank's record in the directory, in bytes. */
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
