/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import org.tutti.Collective;
import org.tutti.collective.calls.CallCounts;
import org.tutti.collective.calls.RankRecord;
import org.tutti.job.diagnosis.RankLocation.State;
import org.tutti.tool.metrics.Figures;

/**
 * Collects the figures of a job from the records of its ranks. The figures of a rank stay as they were last known when
 * its process or its host is gone. One thread uses this object at a time.
 */
final class JobFigures implements Callable<Figures> {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final List<State> STATES =
            List.of(State.ABSENT, State.JOINED, State.LEFT, State.FAILED, State.ENDED);

    private final JobPlan plan;
    private final JobNodes nodes;
    private final List<StartedProcess> processes;
    private final Map<Integer, RankRecord> records = new TreeMap<>(); // by rank

    /**
     * @param plan the job
     * @param nodes have the records
     * @param processes the started processes by number; the list may grow meanwhile
     */
    JobFigures(JobPlan plan, JobNodes nodes, List<StartedProcess> processes) {
        this.plan = plan;
        this.nodes = nodes;
        this.processes = processes;
    }

    @Override
    public Figures call() throws InterruptedException {
        int size = plan.size();
        records.putAll(nodes.records(PATIENCE));
        Map<String, Integer> states = new TreeMap<>();
        STATES.forEach(state -> states.put(word(state), 0));
        for (int rank = 0; rank < size; rank++) {
            states.merge(word(state(rank)), 1, Integer::sum);
        }
        List<Figures.OfRank> ranks = new ArrayList<>();
        long[] waitedFor = new long[size];
        records.forEach((rank, record) -> ranks.add(new Figures.OfRank(rank, calls(record.counts()),
                waits(record.counts(), waitedFor), Math.max(0, record.rails().lost()),
                Math.max(0, record.rails().restored()))));
        return new Figures(plan.job(), states, states.get(word(State.FAILED)), nodes.nodesWithoutRecords(), ranks,
                Arrays.stream(waitedFor).boxed().toList());
    }

    private static String word(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private State state(int rank) {
        int number = plan.processOf(rank);
        if (number < processes.size() && !processes.get(number).isAlive()) {
            return stateAtTheEnd(rank, processes.get(number));
        }
        return nodes.hasLeft(rank) ? State.LEFT
                : nodes.firstFailedRank() == rank ? State.FAILED
                        : nodes.hasJoined(rank) ? State.JOINED : State.ABSENT;
    }

    private State stateAtTheEnd(int rank, StartedProcess process) {
        boolean isWell = process.lost().isEmpty() && process.exitStatus() == 0;
        return nodes.hasLeft(rank) && isWell ? State.LEFT
                : isWell && !nodes.hasJoined(rank) ? State.ENDED : State.FAILED;
    }

    private static Map<Collective, Figures.Calls> calls(CallCounts of) {
        Map<Collective, Figures.Calls> calls = new EnumMap<>(Collective.class);
        for (var collective : Collective.values()) {
            long count = of.calls(collective);
            if (count > 0) {
                calls.put(collective, new Figures.Calls(count, Math.max(0, of.bytes(collective))));
            }
        }
        return calls;
    }

    /** Adds the waits of a rank for each other rank. {@return the sum of the waits} */
    private static long waits(CallCounts of, long[] waitedFor) {
        long sum = 0;
        for (int rank = 0; rank < waitedFor.length; rank++) {
            long nanos = Math.max(0, of.waitedNanos(rank));
            waitedFor[rank] += nanos;
            sum += nanos;
        }
        return sum;
    }
}
