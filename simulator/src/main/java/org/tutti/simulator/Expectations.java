/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The results that the ranks of a run must have. Results that ranks share, or that build on each other, are computed
 * when the first rank asks for them. They are dropped when every rank has asked, because a run has many calls.
 */
final class Expectations {
    private static final class Results {
        private final MemorySegment[] ofRanks;
        private int given;

        Results(MemorySegment[] ofRanks) {
            this.ofRanks = ofRanks;
        }
    }

    private final Map<Integer, Results> results = new HashMap<>();

    /**
     * Returns the bytes that a rank must hold after a call if it receives. Each rank asks once for each call.
     *
     * @param index the number of the call in the run
     * @param call the call
     * @param rank the rank in the call's communicator
     * @param size the number of ranks of the communicator
     * @return the bytes
     */
    MemorySegment of(int index, PlannedCall call, int rank, int size) {
        Results all = results.computeIfAbsent(index, _ -> new Results(compute(call, rank, size)));
        all.given++;
        if (all.given == size) {
            results.remove(index);
        }
        return all.ofRanks == null ? call.expected(rank, size) : all.ofRanks[rank];
    }

    private static MemorySegment[] compute(PlannedCall call, int rank, int size) {
        return switch (call.collective()) {
            case SCATTER, ALL_TO_ALL, REDUCE_SCATTER -> null; // each rank has a result of its own
            case SCAN, EXCLUSIVE_SCAN -> call.expectedOfScan(size);
            case BARRIER, BROADCAST, GATHER, REDUCE, ALLGATHER, ALLREDUCE -> {
                MemorySegment[] same = new MemorySegment[size];
                Arrays.fill(same, call.expected(rank, size));
                yield same;
            }
        };
    }
}
