/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import org.tutti.job.node.RankFailure;

import static org.tutti.job.RankProcess.STATUS_SECONDARY;

/**
 * Finds out whether something is wrong with a job, and which failure came first.
 *
 * <p>A failure spreads within microseconds, and processes end in any order, so the first process to end badly need not
 * be the first that failed. The node file remembers the rank that was marked as failed first, by itself or by another
 * rank. Once the process of this rank has ended, the reason is known.
 *
 * <p>A process may report that it failed only because of another one. Such a process is not the first cause, even if it
 * was marked first: the other rank may have left its job while its exception propagated. It counts as the cause only if
 * no other process comes forward in time. That time is longer while the process of a rank that has left still lives,
 * because on a busy machine the way from the exception to the end of the process is long. A process counts as ended
 * when this class has noted its end, not when the end happens, because the notes come in any order.
 *
 * <p>If no process has failed by itself, a rank has left the job, or closed a communicator, while another rank still
 * needed it. A rank that could not go on has named the rank that it missed. Such ranks may form a chain; this class
 * reports the last rank of the chain as the cause. In a job that goes on, this class reports the failures after the
 * first one by one.
 */
final class RootCause {
    /** How long ranks may take to end by themselves once something is wrong. */
    static final Duration GRACE = Duration.ofSeconds(1);

    /** How long the process of a rank that has left may take to say whether it is why others could not go on. */
    static final Duration LEAVING_GRACE = Duration.ofSeconds(5);

    /**
     * How long to wait after a process ended by a signal: the signal may have been sent to all processes, and be about
     * to end the launcher.
     */
    private static final Duration SETTLING = Duration.ofMillis(300);

    private static final List<Integer> STATUSES_SENT_TO_ALL = List.of(128 + 1, 128 + 2, 128 + 15);

    private static final int NOBODY = -1;

    private final JobPlan plan;
    private final List<StartedProcess> processes;
    private final JobNodes nodes;
    private final JobOutput output;
    private final LongSupplier clock;
    private final long startNanos;
    private final Set<StartedProcess> ended = new HashSet<>();
    private final Set<StartedProcess> failed = new LinkedHashSet<>(); // processes that ended badly, in this order
    private final Set<Object> reported = new HashSet<>(); // processes, and the clauses about lost hosts
    private boolean firstReported;
    private int markedRank = NOBODY;
    private long markedNanos;
    private StartedProcess firstEnded;
    private StartedProcess firstSecondary;
    private long secondaryNanos;
    private boolean inTrouble;
    private long troubleNanos;
    private boolean anyJoined;
    private boolean allJoined;
    private long firstJoinNanos;

    /**
     * @param plan the job
     * @param processes its processes by number
     * @param nodes know what the ranks have reported
     * @param output may fail as well
     * @param clock gives nanoseconds, as {@link System#nanoTime()}
     */
    RootCause(JobPlan plan, List<StartedProcess> processes, JobNodes nodes, JobOutput output, LongSupplier clock) {
        this.plan = plan;
        this.processes = processes;
        this.nodes = nodes;
        this.output = output;
        this.clock = clock;
        this.startNanos = clock.getAsLong();
    }

    /** Notes the end of a process. */
    void ended(StartedProcess process) {
        ended.add(process);
        boolean left = process.ranks().ranks().allMatch(rank -> nodes.hasLeft(rank) || !nodes.hasJoined(rank));
        if (process.exitStatus() != 0 || !left) {
            endedBadly(process);
        }
    }

    /** {@return whether something is wrong, even if the reason is not known yet} */
    boolean inTrouble() {
        return inTrouble;
    }

    /** {@return whether a failure is known that {@link #verdict} has yet to name} */
    boolean isUndecided() {
        return inTrouble && !firstReported || plan.keepGoing() && unreported().isPresent();
    }

    /** {@return the time since the ranks could know that something is wrong} */
    Duration sinceTrouble() {
        return Duration.ofNanos(clock.getAsLong() - troubleNanos);
    }

    /** {@return why the job ends, if it ends and the reason is known} */
    Optional<Ending> verdict() {
        var verdict = limitPassed();
        if (verdict.isPresent()) {
            trouble();
            troubleNanos -= GRACE.toNanos(); // the ranks do not know of it, so waiting for their reports is useless
            return verdict;
        }
        noteMark();
        if (isDisputed() || mayStillConfess()) {
            troubleNanos = clock.getAsLong();
        }
        var abort = nodes.abort();
        if (abort.isPresent()) {
            inTrouble &= !firstReported; // the ranks may have been in trouble for long, but did not know of the abort
            trouble();
            return abort;
        }
        if (firstReported) {
            return nextFailure();
        }
        return inTrouble ? firstCause() : Optional.empty();
    }

    /** {@return whether the time limit for the job, or for the joining of its ranks, has passed} */
    boolean isOverdue() {
        return plan.timeout().isPresent() && isPast(startNanos, plan.timeout().get())
                || anyJoined && !allJoined && isPast(firstJoinNanos, plan.joinTimeout());
    }

    private Optional<Ending> limitPassed() {
        var lost = output.failure();
        if (lost.isPresent()) {
            return lost.map(Ending::outputLost);
        }
        var timeout = plan.timeout();
        if (timeout.isPresent() && isPast(startNanos, timeout.get())) {
            return timeout.map(Ending::timedOut);
        }
        var missing = allJoined ? List.<Integer>of() : missingRanks();
        if (!missing.isEmpty() && anyJoined && isPast(firstJoinNanos, plan.joinTimeout())) {
            return Optional.of(Ending.missing(missing, plan.joinTimeout()));
        }
        return Optional.empty();
    }

    private List<Integer> missingRanks() {
        var missing = IntStream.range(0, plan.size()).filter(rank -> !nodes.hasJoined(rank)).boxed().toList();
        allJoined = missing.isEmpty();
        if (!anyJoined && missing.size() < plan.size()) {
            anyJoined = true;
            firstJoinNanos = clock.getAsLong();
        }
        if (anyJoined) { // a process that has ended should have joined before
            processes.stream()
                    .filter(process -> !process.isAlive() && !process.ranks().ranks().allMatch(nodes::hasJoined))
                    .findFirst()
                    .ifPresent(this::endedBadly);
        }
        return missing;
    }

    private void endedBadly(StartedProcess process) {
        if (!failed.add(process)) {
            return;
        }
        noteMark();
        trouble();
        if (isSecondary(process)) {
            if (firstSecondary == null) {
                firstSecondary = process;
                secondaryNanos = clock.getAsLong();
            }
        } else {
            firstEnded = firstEnded == null ? process : firstEnded;
            process.ranks().ranks().forEach(rank -> nodes.markFailed(process.lost().isPresent()
                    ? RankFailure.hostLost(rank) : RankFailure.ended(rank, process.exitStatus())));
        }
    }

    private void noteMark() {
        if (markedRank != NOBODY && !firstReported && nodes.hasLeft(markedRank)) { // known only after the mark
            markedRank = NOBODY;
            inTrouble &= !failed.isEmpty();
        }
        int rank = nodes.firstFailedRank();
        if (rank != NOBODY && markedRank == NOBODY && firstEnded == null) { // later marks may be the launcher's own
            markedRank = rank;
            markedNanos = clock.getAsLong();
            trouble();
        }
    }

    /**
     * Whether other nodes may still contradict the mark. A host that is cut off may notice first and accuse the others;
     * the others get time to notice it too.
     */
    private boolean isDisputed() {
        return markedRank != NOBODY && firstEnded == null && !firstReported
                && processes.get(plan.processOf(markedRank)).isAlive() && nodes.isDisputed(markedRank)
                && !isPast(markedNanos, plan.heartbeat().plus(GRACE));
    }

    /**
     * Whether a rank that has left may still turn out to be the cause. A rank that throws has left before its process
     * ends, if its program closes the job on the way out.
     */
    private boolean mayStillConfess() {
        return firstSecondary != null && firstEnded == null && !firstReported
                && (markedRank == NOBODY || hasEndedSecondary(processes.get(plan.processOf(markedRank))))
                && processes.stream().anyMatch(process -> !ended.contains(process)
                        && process.ranks().ranks().anyMatch(nodes::hasLeft))
                && !isPast(secondaryNanos, LEAVING_GRACE);
    }

    private Optional<Ending> firstCause() {
        boolean late = sinceTrouble().compareTo(GRACE) > 0 || ended.containsAll(processes);
        var marked = markedRank == NOBODY ? null : processes.get(plan.processOf(markedRank));
        if (marked != null && (marked.isAlive() ? late : !isSecondary(marked))) {
            return settled(marked, markedRank);
        }
        if (marked != null && marked.isAlive()) {
            return Optional.empty();
        }
        if (firstEnded != null) {
            return settled(firstEnded, NOBODY);
        }
        return late && firstSecondary != null ? Optional.of(endingOfSecondary()) : Optional.empty();
    }

    /** The ending if no process has failed by itself: the cause is a rank that was missed. */
    private Ending endingOfSecondary() {
        var separation = nodes.separation();
        int victim = separation.isPresent() ? NOBODY : firstSecondary.ranks().ranks()
                .filter(rank -> nodes.missed(rank) != NOBODY).map(this::lastVictim).findFirst().orElse(NOBODY);
        var ending = report(firstSecondary, NOBODY);
        if (victim == NOBODY) {
            return separated(separation).orElse(ending);
        }
        int missed = nodes.missed(victim);
        return Ending.missed(processes.get(plan.processOf(missed)), missed, victim, nodes.hasLeft(missed),
                plan.keepGoing());
    }

    /**
     * Follows the chain of missed ranks, because a missed rank may be a victim too. The result is the last victim: the
     * rank that it missed has itself missed none. The result is NOBODY if that rank has not left and its process has
     * ended badly, or if the chain is a ring.
     */
    private int lastVictim(int first) {
        var seen = new HashSet<Integer>();
        int victim = first;
        while (seen.add(victim)) {
            int missed = nodes.missed(victim);
            if (nodes.missed(missed) == NOBODY) {
                return nodes.hasLeft(missed) || !failed.contains(processes.get(plan.processOf(missed))) ? victim
                        : NOBODY;
            }
            victim = missed;
        }
        return NOBODY;
    }

    private Optional<Ending> separated(Optional<String> separation) {
        return separation.map(clause -> Ending.separated(clause, plan.keepGoing()));
    }

    private Optional<Ending> settled(StartedProcess process, int rank) {
        boolean settling = !process.isAlive() && STATUSES_SENT_TO_ALL.contains(process.exitStatus())
                && sinceTrouble().compareTo(SETTLING) < 0;
        if (settling) {
            return Optional.empty();
        }
        boolean accused = process.isAlive() || isSecondary(process); // by others, not by its own exit status
        var separation = accused ? nodes.separation() : Optional.<String>empty();
        var ending = report(process, rank);
        return Optional.of(separated(separation).orElse(ending));
    }

    private Ending report(StartedProcess process, int rank) {
        firstReported = true;
        reported.add(process);
        process.lost().ifPresent(reported::add);
        return Ending.of(process, rank, nodes, plan.keepGoing());
    }

    /** The next failure in a job that goes on; a lost host is reported once. */
    private Optional<Ending> nextFailure() {
        return unreported().map(process -> report(process, NOBODY));
    }

    private Optional<StartedProcess> unreported() {
        return failed.stream().filter(process -> !reported.contains(process)
                && process.lost().filter(reported::contains).isEmpty()).findFirst();
    }

    private static boolean isSecondary(StartedProcess process) {
        return process.lost().isEmpty() && process.exitStatus() == STATUS_SECONDARY;
    }

    /**
     * Whether a process has ended without being the first cause. It may be marked all the same: of its several ranks,
     * one may have had no part in the failure.
     */
    private static boolean hasEndedSecondary(StartedProcess process) {
        return !process.isAlive() && isSecondary(process);
    }

    private void trouble() {
        if (!inTrouble) {
            inTrouble = true;
            troubleNanos = clock.getAsLong();
        }
    }

    private boolean isPast(long sinceNanos, Duration limit) {
        return clock.getAsLong() - sinceNanos > limit.toNanos();
    }
}
