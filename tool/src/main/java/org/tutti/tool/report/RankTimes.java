/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

/**
 * Where the time of a rank went, and how late it came.
 *
 * @param rank the rank
 * @param nanos the time from its join to its end
 * @param calling the time in calls that block, without the time of waiting
 * @param waiting the time of waiting in calls
 * @param joint the number of its calls that wait for all ranks of their communicator and count ({@link Lateness})
 * @param last the number of these calls that the rank was the last to begin, by a time that counts
 * @param lateNanos the median of the times by which it was later than the last but one
 * @param awaitedNanos the sum of the times for which the other ranks waited in these calls until it began
 */
record RankTimes(RecordedRank rank, long nanos, long calling, long waiting, long joint, long last, long lateNanos,
        long awaitedNanos) {
    /** {@return the time outside of calls} */
    long computing() {
        return Math.max(0, nanos - calling - waiting);
    }
}
