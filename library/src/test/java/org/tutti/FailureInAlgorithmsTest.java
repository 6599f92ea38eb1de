/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.choice.Catalogue;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every algorithm ends at all ranks when one of them fails: between calls, or inside its operator. */
@Timeout(120)
@Tag("sampled")
class FailureInAlgorithmsTest {
    private static final int RANKS = 4;
    private static final int FAULTY = 2;
    private static final int GOOD_CALLS = 3;
    private static final int CALLS_MAX = 40;

    /** Several chunks in every algorithm. */
    private static final int ELEMENTS = 200_000;

    private record Case(Collective collective, String algorithm, boolean manyNodes) {
        void run(Program program) {
            if (manyNodes) {
                LocalNodes.run(new int[]{0, 0, 1, 1}, program);
            } else {
                Tutti.runLocal(RANKS, JobOptions.DEFAULT.withThreads(Threads.PLATFORM), program);
            }
        }
    }

    static Stream<Case> cases() {
        return Rows.sampled(Arrays.stream(Collective.values())
                .flatMap(collective -> Catalogue.of(collective).stream().map(algorithm -> algorithm.description())
                        .flatMap(description -> Stream.of(false, true)
                                .map(manyNodes -> new Case(collective, description.name(), manyNodes)))));
    }

    static Stream<Case> reductions() {
        return cases().filter(
                each -> each.collective == Collective.REDUCE || each.collective == Collective.ALLREDUCE);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void allOthersEndWhenARankFailsBetweenCalls(Case each) {
        Queue<String> ends = new ConcurrentLinkedQueue<>();
        assertThatThrownBy(() -> each.run(job -> {
            Communicator world = job.world().withAlgorithm(each.collective, each.algorithm);
            int[] data = new int[ELEMENTS];
            try {
                for (int i = 0; i < GOOD_CALLS; i++) { // who is late in these may hear of it here
                    call(world, each.collective, data, Reduction.MAX);
                }
                if (job.rank() == FAULTY) {
                    throw new IllegalStateException("fails on purpose");
                }
                for (int i = 0; i < CALLS_MAX; i++) { // who waits for nobody may do some calls more
                    call(world, each.collective, data, Reduction.MAX);
                }
                ends.add("rank " + job.rank() + " made all calls");
            } catch (TuttiException e) {
                ends.add(e.toString());
                throw e;
            }
        }));
        assertThat(ends).hasSize(RANKS - 1).allMatch(end -> end.contains("RankFailedException"));
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void allOthersEndWhenAnOperatorThrowsInTheMiddle(Case each) {
        AtomicInteger heard = new AtomicInteger();
        AtomicInteger combined = new AtomicInteger();
        Reduction faulty = Reduction.ofInts("faulty", true, (left, right) -> {
            if (combined.incrementAndGet() == ELEMENTS) {
                throw new ArithmeticException("cannot combine");
            }
            return left + right;
        });
        assertThatThrownBy(() -> each.run(job -> {
            Communicator world = job.world().withAlgorithm(each.collective, each.algorithm);
            int[] data = new int[ELEMENTS];
            try {
                for (int i = 0; i < CALLS_MAX; i++) {
                    call(world, each.collective, data, faulty);
                }
            } catch (TuttiException | ArithmeticException e) {
                heard.incrementAndGet();
                throw e;
            }
        }));
        assertThat(heard.get()).isEqualTo(RANKS);
    }

    private static void call(Communicator world, Collective collective, int[] data, Reduction reduction) {
        switch (collective) {
            case BARRIER -> world.barrier();
            case BROADCAST -> world.broadcast(data, 0);
            case REDUCE -> world.reduce(data, reduction, 0);
            case ALLREDUCE -> world.allreduce(data, reduction);
            case GATHER -> world.gather(data, new int[data.length * world.size()], 0);
            case SCATTER -> world.scatter(new int[data.length * world.size()], data, 0);
            case ALLGATHER -> world.allgather(data, new int[data.length * world.size()]);
            case ALL_TO_ALL -> world.allToAll(new int[data.length * world.size()]);
            case REDUCE_SCATTER -> world.reduceScatter(new int[data.length * world.size()], data, reduction);
            case SCAN -> world.scan(data, reduction);
            case EXCLUSIVE_SCAN -> world.exclusiveScan(data, reduction);
        }
    }
}
