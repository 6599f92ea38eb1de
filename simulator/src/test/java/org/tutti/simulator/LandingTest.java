/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.RingLayout;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** Long blocks between nodes of one rank each go from source to target, which no rank copies. */
class LandingTest {
    private static final int LONG_BYTES = 128 << 10;
    private static final int MIDDLE_BYTES = 96 << 10;
    private static final int SHORT_BYTES = 32 << 10;

    /** The salts of calls with equal blocks, and with targets of all kinds. */
    private static final int[] SALTS = new Random(7).ints(12).map(salt -> salt & ~1).toArray();

    private static final int READER = 0;
    private static final int SEED = 5;

    /**
     * The number of blocks that rank 0 copies, whether its target is on the heap or not. With two ranks on a node,
     * nothing lands.
     */
    @ParameterizedTest
    @CsvSource({"GATHER, 4, 1, 1", "GATHER, 2, 2, 4", "SCATTER, 3, 1, 0", "SCATTER, 2, 2, 1", "ALLGATHER, 4, 1, 1",
            "ALLGATHER, 2, 2, 5", "ALL_TO_ALL, 4, 1, 1"})
    void shouldCopyNoBlockThatLands(Collective collective, int nodes, int ranks, int blocks) {
        int onHeap = 0;
        for (int salt : SALTS) {
            onHeap += call(collective, nodes * ranks, LONG_BYTES, salt).kind(READER, true) == MemoryKind.HEAP ? 1 : 0;
            assertThat(copied(call(collective, nodes * ranks, LONG_BYTES, salt), Sweep.even(nodes, ranks)))
                    .isEqualTo(blocks * (long) LONG_BYTES);
        }
        assertThat(onHeap).isBetween(1, SALTS.length - 1);
    }

    @ParameterizedTest
    @CsvSource({"GATHER, 4", "SCATTER, 1", "ALLGATHER, 5"})
    void shouldCopyShortBlocks(Collective collective, int blocks) {
        for (int salt : SALTS) {
            assertThat(copied(call(collective, 4, SHORT_BYTES, salt), Sweep.even(4, 1)))
                    .isEqualTo(blocks * (long) SHORT_BYTES);
        }
    }

    /** Blocks that are not long, and of which a window has no room for all. */
    @Test
    void shouldCopyNoBlockThatIsTooLongForAWindow() {
        for (int salt : SALTS) {
            assertThat(copied(call(Collective.ALL_TO_ALL, 4, MIDDLE_BYTES, salt), Sweep.even(4, 1)))
                    .isEqualTo(MIDDLE_BYTES);
        }
    }

    /** Blocks of which a window has no room for all, and which a pair takes without an invitation. */
    @Test
    void shouldCopyBlocksThatArriveInEagerBuffers() {
        int nodes = 16;
        int bytes = (int) RingLayout.pairLongBytes(nodes) - Words.LINE_BYTES;
        assertThat(copied(call(Collective.ALL_TO_ALL, nodes, bytes, SALTS[0]), Sweep.even(nodes, 1)))
                .isEqualTo(nodes * (long) bytes);
    }

    private static PlannedCall call(Collective collective, int size, int bytes, int salt) {
        Algorithm algorithm = Catalogue.find(collective, "direct");
        int root = collective == Collective.SCATTER ? size - 1 : READER;
        return new PlannedCall(algorithm, CheckedOperation.BYTES, collective.hasRoot() ? root : 0, bytes, false,
                salt);
    }

    /** {@return the number of bytes that rank 0 copies in a call, whose result is checked} */
    private static long copied(PlannedCall call, Topology topology) {
        List<Counting> machines = new ArrayList<>();
        assertThat(Verifier.verify(topology, List.of(call), 1, SEED, (world, thread) -> {
            var machine = new Counting(world, thread);
            machines.add(machine);
            return machine;
        })).isEmpty();
        return machines.get(READER).copied;
    }

    private static final class Counting extends VerifyingMachine {
        private long copied;

        Counting(World world, int thread) {
            super(world, thread);
        }

        @Override
        public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
            super.copy(source, sourceOffset, target, targetOffset, bytes);
            copied += bytes;
        }
    }
}
