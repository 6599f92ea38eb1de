/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.tutti.job.NodeFile;
import org.tutti.job.RankProcess;

/**
 * Why a job ended otherwise than well.
 *
 * @param status what the launcher exits with
 * @param sentence what it says on standard error
 */
record Ending(int status, String sentence) {
    private static final int STATUS_FAILED = 1;
    private static final int STATUS_TIMEOUT = 124; // as timeout(1)
    private static final int SIGNAL_BASE = 128;
    private static final int SIGNAL_MAX = 64;
    private static final int NAMED_RANKS_MAX = 8;

    /** A process was the first cause. */
    static Ending of(StartedProcess process, int rank, NodeFile nodeFile) {
        var ranks = rank < 0 ? process.ranks() : new RankRange(rank, rank);
        var who = (ranks.first() == ranks.last() ? "" : "the process of ") + ranks.name() + " (pid " + process.pid()
                + ") ";
        if (process.isAlive()) {
            return new Ending(STATUS_FAILED, who + "failed and did not end by itself; the job was ended.");
        }
        int status = process.exitStatus();
        if (status == RankProcess.STATUS_SECONDARY) {
            return new Ending(STATUS_FAILED, who + "could not go on because of another rank; the job was ended.");
        }
        if (status > SIGNAL_BASE && status <= SIGNAL_BASE + SIGNAL_MAX) {
            return new Ending(status, who + "was killed by signal " + (status - SIGNAL_BASE) + " (exit status " + status
                    + "); the job was ended.");
        }
        if (status != 0) {
            return new Ending(status, who + "exited with status " + status + "; the job was ended.");
        }
        if (process.ranks().ranks().allMatch(nodeFile::hasJoined)) {
            return new Ending(STATUS_FAILED, who
                    + "ended without leaving the job (close it: try (var job = Tutti.join())); the job was ended.");
        }
        return new Ending(STATUS_FAILED, who
                + "ended without joining the job that other ranks have joined (call Tutti.join() on every rank); "
                + "the job was ended.");
    }

    /** A rank asked for it. */
    static Ending aborted(int rank, int status) {
        return new Ending(status, "rank " + rank + " aborted the job with status " + status + ".");
    }

    /** The job took too long. */
    static Ending timedOut(Duration limit) {
        return new Ending(STATUS_TIMEOUT, "the job did not end within its --timeout of " + DurationConverter.text(limit)
                + "; it was ended.");
    }

    /** Ranks did not show up. */
    static Ending missing(List<Integer> ranks, Duration limit) {
        var names = ranks.stream().limit(NAMED_RANKS_MAX).map(String::valueOf).collect(Collectors.joining(", "));
        var others = ranks.size() > NAMED_RANKS_MAX ? " and " + (ranks.size() - NAMED_RANKS_MAX) + " more" : "";
        return new Ending(STATUS_FAILED, (ranks.size() == 1 ? "rank " : "ranks ") + names + others
                + " did not join the job within the --join-timeout of " + DurationConverter.text(limit)
                + " after the first rank; the job was ended.");
    }

    /** The output could not be passed on. */
    static Ending outputLost(String sentence) {
        return new Ending(STATUS_FAILED, sentence);
    }
}
