/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Communicator;
import org.tutti.JobOptions.Threads;
import org.tutti.Program;
import org.tutti.Request;
import org.tutti.Rows;
import org.tutti.fabric.tcp.RelayedFabrics;
import org.tutti.job.LocalNodes;
import org.tutti.job.UnlentMemory;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;

/**
 * Random histories of messages of real threads, compared with the sequential model of matching. Each rank has three
 * threads: the first one has a communicator of its own, and the others share one, on which each has tags of its own. A
 * failure names its seed, which decides the calls, but not when they happen.
 */
@Tag("sampled")
@Timeout(120)
class LiveMatchingTest {
    private static final int RUNS = 20;
    private static final int STEPS = 120;
    private static final int[][] TAGS = {{0, 1, 2}, {0, 1}, {2, 3}};
    private static final long CUT_BYTES_MAX = 1_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MatchingHistory history = new MatchingHistory();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private static void await(Request request) {
        if (Request.awaitAny(PATIENCE, request).isEmpty()) { // does not throw if the request was cancelled
            throw new AssertionError("a request does not end: " + request);
        }
    }

    /** Starts the threads of a rank. The calls are those on two communicators, and two for the ends of the actors. */
    private List<Thread> start(long seed, int rank, int size, List<? extends MatchingCalls> calls) {
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < TAGS.length; thread++) {
            int communicator = Math.min(thread, 1);
            var actor = new MatchingActor(history, new SplittableRandom(seed * 100 + rank * 10L + thread),
                    calls.get(communicator), calls.get(2 + communicator), communicator, rank, size, TAGS[thread],
                    communicator == 0, seed % 4 < 2, seed % 2 == 0);
            threads.add(Thread.ofPlatform().name("rank " + rank + ", thread " + thread).start(() -> act(actor)));
        }
        return threads;
    }

    private void act(MatchingActor actor) {
        try {
            for (int step = 0; step < STEPS; step++) {
                actor.step();
            }
            actor.startEnd();
            actor.drain();
            actor.finish();
        } catch (Throwable failure) {
            failures.add(failure);
        }
    }

    private void check(long seed) {
        if (!failures.isEmpty()) {
            throw new AssertionError("seed " + seed + " fails\n" + history, failures.poll());
        }
        try {
            history.check();
        } catch (AssertionError failure) {
            throw new AssertionError("seed " + seed + " fails", failure);
        }
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @ParameterizedTest
    @CsvSource({"0 0 0, 1, true", "0 0 0, 1, false", "0 1, 1, true", "0 0 1, 1, true", "0 1 1, 2, true"})
    void shouldMatchAsTheModel(String nodes, int rails, boolean lends) {
        int[] nodeOfRank = Arrays.stream(nodes.split(" ")).mapToInt(Integer::parseInt).toArray();
        Supplier<Memory> memory = lends ? PrivateMemory::new : UnlentMemory::new;
        for (long seed = 1; seed <= Rows.times(RUNS); seed++) {
            var run = new LiveMatchingTest();
            long ofRun = seed;
            Program program = job -> {
                Communicator world = job.world();
                List<CommunicatorCalls> calls = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    calls.add(new CommunicatorCalls(world.duplicate(), LiveMatchingTest::await));
                }
                join(run.start(ofRun, job.rank(), world.size(), calls));
                world.barrier();
                calls.forEach(each -> each.communicator().close());
            };
            if (rails > 1) {
                LocalNodes.run(nodeOfRank, Threads.PLATFORM, rails, program);
            } else {
                LocalNodes.run(nodeOfRank, memory, program);
            }
            run.check(seed);
        }
    }

    /** One of two rails between two nodes breaks amid the messages. */
    @Test
    void shouldMatchAsTheModelWhenARailBreaks() throws InterruptedException {
        int[] nodeOfRank = {0, 1, 0, 1};
        int size = nodeOfRank.length;
        for (long seed = 1; seed <= Rows.times(RUNS); seed++) {
            var run = new LiveMatchingTest();
            List<Thread> threads = new ArrayList<>();
            try (Arena arena = Arena.ofShared(); var fabrics = new RelayedFabrics(size)) {
                var ranks = new NodeRanks(nodeOfRank, fabrics::fabric, 2, PrivateMemory::new, Background.LIVE,
                        fabric -> fabric, arena);
                for (int rank = 0; rank < size; rank++) {
                    int self = rank;
                    threads.addAll(run.start(seed, rank, size,
                            IntStream.range(0, 4)
                                    .mapToObj(communicator -> new RankCalls(ranks.messages(self, communicator), true,
                                            LiveMatchingTest::await))
                                    .toList()));
                }
                long cutAfter = new SplittableRandom(seed).nextLong(CUT_BYTES_MAX);
                while (fabrics.bytes() < cutAfter && threads.stream().anyMatch(Thread::isAlive)) {
                    Thread.sleep(0, 100_000);
                }
                fabrics.cut();
                join(threads);
            }
            run.check(seed);
        }
    }
}
