/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Histories of groups by seed. Groups are made of each other, used and closed, until a rank fails. Then the groups
 * without that rank go on, and the others name the rank that they have lost. {@code -Dhistory.seed=…} repeats one
 * history, {@code -Dhistory.runs=…} runs more of them.
 */
@Tag("sampled")
@Timeout(600)
class GroupHistoryTest {
    private static final Long SEED = Long.getLong("history.seed");
    private static final long FIRST = SEED != null ? SEED : Long.getLong("history.first", 1);
    private static final long RUNS = SEED != null ? 1 : 5 * Long.getLong("history.runs", 1);
    private static final int STEPS = 60;
    private static final int OPEN_MAX = 6;
    private static final int[] LENGTHS = {1, 6, 7, 14, 15, 1_000, 9_000, 40_000};

    private enum Kind {
        MAKE, CALL, CLOSE
    }

    /**
     * A step of the members of a group. A group is made of ranks of its parent; the list has their ranks in the job.
     */
    private record Step(Kind kind, int group, int parent, List<Integer> ranks, int length, int root) {}

    private static List<Step> history(int size, long seed) {
        var random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        Map<Integer, List<Integer>> open = new HashMap<>();
        open.put(0, IntStream.range(0, size).boxed().toList());
        while (steps.size() < STEPS) {
            List<Integer> numbers = new ArrayList<>(open.keySet());
            int on = numbers.get(random.nextInt(numbers.size()));
            List<Integer> ranks = new ArrayList<>(open.get(on));
            int chance = random.nextInt(10);
            if (chance < 3 && open.size() < OPEN_MAX) {
                Collections.shuffle(ranks, random);
                List<Integer> members = List.copyOf(ranks.subList(0, 1 + random.nextInt(ranks.size())));
                int made = steps.size() + 1;
                steps.add(new Step(Kind.MAKE, made, on, members, 0, 0));
                open.put(made, members);
            } else if (chance < 5 && on != 0) {
                steps.add(new Step(Kind.CLOSE, on, 0, ranks, 0, 0));
                open.remove(on);
            } else {
                steps.add(new Step(Kind.CALL, on, 0, ranks, LENGTHS[random.nextInt(LENGTHS.length)],
                        random.nextInt(ranks.size())));
            }
        }
        return steps;
    }

    /** AssertJ would take longer than the calls. */
    private static void assertAll(long[] data, long expected) {
        assertThat(LongStream.of(data).filter(each -> each != expected).findFirst()).as("not %s", expected).isEmpty();
    }

    /** An allreduce of the ranks in the job, and a broadcast of the root's. */
    private static void call(Communicator group, Step step, int self) {
        long[] data = new long[step.length];
        Arrays.fill(data, self);
        group.allreduce(data, Reduction.SUM);
        assertAll(data, step.ranks.stream().mapToInt(each -> each).sum());
        Arrays.fill(data, self);
        group.broadcast(data, step.root);
        assertAll(data, step.ranks.get(step.root));
    }

    private static void play(Job job, long seed, CountDownLatch ended, AtomicInteger played)
            throws InterruptedException {
        List<Step> steps = history(job.size(), seed);
        Map<Integer, Communicator> groups = new HashMap<>(Map.of(0, job.world()));
        Map<Integer, List<Integer>> members = new HashMap<>(Map.of(0, IntStream.range(0, job.size()).boxed().toList()));
        for (Step step : steps) {
            if (step.ranks.contains(job.rank())) {
                switch (step.kind) {
                    case MAKE -> {
                        List<Integer> parent = members.get(step.parent);
                        int[] ranks = step.ranks.stream().mapToInt(parent::indexOf).toArray();
                        groups.put(step.group, groups.get(step.parent).create(ranks));
                        members.put(step.group, step.ranks);
                    }
                    case CALL -> call(groups.get(step.group), step, job.rank());
                    case CLOSE -> groups.remove(step.group).close();
                }
            }
        }
        ended.countDown(); // a rank that fails ends calls of others that have not returned
        ended.await();
        int victim = (int) (seed % job.size());
        if (job.rank() == victim) {
            played.incrementAndGet();
            throw new IllegalStateException("the victim");
        }
        for (int number : new ArrayList<>(groups.keySet())) {
            List<Integer> ranks = members.get(number);
            if (ranks.contains(victim)) {
                assertThat(catchThrowable(groups.get(number)::barrier))
                        .isInstanceOfSatisfying(RankFailedException.class,
                                failure -> assertThat(failure.rank()).isEqualTo(victim));
            }
        }
        groups.keySet().stream().sorted().filter(number -> !members.get(number).contains(victim))
                .forEach(number -> call(groups.get(number),
                        new Step(Kind.CALL, number, 0, members.get(number), 1_000, 0), job.rank()));
        played.incrementAndGet();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 0 0", "0 1 1 0", "0 1 2 0 1"})
    void shouldKeepTheirPromises(String placement) {
        int[] nodeOfRank = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
        for (long seed = FIRST; seed < FIRST + RUNS; seed++) {
            long current = seed;
            var played = new AtomicInteger();
            var ended = new CountDownLatch(nodeOfRank.length);
            Throwable thrown =
                    catchThrowable(() -> LocalNodes.run(nodeOfRank, job -> play(job, current, ended, played)));
            assertThat(thrown).as("seed %s", seed).hasRootCauseMessage("the victim").satisfies(
                    all -> assertThat(all.getSuppressed()).isEmpty());
            assertThat(played.get()).isEqualTo(nodeOfRank.length);
        }
    }
}
