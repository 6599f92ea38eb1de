/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Algorithms in which several ranks of a node exchange with other nodes. */
class LeadersTest {
    private static final double EXACT = 1e-9;
    private static final int NODES = 4;
    private static final int RANKS = 4;

    /** Only the way over the rail takes time: a microsecond a step. */
    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    /** Recursive doubling of each part: log2(n) steps, in each a message of each leader, and the bytes of one. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldAllreduceInPartsWithAsManyStepsAndBytesAsOneLeader(int leaders) {
        int bytes = 8 << 10;
        Prediction prediction = predict(Collective.ALLREDUCE, leaders, RANKS, bytes);
        assertThat(prediction.micros()).isCloseTo(2, within(EXACT));
        assertThat(prediction.messages()).isEqualTo(2L * NODES * leaders);
        assertThat(prediction.bytesPerRail()).isEqualTo(2L * bytes);
    }

    /** Each leader sends its part of a node's blocks to each other node. */
    @ParameterizedTest
    @CsvSource({"ALLGATHER, 2, 1", "ALLGATHER, 4, 1", "REDUCE_SCATTER, 2, 3", "REDUCE_SCATTER, 4, 3"})
    void shouldExchangePartsOfBlocks(Collective collective, int leaders, int steps) {
        int bytes = 64;
        Prediction prediction = predict(collective, leaders, RANKS, bytes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) NODES * (NODES - 1) * leaders);
        assertThat(prediction.bytesPerRail()).isEqualTo((NODES - 1L) * RANKS * bytes);
    }

    /** No node has more leaders than the smallest has ranks. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 3"})
    void shouldHaveAsManyLeadersAsThereAreRanksOnANode(int ranks, int leaders) {
        assertThat(predict(Collective.ALLREDUCE, 4, ranks, 1200).messages()).isEqualTo(2L * NODES * leaders);
    }

    private static Prediction predict(Collective collective, int leaders, int ranks, int bytes) {
        return Prediction.of(Catalogue.find(collective, "multi-leader@" + leaders), Sweep.even(NODES, ranks), bytes, 0,
                LATENCY);
    }
}
