/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.memory.WaitClock;

/**
 * Finds out in which calls and at which lines the ranks of a node are when a call's deadline has passed. The first rank
 * of the node to pass a deadline asks the others. Its exception would end their calls, so they must answer before it
 * throws. Ranks that pass a deadline later wait until the first rank has its answers.
 */
public final class FirstDeadline {
    private static final long PATIENCE_NANOS = 1_000_000_000;
    private static final long LOOK_NANOS = 1_000_000;

    private final Node node;
    private final RankThreads threads;
    private final WaitClock clock;

    /**
     * Creates the report for the ranks of a process.
     *
     * @param node the state that the ranks of the node share
     * @param threads the threads of the ranks of this process
     */
    public FirstDeadline(Node node, RankThreads threads) {
        this(node, threads, WaitClock.SYSTEM);
    }

    FirstDeadline(Node node, RankThreads threads, WaitClock clock) {
        this.node = node;
        this.threads = threads;
        this.clock = clock;
    }

    /**
     * Returns lines for the message of a rank after a call of the rank has passed its deadline. If the rank is the
     * first one on the node, the lines tell where the ranks of the node are. Otherwise this method waits until the
     * first rank has its answers, and returns an empty text. It waits because this rank's exception would also end the
     * calls of all ranks.
     */
    public String passed(int rank) {
        long untilNanos = clock.nanos() + PATIENCE_NANOS;
        if (node.beginFirstDeadline(rank)) {
            try {
                return text(look(untilNanos));
            } finally {
                node.endFirstDeadline();
            }
        }
        while (!node.hasFirstDeadlineEnded() && clock.nanos() - untilNanos < 0) {
            clock.park(LOOK_NANOS);
        }
        return "";
    }

    private String text(List<RankLocation> ranks) {
        return HangReport.lines(ranks).stream().map(line -> "\n  " + line).collect(Collectors.joining())
                + (node.nodes() == 1 ? "" : "\n  the ranks of other nodes were not asked");
    }

    private List<RankLocation> look(long untilNanos) {
        if (threads.size() == node.nodeRanks()) {
            return threads.look();
        }
        Map<Integer, List<Integer>> unheard = IntStream.range(0, node.size()).filter(node::isHere).boxed()
                .collect(Collectors.groupingBy(node::firstRankOfProcess, TreeMap::new, Collectors.toList()));
        List<RankLocation> all = new ArrayList<>();
        long question = node.stackQuery().ask();
        for (boolean late = false; !unheard.isEmpty(); late = clock.nanos() - untilNanos > 0) {
            boolean last = late;
            unheard.entrySet()
                    .removeIf(process -> hear(process.getKey(), process.getValue(), question, last, all));
            clock.park(unheard.isEmpty() ? 0 : LOOK_NANOS);
        }
        return all;
    }

    /**
     * Adds the locations of a process's ranks to the list {@code all}. They are unknown if the process can no longer
     * answer, or if it is too late to wait. Returns false, and adds nothing, if the process may still answer.
     */
    private boolean hear(int firstRank, List<Integer> ranks, long question, boolean late, List<RankLocation> all) {
        Optional<List<RankLocation>> answer = node.stackQuery().answer(firstRank, question).map(RankLocation::parse);
        boolean mayAnswer = ranks.stream().anyMatch(rank -> node.state(rank) == NodeLayout.JOINED);
        if (answer.isEmpty() && mayAnswer && !late) {
            return false;
        }
        all.addAll(answer.orElseGet(() -> ranks.stream().map(rank -> unknown(rank)).toList()));
        return true;
    }

    private RankLocation unknown(int rank) {
        var state = RankLocation.State.of(node.state(rank));
        return RankLocation.unknown(rank, state == RankLocation.State.JOINED ? RankLocation.State.SILENT : state);
    }
}
