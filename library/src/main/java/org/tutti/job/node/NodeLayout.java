/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import org.tutti.collective.calls.RankRecord;
import org.tutti.memory.Words;

/**
 * The layout of the first block of a node's memory, which holds the state of the job and of its ranks. The block
 * consists of lines of 64 bytes, with one line for every rank of the job. The states of ranks on other nodes arrive as
 * news from those nodes.
 *
 * <pre>
 *  line 0:  +0 size: ranks of the job      +8 address of the world's ring   +16 1 if a launcher watches over the job
 *           +24 number of this node        +32 nodes of the job             +40 ranks of this node
 *           +48 address of the directory, 0 with one node             +56 address of the futexes
 *  line 1:  +0 changes: counts failures, leavings and the abort (many add)
 *           +8 asked: counts the questions where the ranks are (many add)
 *           +16 address of the doors, at which ranks find the channels of messages
 *           +24 address of a table with a word for every rank of the job: the address of the record of a rank that has
 *           joined on this node, 0 for other ranks ({@link RankRecord})
 *  line 2:  +0 abort: 0, or (status + 1)·2³² + rank           (set once)
 *           +8 first failure: 0, or rank + 1                  (set once)
 *           +16 first deadline: 0, or 1 + the rank that asks where the ranks are, because its deadline has passed
 *           (set once)
 *           +24 1 when that rank has its answers
 *  line 3:  +0 rendezvous: 0, or the length of its text       (set once)
 *           +8 the text, "address:port|address:port" in ASCII, up to the end of line 10; with
 *           several rails one such text for each, separated by commas
 *  line 11: +0 the job's secret, 32 bytes; zeros with one node
 *  line 12 + r:  of rank r
 *           +0 state: 0 absent, 1 joined, 2 left, 3 failed, with reason and witness ({@link RankFailure}); once
 *           the rank has left or failed, the state changes only if this node sees a failure itself that it had
 *           only heard of
 *           +8 first rank of its process, which is also the number of the process's lock
 *           +16 process identifier
 *           +24 beat: grows while the process lives and runs (of this node's ranks only)
 *           +32 1 if the process is known to have ended, whatever the state (the same)
 *           +40 missed: 0, or 1 + another rank without which this one could not go on; the other rank has not
 *           failed, but has left, or has closed or broken a communicator (the same)
 *           for the first rank of a process of this node, the words of {@link StackQuery}:
 *           +48 answered: the question that the process has answered last
 *           +56 address of the answer, 0 before the first
 * </pre>
 */
public final class NodeLayout {
    static final long SIZE = 0;
    static final long RING = 8;
    static final long LAUNCHER = 16;
    static final long NODE = 24;
    static final long NODES = 32;
    static final long NODE_RANKS = 40;
    static final long DIRECTORY = 48;
    static final long FUTEXES = 56;
    static final long CHANGES = Words.LINE_BYTES;
    static final long ASKED = CHANGES + Long.BYTES;
    static final long DOORS = ASKED + Long.BYTES;
    static final long RECORDS = DOORS + Long.BYTES;
    static final long ABORT = 2L * Words.LINE_BYTES;
    static final long FIRST_FAILURE = ABORT + Long.BYTES;
    static final long FIRST_DEADLINE = FIRST_FAILURE + Long.BYTES;
    static final long DEADLINE_ANSWERED = FIRST_DEADLINE + Long.BYTES;
    static final long RENDEZVOUS = 3L * Words.LINE_BYTES;
    static final long RENDEZVOUS_TEXT = RENDEZVOUS + Long.BYTES;
    static final int RENDEZVOUS_TEXT_MAX = 8 * Words.LINE_BYTES - Long.BYTES;
    static final long SECRET = 11L * Words.LINE_BYTES;

    /** The state of a rank that has not joined. */
    public static final long ABSENT = 0;
    /** The state of a rank that takes part in the job. */
    public static final long JOINED = 1;
    /** The state of a rank that has left the job without a failure. */
    public static final long LEFT = 2;
    /** The state of a rank that has failed. */
    public static final long FAILED = 3;

    /** The part of a rank's word that is its state. */
    public static final long STATE_MASK = 0xff;

    private static final long RANKS = 12L * Words.LINE_BYTES;

    private NodeLayout() {}

    /** Returns the length in bytes of the block in a job with the given number of ranks. */
    public static long bytes(int size) {
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

    static long beat(int rank) {
        return state(rank) + 24;
    }

    static long ended(int rank) {
        return state(rank) + 32;
    }

    static long missed(int rank) {
        return state(rank) + 40;
    }

    static long answered(int firstRankOfProcess) {
        return state(firstRankOfProcess) + 48;
    }

    static long answer(int firstRankOfProcess) {
        return state(firstRankOfProcess) + 56;
    }
}
