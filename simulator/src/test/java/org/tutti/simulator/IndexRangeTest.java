/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.simulator.Trace.Kind;
import org.tutti.simulator.Trace.Step;

import static org.assertj.core.api.Assertions.assertThat;

/** On one node an allgather is the second half of an allreduce by index range. */
class IndexRangeTest {
    private static final long BLOCK_BYTES = 4096;

    private static final Model LATENCY =
            new Model("test", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8})
    void shouldCopyInOnceAndOutOnce(int ranks) {
        Trace allgather = trace(Collective.ALLGATHER, "direct", ranks, BLOCK_BYTES);
        Trace allreduce = trace(Collective.ALLREDUCE, "index-range", ranks, ranks * BLOCK_BYTES);
        for (int rank = 0; rank < ranks; rank++) {
            List<Long> copies = copiesAfterCombining(allgather, rank);
            assertThat(copies).isEqualTo(Collections.nCopies(ranks + 1, BLOCK_BYTES)); // in, to its target, and out
            assertThat(copiesAfterCombining(allreduce, rank)).isEqualTo(copies.subList(1, copies.size())); // no target
        }
    }

    private static Trace trace(Collective collective, String name, int ranks, long bytes) {
        Topology topology = Sweep.even(1, ranks);
        return Prediction.of(Catalogue.find(collective, name), topology, bytes, 0, LATENCY).trace();
    }

    private static List<Long> copiesAfterCombining(Trace trace, int rank) {
        List<Long> copies = new ArrayList<>();
        for (int index = 0; index < trace.size(); index++) {
            Step step = trace.step(index);
            if (step.rank() == rank && step.kind() == Kind.COMBINE) {
                copies.clear();
            } else if (step.rank() == rank && step.kind() == Kind.COPY) {
                copies.add(step.bytes());
            }
        }
        return copies;
    }
}
