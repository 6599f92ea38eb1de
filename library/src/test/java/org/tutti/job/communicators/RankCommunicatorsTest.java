/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Communicator;
import org.tutti.CommunicatorBrokenException;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The numbers of groups. */
class RankCommunicatorsTest {
    private static final int OPERATIONS = 300;
    private static final int COLORS = 3_000;

    @Test
    void shouldNumberGroupsOfAllOperationsAndColorsDifferently() {
        Set<Long> numbers = new HashSet<>();
        for (int operation = 0; operation < OPERATIONS; operation++) {
            for (int color = -1; color < COLORS; color++) {
                numbers.add(Fingerprint.mix(0, Fingerprint.mix(operation, color)));
            }
        }
        assertThat(numbers).hasSize(OPERATIONS * (COLORS + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 1", "0 0 1"})
    void shouldGiveTheBlockBackWhenOthersCannotReachIt(String placement) {
        int[] nodeOfRank = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
        int[] all = IntStream.range(0, nodeOfRank.length).toArray();
        var claimed = new AtomicLong();
        LocalNodes.runOn(nodeOfRank, () -> new CountedMemory(claimed), nodes -> job -> {
            Communicator world = job.world();
            claimBlocks(world);
            long before = 0;
            long after = 0;
            for (long time = 1; time <= 8; time++) {
                Communicator parent = world.duplicate();
                if (world.rank() == 0) {
                    nodes.takeRingHandle(0, Fingerprint.mix(((LiveCommunicator) parent).number(),
                            Fingerprint.mix(list(all), 1)));
                }
                assertThat(catchThrowable(() -> parent.create(all))).isInstanceOfAny(IllegalStateException.class,
                        CommunicatorBrokenException.class);
                parent.close();
                world.barrier();
                try (var _ = world.duplicate()) { // gives back the blocks that other ranks closed later than this one
                    world.barrier();
                    after = claimed.get();
                    world.barrier();
                }
                if (time == 4) {
                    before = after;
                }
            }
            assertThat(after - before).as("four rounds keep only lines of the regions")
                    .isLessThan(1 << 10);
        });
    }

    /** Claims more blocks than a round uses at once, so that the order in which ranks close changes no count. */
    private static void claimBlocks(Communicator world) {
        List<Communicator> spare = IntStream.range(0, 5).mapToObj(_ -> world.duplicate()).toList();
        spare.forEach(Communicator::close);
        world.barrier();
    }

    private static long list(int[] ranks) {
        long list = ranks.length;
        for (int each : ranks) {
            list = Fingerprint.mix(list, each);
        }
        return list;
    }
}
