/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.reducescatter.PairwiseReduceScatter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** The purpose of reduce-scatter by pairwise exchange: one message at a time, and little memory. */
class PairwiseTest {
    private static final double EXACT = 1e-9;
    private static final int RANKS = 2;
    private static final int BLOCK_BYTES = 8;
    private static final int LONG_BLOCK_BYTES = 20_000; // those of two ranks have no room in a pair
    private static final int CALLS = 10;

    /** A byte takes 1/16 µs on the rail, so a message of two blocks one; to arrive it takes one more. */
    private static final Model RAIL =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1000.0 / 16, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 9})
    void shouldSendAMessageWhenTheOneBeforeHasBeenCombined(int nodes) {
        Prediction prediction =
                Prediction.of(new PairwiseReduceScatter(), Sweep.even(nodes, RANKS), BLOCK_BYTES, 0, RAIL);
        assertThat(prediction.micros()).isCloseTo(2 * (nodes - 1), within(EXACT));
        assertThat(prediction.messages()).isEqualTo(nodes * (nodes - 1L));
        assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1L) * RANKS * BLOCK_BYTES);
    }

    /** Whatever the number of nodes. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 9})
    void shouldHaveTwoLongMessagesInAWindowAtMost(int nodes) {
        Topology topology = Sweep.even(nodes, RANKS);
        for (long seed = 0; seed < 3; seed++) {
            assertThat(Verifier.verify(topology, calls(new InTwoPlaces()), 1, seed)).isEmpty();
        }
    }

    @Test
    void shouldNoticeMemoryThatIsNotStated() {
        assertThat(Verifier.verify(Sweep.even(3, RANKS), calls(new InTwoPlaces(1)), 1, 0)).get()
                .extracting(SimulationFailure::getMessage).asString().contains("more than the bound");
    }

    private static List<PlannedCall> calls(Algorithm algorithm) {
        List<PlannedCall> calls = new ArrayList<>();
        for (int salt = 0; salt < CALLS; salt++) {
            calls.add(new PlannedCall(algorithm, CheckedOperation.SUM, 0, LONG_BLOCK_BYTES, salt % 3 == 0, salt));
        }
        return calls;
    }

    /** Pairwise exchange that states no more memory than long messages need, which are one operation each. */
    private static final class InTwoPlaces extends Algorithm {
        private final int places;

        InTwoPlaces() {
            this(2);
        }

        InTwoPlaces(int places) {
            super(Collective.REDUCE_SCATTER, new Description("pairwise", Order.ONE_NODE, "", "", "", "", ""));
            this.places = places;
        }

        @Override
        protected boolean usesPairs() {
            return true;
        }

        @Override
        public void run(Team team, Call call) {
            new PairwiseReduceScatter().run(team, call);
        }

        @Override
        public long memoryBytes(int nodes, int localRanks, long bytes) {
            return ((long) nodes * localRanks + places) * localRanks * bytes;
        }
    }
}
