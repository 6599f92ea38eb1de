/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Communicator;
import org.tutti.Reduction;
import org.tutti.Rows;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs of several nodes, each with a memory of its own and the real fabric between them. */
@Timeout(300)
class NodesTest {
    private static final int[] COUNTS = {1, 5, 6, 7, 1000, 4096, 8191, 20_000, 100_000};

    private static int[] nodeOfRank(String shape) {
        return Arrays.stream(shape.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    static Stream<String> shapes() {
        return Rows
                .sampled(Stream.of("0,0,0,1,2,2,3,4", "0", "0,1", "0,0,1", "0,1,1", "0,1,0,1", "0,0,1,1,2", "0,1,2,3"));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("shapes")
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
                assertThat(values).isEqualTo(LongStream.range(0, count).map(i -> i * 7L + seed).toArray());
                Arrays.setAll(values, i -> (world.rank() + 1L) * (i + seed));
                world.reduce(values, Reduction.SUM, root);
                long factor = world.rank() == root ? (long) size * (size + 1) / 2 : world.rank() + 1;
                assertThat(values).isEqualTo(LongStream.range(0, count).map(i -> factor * (i + seed)).toArray());
                Arrays.setAll(values, i -> (world.rank() + 1L) * (i + seed));
                world.allreduce(values, Reduction.SUM);
                long all = (long) size * (size + 1) / 2;
                assertThat(values).isEqualTo(LongStream.range(0, count).map(i -> all * (i + seed)).toArray());
                world.barrier();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,1", "0,0,1,1", "0,1,2", "0,1,1,2,3", "0,1,2,3,4,5,5,6,7"})
    void shouldLetNobodyOutOfABarrierBeforeAllAreIn(String shape) {
        AtomicInteger arrived = new AtomicInteger();
        LocalNodes.run(nodeOfRank(shape), job -> {
            int size = job.world().size();
            for (int round = 1; round <= 300; round++) {
                arrived.incrementAndGet();
                job.world().barrier();
                assertThat(arrived.get()).isBetween(round * size, (round + 1) * size);
            }
        });
    }

    /** Rooted operations run ahead by as many operations as there are slots, and no further. */
    @ParameterizedTest
    @ValueSource(strings = {"0,1", "0,0,1,1", "0,1,1,2"})
    void shouldKeepOperationsApartThatAreInFlightTogether(String shape) {
        LocalNodes.run(nodeOfRank(shape), job -> {
            Communicator world = job.world();
            Random random = new Random(world.rank());
            for (int i = 0; i < 2000; i++) {
                if (random.nextInt(200) == 0) {
                    Thread.sleep(1); // so that each of them is the late one at times
                }
                int count = i % 50 == 0 ? 9000 : 1 + i % 13;
                int root = i / 40 % world.size();
                long[] values = new long[count];
                if (i % 3 == 0) {
                    Arrays.fill(values, world.rank() + i);
                    world.reduce(values, Reduction.SUM, root);
                    if (world.rank() == root) {
                        int size = world.size();
                        long sum = (long) size * (size - 1) / 2 + (long) size * i;
                        assertThat(values[0]).isEqualTo(sum);
                        assertThat(values[count - 1]).isEqualTo(sum);
                    }
                } else {
                    Arrays.fill(values, world.rank() == root ? i : -1);
                    world.broadcast(values, root);
                    assertThat(values[0]).isEqualTo(i);
                    assertThat(values[count - 1]).isEqualTo(i);
                }
            }
        });
    }

    /** A rank that is late by a whole ring of operations must not take a later signal for an earlier one. */
    @ParameterizedTest
    @ValueSource(strings = {"0,1", "0,1,2", "0,1,1"})
    void shouldNotSignalIntoASlotThatIsStillInUse(String shape) {
        LocalNodes.run(nodeOfRank(shape), job -> {
            Communicator world = job.world();
            for (int round = 0; round < 5; round++) {
                if (world.rank() == 1) {
                    Thread.sleep(50);
                }
                for (int i = 0; i < 16 + round; i++) {
                    int[] one = {1};
                    world.reduce(one, Reduction.SUM, 1);
                    if (world.rank() == 1) {
                        assertThat(one[0]).isEqualTo(world.size());
                    }
                }
                world.barrier();
            }
        });
    }
}
