/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

/**
 * A rank, as its recording tells about it.
 *
 * @param rank the rank in the job
 * @param node its node, or −1 if the recording does not tell
 * @param host its host, or an empty text
 * @param process the first rank of its process
 * @param clock the number of its recording, by the clock of which its times are
 * @param begin the time at which it had joined the job, or of its first call
 * @param end the time of the last event of its recording
 * @param omitted the number of calls that the report has left out because there were too many
 */
record RecordedRank(int rank, int node, String host, int process, int clock, long begin, long end, long omitted) {
    /** {@return the same rank with times that differ by a shift} */
    RecordedRank shifted(long nanos) {
        return new RecordedRank(rank, node, host, process, clock, begin + nanos, end + nanos, omitted);
    }
}
