/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.broadcast.Broadcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every algorithm of the catalogue has a formula. */
class CostsTest {
    private static final long BYTES = 64 << 10;

    static Stream<Algorithm> algorithms() {
        return Stream.concat(Arrays.stream(Collective.values()).map(Catalogue::of).flatMap(List::stream),
                Catalogue.unlisted().stream());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("algorithms")
    void shouldHaveAFormulaForEachAlgorithm(Algorithm algorithm) {
        for (int nodes = 1; nodes <= 9; nodes++) {
            for (int localRanks = nodes == 1 ? 2 : 1; localRanks <= 5; localRanks++) { // a lone rank runs no algorithm
                Cost cost = Costs.of(algorithm, nodes, localRanks, BYTES);
                assertThat(cost.railSteps() > 0).isEqualTo(nodes > 1);
                assertThat(cost.memorySteps() >= 1 || localRanks == 1).isTrue();
                assertThat(cost.memoryBytes()).isNotNegative();
                assertThat(cost.combinedBytes() > 0).isEqualTo(algorithm.collective().combines());
                assertThat(cost.furtherPuts()).isNotNegative();
            }
        }
    }

    /** A broadcast of 1 MiB in one node passes through a window chunk by chunk, each of which is waited for. */
    @Test
    void shouldKnowTheChunkThatIsChosen() {
        for (Algorithm algorithm : Catalogue.of(Collective.BROADCAST)) {
            if (algorithm instanceof Chunked chunked) {
                assertThat(Costs.of(chunked.withChunk(4 << 10), 1, 2, 1 << 20).memorySteps()).isEqualTo(256);
            }
        }
    }

    @Test
    void shouldSayWhichAlgorithmHasNoFormula() {
        assertThatThrownBy(() -> Costs.of(new Unknown(), 1, 2, 8)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no formula of broadcast by unknown in org.tutti.simulator.cost; add one");
    }

    private static final class Unknown extends Broadcast {
        Unknown() {
            super(new Description("unknown", Order.ALWAYS, "", "", "", "", ""));
        }

        @Override
        public void run(Team team, Call call) {
            throw new UnsupportedOperationException("no one calls this");
        }

        @Override
        public long memoryBytes(int nodes, int localRanks, long bytes) {
            return 0;
        }
    }
}
