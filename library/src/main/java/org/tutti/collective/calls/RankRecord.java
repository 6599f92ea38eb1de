/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The record of a rank in the memory of its node: the last calls, counts of all calls, and counts of the rails of its
 * process. The processes of the node can read the record while the rank runs, and after the process of the rank has
 * ended.
 *
 * <pre>
 *  +0                        the last calls, {@link RecentCalls}
 *  +RecentCalls.BYTES        the counts of rails, {@link RailCounts}
 *    +RailCounts.BYTES       the counts of calls, {@link CallCounts}
 * </pre>
 */
public final class RankRecord {
    private final MemorySegment memory;
    private final RecentCalls recentCalls;
    private final RailCounts rails;
    private final CallCounts counts;

    /**
     * Creates an object that reads or writes the record of a rank.
     *
     * @param memory the memory, of the length {@link #bytes}, aligned to a cache line and at first all zeros
     */
    public RankRecord(MemorySegment memory) {
        this.memory = memory;
        this.recentCalls = new RecentCalls(memory.asSlice(0, RecentCalls.BYTES));
        this.rails = new RailCounts(memory.asSlice(RecentCalls.BYTES, RailCounts.BYTES));
        this.counts = new CallCounts(memory.asSlice(RecentCalls.BYTES + RailCounts.BYTES));
    }

    /**
     * Returns the length of a record.
     *
     * @param size the number of ranks of the job
     * @return the length in bytes
     */
    public static long bytes(int size) {
        return RecentCalls.BYTES + RailCounts.BYTES + CallCounts.bytes(size);
    }

    /**
     * Returns a record that another process has copied.
     *
     * @param copy the result of {@link #copy} on a rank of the same job
     * @param size the number of ranks of the job
     * @return the record, whose values may be any
     * @throws IllegalArgumentException if the copy has another length than a record
     */
    public static RankRecord of(byte[] copy, int size) {
        if (copy.length != bytes(size)) {
            throw new IllegalArgumentException("a record of a job with " + size + " ranks has " + bytes(size)
                    + " bytes, not " + copy.length);
        }
        MemorySegment words = MemorySegment.ofArray(new long[copy.length / Long.BYTES]);
        MemorySegment.copy(copy, 0, words, ValueLayout.JAVA_BYTE, 0, copy.length);
        return new RankRecord(words);
    }

    /** Returns a copy of the record, for {@link #of}. Lines of calls that are being written are zeros in the copy. */
    public byte[] copy() {
        MemorySegment copied = MemorySegment.ofArray(new long[(int) (memory.byteSize() / Long.BYTES)]);
        copied.asSlice(RecentCalls.BYTES).copyFrom(memory.asSlice(RecentCalls.BYTES));
        recentCalls.copyTo(copied);
        return copied.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Prepares the record for calls of several threads at once. No call may begin meanwhile. */
    public void share() {
        recentCalls.share();
        counts.share();
    }

    /** {@return the last calls of the rank} */
    public RecentCalls recentCalls() {
        return recentCalls;
    }

    /** {@return the counts of rails; they are zeros unless the rank is the first one of its process} */
    public RailCounts rails() {
        return rails;
    }

    /** {@return the counts of the rank's calls} */
    public CallCounts counts() {
        return counts;
    }
}
