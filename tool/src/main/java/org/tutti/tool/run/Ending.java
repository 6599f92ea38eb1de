/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import org.tutti.job.RankProcess;
import org.tutti.job.node.RankFailure;

/**
 * The reason why a job did not end well.
 *
 * @param status the exit status of the launcher
 * @param sentence the launcher's report on standard error
 * @param endsJob whether the launcher ends the other ranks too
 * @param cause the kind of the reason
 * @param ranks the ranks that are the reason; empty if no rank is known to be
 */
record Ending(int status, String sentence, boolean endsJob, Cause cause, List<Integer> ranks) {
    private static final int STATUS_FAILED = 1;
    private static final int STATUS_TIMEOUT = 124; // as timeout(1)
    private static final int SIGNAL_BASE = 128;
    private static final int SIGNAL_MAX = 64;
    private static final int NAMED_RANKS_MAX = 8;
    private static final Set<RankFailure.Reason> SAID_BY_ITSELF =
            EnumSet.of(RankFailure.Reason.THREW, RankFailure.Reason.EXITED, RankFailure.Reason.TOLD_TO_END);

    /** The kinds of reasons. */
    enum Cause {
        /** A rank has failed, or has left while another rank still needed it. */
        FAILED,
        /** A rank has aborted the job. */
        ABORTED,
        /** The job has passed its time limit. */
        TIMED_OUT,
        /** Some ranks have not joined in time. */
        NOT_JOINED,
        /** Nodes cannot reach each other. */
        SEPARATED,
        /** The output could not be passed on. */
        OUTPUT_LOST,
        /** A signal has ended the launcher. */
        KILLED,
        /** A rank has waited for long; the job goes on. */
        HANGING;

        /** {@return the word for programs} */
        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** {@return whether the calls of the ranks can tell more about the reason} */
        boolean isOfCalls() {
            return this != NOT_JOINED && this != SEPARATED && this != OUTPUT_LOST;
        }
    }

    /** A process has failed. */
    static Ending of(StartedProcess process, int rank, JobNodes nodes, boolean keepGoing) {
        return of(process, rank, nodes).andThen(keepGoing);
    }

    /** No rank has failed, but a rank could not go on without another one. */
    static Ending missed(StartedProcess process, int rank, int victim, boolean left, boolean keepGoing) {
        return failed(List.of(rank),
                name(process, rank) + (left ? "left the job while rank " + victim + " still needed it"
                        : "closed or broke a communicator that rank " + victim + " still needed"))
                .andThen(keepGoing);
    }

    /** Nodes cannot reach each other. */
    static Ending separated(String clause, boolean keepGoing) {
        return failed(Cause.SEPARATED, List.of(), clause + ": see the network, or --rails").andThen(keepGoing);
    }

    private Ending andThen(boolean keepGoing) {
        return new Ending(status, sentence + (keepGoing ? "; the others go on." : "; the job was ended."), !keepGoing,
                cause, ranks);
    }

    private static Ending of(StartedProcess process, int rank, JobNodes nodes) {
        var ranks = ranks(process, rank).ranks().boxed().toList();
        if (process.lost().isPresent()) {
            return failed(ranks, process.lost().get());
        }
        var who = name(process, rank);
        if (process.isAlive()) {
            return failed(ranks,
                    who + nodes.firstFailure(rank).map(Ending::accusation).orElse("failed, and did not end"));
        }
        int status = process.exitStatus();
        if (status == RankProcess.STATUS_SECONDARY) {
            return failed(List.of(), who + "could not go on because of another rank");
        }
        if (status > SIGNAL_BASE && status <= SIGNAL_BASE + SIGNAL_MAX) {
            return new Ending(status, who + "was killed by signal " + (status - SIGNAL_BASE) + " (exit status " + status
                    + ")", true, Cause.FAILED, ranks);
        }
        if (status == StartedProcess.STATUS_OUT_OF_MEMORY && process.saidOutOfMemory()) {
            return new Ending(status, who + "ran out of memory (exit status " + status
                    + "): give its heap more by -J-Xmx, or its host fewer ranks", true, Cause.FAILED, ranks);
        }
        if (hasSaid(RankFailure.Reason.EXITED, rank, nodes)) {
            return new Ending(status == 0 ? STATUS_FAILED : status,
                    who + "exited with status " + status + " by System.exit, before it left the job", true,
                    Cause.FAILED, ranks);
        }
        if (status != 0) {
            return new Ending(status, who + "exited with status " + status, true, Cause.FAILED, ranks);
        }
        if (process.ranks().ranks().anyMatch(each -> hasSaid(RankFailure.Reason.THREW, each, nodes))) {
            return failed(ranks,
                    who + "closed the job, which threw, as its calls differed from those of others, and ended "
                            + "as if all were well");
        }
        if (process.ranks().ranks().allMatch(nodes::hasJoined)) {
            return failed(ranks, who + "ended without leaving the job (close it: try (var job = Tutti.join()))");
        }
        return failed(ranks, who
                + "ended without joining the job that other ranks have joined (call Tutti.join() on every rank)");
    }

    private static boolean hasSaid(RankFailure.Reason reason, int rank, JobNodes nodes) {
        return nodes.firstFailure(rank).filter(failure -> failure.reason() == reason).isPresent();
    }

    /** {@return the name of a rank, or of its process if the rank is −1} */
    private static String name(StartedProcess process, int rank) {
        var ranks = ranks(process, rank);
        return (ranks.first() == ranks.last() ? "" : "the process of ") + ranks.name() + " (" + process.identity()
                + ") ";
    }

    private static RankRange ranks(StartedProcess process, int rank) {
        return rank < 0 ? process.ranks() : new RankRange(rank, rank);
    }

    private static String accusation(RankFailure failure) {
        return failure.describe("rank " + failure.witness()) + ", and did not end by itself"
                + (SAID_BY_ITSELF.contains(failure.reason()) ? " within " + DurationConverter.text(RootCause.GRACE)
                        + ", as with a slow shutdown hook or on a busy machine" : "");
    }

    private static Ending failed(List<Integer> ranks, String sentence) {
        return failed(Cause.FAILED, ranks, sentence);
    }

    private static Ending failed(Cause cause, List<Integer> ranks, String sentence) {
        return new Ending(STATUS_FAILED, sentence, true, cause, ranks);
    }

    /** A rank has aborted the job. */
    static Ending aborted(int rank, int status) {
        return new Ending(status, "rank " + rank + " aborted the job with status " + status + ".", true,
                Cause.ABORTED, List.of(rank));
    }

    /** The job has taken too long. */
    static Ending timedOut(Duration limit) {
        return new Ending(STATUS_TIMEOUT, "the job did not end within its --timeout of " + DurationConverter.text(limit)
                + "; it was ended.", true, Cause.TIMED_OUT, List.of());
    }

    /** Some ranks have not joined in time. */
    static Ending missing(List<Integer> ranks, Duration limit) {
        var names = ranks.stream().limit(NAMED_RANKS_MAX).map(String::valueOf).collect(Collectors.joining(", "));
        var others = ranks.size() > NAMED_RANKS_MAX ? " and " + (ranks.size() - NAMED_RANKS_MAX) + " more" : "";
        return failed(Cause.NOT_JOINED, ranks, (ranks.size() == 1 ? "rank " : "ranks ") + names + others
                + " did not join the job within the --join-timeout of " + DurationConverter.text(limit)
                + " after the first rank; the job was ended.");
    }

    /** The output could not be passed on. */
    static Ending outputLost(String sentence) {
        return failed(Cause.OUTPUT_LOST, List.of(), sentence);
    }

    /** A signal has ended the launcher. */
    static Ending killed() {
        return failed(Cause.KILLED, List.of(), "a signal ended the launcher, and the launcher ended the job.");
    }

    /** A rank has waited for long. The job goes on. */
    static Ending hanging() {
        return failed(Cause.HANGING, List.of(),
                "a rank has waited for longer than --hang-report says; the job goes on.");
    }
}
