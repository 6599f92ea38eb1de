/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.util.Arrays;
import java.util.StringJoiner;

/** Names ranks in messages. Consecutive ranks are named as a range. */
public final class RankList {
    private RankList() {}

    /**
     * {@return "rank 3" or "ranks 0-2, 4"}
     *
     * @param ranks the ranks, at least one, in any order
     */
    public static String name(int... ranks) {
        return (ranks.length == 1 ? "rank " : "ranks ") + numbers(ranks);
    }

    private static String numbers(int... ranks) {
        int[] sorted = Arrays.stream(ranks).sorted().toArray();
        var text = new StringJoiner(", ");
        for (int from = 0; from < sorted.length;) {
            int to = from;
            while (to + 1 < sorted.length && sorted[to + 1] == sorted[to] + 1) {
                to++;
            }
            text.add(to == from ? String.valueOf(sorted[from]) : sorted[from] + "-" + sorted[to]);
            from = to + 1;
        }
        return text.toString();
    }
}
