/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.choice.Catalogue;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/** A thousand ranks, each a virtual thread, in every collective, and 128 in every algorithm. */
@Tag("thorough")
@Timeout(300)
class ManyRanksTest {
    private static final int COUNT = 3;

    /** Greater than any index, and than any block: what is combined tells who has it from whom, for whom. */
    private static final long BLOCK = 10;
    private static final long RANK = 100_000;

    static Stream<Arguments> algorithms() {
        return Arrays.stream(Collective.values()).flatMap(collective -> Catalogue.of(collective).stream()
                .filter(algorithm -> !algorithm.description().name().equals("blocks")) // which is not asked for by name
                .map(algorithm -> Arguments.of(collective, algorithm.description().name())));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeAThousand(Collective collective) {
        Tutti.runLocal(1_000, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL), job -> check(job.world(), collective));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldBeManyOnANode(Collective collective, String algorithm) {
        Tutti.runLocal(128, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL),
                job -> check(job.world().withAlgorithm(collective, algorithm), collective));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldBeManyOnSeveralNodes(Collective collective, String algorithm) {
        LocalNodes.run(IntStream.range(0, 128).map(rank -> rank / 20).toArray(), Threads.VIRTUAL, 1,
                job -> check(job.world().withAlgorithm(collective, algorithm), collective));
    }

    /** What a rank has for another one. */
    private static long element(long from, long to, int index) {
        return from * RANK + to * BLOCK + index;
    }

    /** The sum of what the first ranks have for one. */
    private static long sum(long ranks, long to, int index) {
        return ranks * (ranks - 1) / 2 * RANK + ranks * (to * BLOCK + index);
    }

    private static long[] block(long from, long to) {
        return IntStream.range(0, COUNT).mapToLong(index -> element(from, to, index)).toArray();
    }

    private static long[] blocks(int from, int size) {
        return IntStream.range(0, size).boxed().flatMapToLong(to -> Arrays.stream(block(from, to))).toArray();
    }

    private static void check(Communicator world, Collective collective) {
        int rank = world.rank();
        int size = world.size();
        int root = size / 3;
        long[] own = block(rank, 0);
        long[] all = blocks(rank, size);
        long[] one = new long[COUNT];
        long[] many = new long[size * COUNT];
        switch (collective) {
            case BARRIER -> world.barrier();
            case BROADCAST -> {
                world.broadcast(own, root);
                assertThat(own).isEqualTo(block(root, 0));
            }
            case REDUCE -> {
                world.reduce(own, one, Reduction.SUM, root);
                assertThat(one).isEqualTo(rank == root ? sums(size, 0) : new long[COUNT]);
            }
            case ALLREDUCE -> {
                world.allreduce(own, one, Reduction.SUM);
                assertThat(one).isEqualTo(sums(size, 0));
            }
            case GATHER -> {
                world.gather(own, many, root);
                assertThat(many).isEqualTo(rank == root ? gathered(size, 0) : new long[size * COUNT]);
            }
            case SCATTER -> {
                world.scatter(all, one, root);
                assertThat(one).isEqualTo(block(root, rank));
            }
            case ALLGATHER -> {
                world.allgather(own, many);
                assertThat(many).isEqualTo(gathered(size, 0));
            }
            case ALL_TO_ALL -> {
                world.allToAll(all, many);
                assertThat(many).isEqualTo(gathered(size, rank));
            }
            case REDUCE_SCATTER -> {
                world.reduceScatter(all, one, Reduction.SUM);
                assertThat(one).isEqualTo(sums(size, rank));
            }
            case SCAN -> {
                world.scan(own, one, Reduction.SUM);
                assertThat(one).isEqualTo(sums(rank + 1, 0));
            }
            case EXCLUSIVE_SCAN -> {
                world.exclusiveScan(own, one, Reduction.SUM);
                assertThat(one).isEqualTo(rank == 0 ? new long[COUNT] : sums(rank, 0));
            }
        }
    }

    private static long[] sums(int ranks, int to) {
        return IntStream.range(0, COUNT).mapToLong(index -> sum(ranks, to, index)).toArray();
    }

    private static long[] gathered(int size, int to) {
        return IntStream.range(0, size).boxed().flatMapToLong(from -> Arrays.stream(block(from, to))).toArray();
    }
}
