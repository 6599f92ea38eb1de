/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;

import org.tutti.Topology;

/**
 * The costs inside groups of a node's ranks, such as the ranks that share a cache or a socket. Between the greatest
 * groups the costs are those of the {@link Model}.
 *
 * @param sizes the number of ranks of a group, for each level from the smallest groups to the greatest
 * @param latencyMicros {@link Model#memoryLatencyMicros()} inside a group, for each level
 * @param crossNanosPerByte {@link Model#crossNanosPerByte()} inside a group, for each level
 * @param queueNanos how long a rank that fetches a word waits for the rank that fetches it before
 */
public record Levels(List<Integer> sizes, List<Double> latencyMicros, List<Double> crossNanosPerByte,
        double queueNanos) {
    /** No levels. */
    public static final Levels NONE = new Levels(List.of(), List.of(), List.of(), 0);

    /**
     * @throws IllegalArgumentException if the levels do not nest, or the lists differ in length
     */
    public Levels {
        new Topology(new int[1], sizes.stream().mapToInt(Integer::intValue).toArray()); // checks that the levels nest
        if (latencyMicros.size() != sizes.size() || crossNanosPerByte.size() != sizes.size()) {
            throw new IllegalArgumentException("there are " + sizes.size() + " levels, " + latencyMicros.size()
                    + " latencies and " + crossNanosPerByte.size()
                    + " costs of crossing; there must be as many of each");
        }
    }

    /** {@return whether there are no levels} */
    public boolean areNone() {
        return sizes.isEmpty();
    }

    /**
     * Finds the level at which two ranks of a node meet.
     *
     * @param place the local rank of one of them
     * @param other the local rank of the other one
     * @return the smallest level at which one group has both, or the number of levels if none has
     */
    int meeting(int place, int other) {
        int level = 0;
        while (level < sizes.size() && place / sizes.get(level) != other / sizes.get(level)) {
            level++;
        }
        return level;
    }
}
