/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import org.tutti.memory.Words;

/**
 * What the ranks of a node know of each other: the first block of the node's memory.
 *
 * <pre>
 *  line 0:  +0 size: ranks of the job      +8 address of the world's ring   +16 1 if a launcher watches over the job
 *  line 1:  +0 changes: counts failures, leavings and the abort (many add)
 *  line 2:  +0 abort: 0, or (status + 1)·2³² + rank           (set once)
 *           +8 first failure: 0, or rank + 1                  (set once)
 *  line 3 + r:  of rank r
 *           +0 state (only grows): 0 absent, 1 joined, 2 left, 3 failed
 *           +8 first rank of its process: by that number its lock is found
 *           +16 process identifier
 * </pre>
 */
final class NodeLayout {
    static final long SIZE = 0;
    static final long RING = 8;
    static final long LAUNCHER = 16;
    static final long CHANGES = Words.LINE_BYTES;
    static final long ABORT = 2L * Words.LINE_BYTES;
    static final long FIRST_FAILURE = ABORT + Long.BYTES;

    static final long ABSENT = 0;
    static final long JOINED = 1;
    static final long LEFT = 2;
    static final long FAILED = 3;

    private static final long RANKS = 3L * Words.LINE_BYTES;

    private NodeLayout() {}

    static long bytes(int size) {
        return state(size);
    }

    static long state(int rank) {
        return RANKS + (long) rank * Words.LINE_BYTES;
    }

    static long firstRankOfProcess(int rank) {
        return state(rank) + 8;
    }

    static long processIdentifier(int rank) {
        return state(rank) + 16;
    }
}
