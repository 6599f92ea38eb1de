/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.memory.Words;

/**
 * What is said when a call's deadline has passed: where the ranks of the node are. The first rank of a node to which
 * that happens asks, before its exception ends the calls of others; these wait until it has its answers.
 */
final class FirstDeadline {
    private static final long PATIENCE_NANOS = 1_000_000_000;
    private static final long LOOK_NANOS = 1_000_000;

    private FirstDeadline() {}

    /** What to add to the message of a rank whose deadline has passed. */
    static String passed(Node node, MemorySegment words, int rank) {
        long untilNanos = System.nanoTime() + PATIENCE_NANOS;
        if (Words.compareAndSet(words, NodeLayout.FIRST_DEADLINE, 0, rank + 1)) {
            try {
                return text(node, look(node, untilNanos));
            } finally {
                Words.store(words, NodeLayout.DEADLINE_ANSWERED, 1);
            }
        }
        while (Words.load(words, NodeLayout.DEADLINE_ANSWERED) == 0 && System.nanoTime() - untilNanos < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return "";
    }

    private static String text(Node node, List<Whereabouts> ranks) {
        return HangReport.lines(ranks).stream().map(line -> "\n  " + line).collect(Collectors.joining())
                + (node.nodes() == 1 ? "" : "\n  the ranks of other nodes were not asked");
    }

    private static List<Whereabouts> look(Node node, long untilNanos) {
        if (node.threads().size() == node.nodeRanks()) {
            return node.threads().look(node);
        }
        Map<Integer, List<Integer>> unheard = IntStream.range(0, node.size()).filter(node::isHere).boxed()
                .collect(Collectors.groupingBy(node::firstRankOfProcess, TreeMap::new, Collectors.toList()));
        List<Whereabouts> all = new ArrayList<>();
        long question = node.inquiry().ask();
        for (boolean late = false; !unheard.isEmpty(); late = System.nanoTime() - untilNanos > 0) {
            boolean last = late;
            unheard.entrySet()
                    .removeIf(process -> hear(node, process.getKey(), process.getValue(), question, last, all));
            LockSupport.parkNanos(unheard.isEmpty() ? 0 : LOOK_NANOS);
        }
        return all;
    }

    /** Takes in what a process has answered; returns whether it need not be waited for any more. */
    private static boolean hear(Node node, int firstRank, List<Integer> ranks, long question, boolean late,
            List<Whereabouts> all) {
        Optional<List<Whereabouts>> answer = node.inquiry().answer(firstRank, question);
        boolean mayAnswer = ranks.stream().anyMatch(rank -> node.state(rank) == NodeLayout.JOINED);
        if (answer.isEmpty() && mayAnswer && !late) {
            return false;
        }
        all.addAll(answer.orElseGet(() -> ranks.stream().map(rank -> unknown(node, rank)).toList()));
        return true;
    }

    private static Whereabouts unknown(Node node, int rank) {
        var state = Whereabouts.State.of(node.state(rank));
        return Whereabouts.unknown(rank, state == Whereabouts.State.JOINED ? Whereabouts.State.SILENT : state);
    }
}
