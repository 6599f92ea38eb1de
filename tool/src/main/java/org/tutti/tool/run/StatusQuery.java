/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.tutti.job.diagnosis.HangReport;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.network.Network;

/**
 * Asks all ranks of a job where they are. Each process answers for its ranks on a thread of its own, so a stuck rank
 * need not do anything. Only a process that stands still does not answer.
 */
final class StatusQuery {
    private static final Duration PATIENCE = Duration.ofMillis(2500);
    private static final long LOOK_MILLIS = 10;
    private static final double MILLIS_A_SECOND = 1000;

    private final JobPlan plan;
    private final JobNodes nodes;
    private final List<StartedProcess> processes;
    private final long startNanos = System.nanoTime();

    /**
     * @param plan the job
     * @param nodes pass questions and answers on
     * @param processes the started processes by number; the list may grow meanwhile
     */
    StatusQuery(JobPlan plan, JobNodes nodes, List<StartedProcess> processes) {
        this.plan = plan;
        this.nodes = nodes;
        this.processes = processes;
    }

    /**
     * {@return where each rank is, in no particular order; this method waits only a short time for processes that do
     * not answer}
     */
    List<RankLocation> call() throws InterruptedException {
        return call(PATIENCE);
    }

    /**
     * {@return where each rank is, in no particular order; this method waits this long for processes that do not
     * answer}
     */
    synchronized List<RankLocation> call(Duration patience) throws InterruptedException {
        nodes.ask();
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        List<RankLocation> all = new ArrayList<>();
        Set<Integer> heard = new HashSet<>();
        while (true) {
            boolean late = System.nanoTime() - deadlineNanos > 0;
            for (int number = 0; number < plan.processes(); number++) {
                if (!heard.contains(number) && hear(number, late, all)) {
                    heard.add(number);
                }
            }
            if (heard.size() == plan.processes()) {
                return all;
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Adds what is known about a process's ranks. {@return false if its answer is still to be waited for} */
    private boolean hear(int number, boolean late, List<RankLocation> all) {
        boolean started = number < processes.size();
        boolean lives = started && processes.get(number).isAlive();
        var answer = lives ? nodes.answer(number) : Optional.<List<RankLocation>>empty();
        if (answer.isEmpty() && lives && !late) {
            return false;
        }
        plan.ranksOf(number).ranks().forEach(rank -> all.add(answer.stream().flatMap(List::stream)
                .filter(each -> each.rank() == rank).findFirst()
                .orElseGet(() -> RankLocation.unknown(rank, state(rank, started, lives)))));
        return true;
    }

    private RankLocation.State state(int rank, boolean started, boolean lives) {
        return started && !lives ? RankLocation.State.ENDED
                : started && nodes.hasJoined(rank) ? RankLocation.State.SILENT : RankLocation.State.ABSENT;
    }

    /** {@return the status of the job, after asking all ranks} */
    JobStatus status() throws InterruptedException {
        var locations = call();
        var ranks = locations.stream().sorted(Comparator.comparingInt(RankLocation::rank)).map(this::status).toList();
        return new JobStatus(plan.job(), JobStatus.RUNNING, elapsedMillis() / MILLIS_A_SECOND, plan.size(),
                plan.placement().nodes(), ranks, report(locations), null);
    }

    private RankStatus status(RankLocation location) {
        int node = plan.placement().nodeOfRank(location.rank());
        int process = plan.processOf(location.rank());
        return RankStatus.of(location, node, plan.hosts().map(all -> all.name(node)).orElseGet(Network::hostName),
                process < processes.size() ? processes.get(process) : null);
    }

    private long elapsedMillis() {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }

    /** {@return the lines of a report about all ranks, after asking them} */
    List<String> report() throws InterruptedException {
        return report(call());
    }

    /** {@return the lines of a report about ranks that have been asked} */
    List<String> report(List<RankLocation> ranks) {
        List<String> lines = new ArrayList<>();
        lines.add("job " + plan.job() + ", " + HangReport.duration(elapsedMillis())
                + " after its start:");
        HangReport.lines(ranks).forEach(line -> lines.add("  " + line));
        return lines;
    }
}
