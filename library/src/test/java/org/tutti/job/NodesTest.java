/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.Arrays;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Communicator;
import org.tutti.Reduction;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs of several nodes, each with a memory of its own and the real fabric between them. */
@Timeout(60)
class NodesTest {
    private static final int[] COUNTS = {1, 5, 6, 7, 1000, 4096, 8191, 20_000, 100_000};

    private static int[] nodeOfRank(String shape) {
        return Arrays.stream(shape.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0,1", "0,0,1", "0,1,1", "0,0,1,1,2", "0,1,2,3", "0,1,0,1", "0,0,0,1,2,2,3,4"})
    void shouldComputeOnAnyShape(String shape) {
        LocalNodes.run(nodeOfRank(shape), job -> {
            Communicator world = job.world();
            int size = world.size();
            for (int round = 0; round < 60; round++) {
                int count = COUNTS[round % COUNTS.length];
                int root = round % size;
                int seed = round;
                long[] values = new long[count];
                Arrays.setAll(values, i -> world.rank() == root ? i * 7L + seed : -1);
                world.broadcast(values, root);
                for (int i = 0; i < count; i++) {
                    assertThat(values[i]).isEqualTo(i * 7L + seed);
                }
                Arrays.setAll(values, i -> (world.rank() + 1L) * (i + seed));
                world.reduce(values, Reduction.SUM, root);
                for (int i = 0; i < count; i++) {
                    long factor = world.rank() == root ? (long) size * (size + 1) / 2 : world.rank() + 1;
                    assertThat(values[i]).isEqualTo(factor * (i + seed));
                }
                Arrays.setAll(values, i -> (world.rank() + 1L) * (i + seed));
                world.allreduce(values, Reduction.SUM);
                for (int i = 0; i < count; i++) {
                    assertThat(values[i]).isEqualTo((long) size * (size + 1) / 2 * (i + seed));
                }
                world.barrier();
            }
        });
    }
}
