/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/** Ranks that only ask, more of them than there are carriers: each answer needs another thread to run. */
@Isolated("ranks that only ask take all carriers")
@Timeout(300)
class AskingTest {
    private static final int RANKS = 2 * Runtime.getRuntime().availableProcessors();
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Duration SHORT = Duration.ofNanos(1);

    private record Shape(String name, Threads threads, boolean inNodes) {
        void run(Program program) {
            if (inNodes) {
                LocalNodes.run(IntStream.range(0, RANKS).map(rank -> rank % 2).toArray(), threads, 1, program);
            } else {
                Tutti.runLocal(RANKS, JobOptions.DEFAULT.withThreads(threads), program);
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Shape> shapes() {
        return Stream.of(new Shape("virtual threads", Threads.VIRTUAL, false),
                new Shape("platform threads", Threads.PLATFORM, false),
                new Shape("virtual threads of two nodes", Threads.VIRTUAL, true));
    }

    private static void askUntil(BooleanSupplier answer) {
        long untilNanos = System.nanoTime() + PATIENCE_NANOS;
        while (!answer.getAsBoolean()) {
            assertThat(System.nanoTime() - untilNanos).as("nanoseconds late").isNegative();
        }
    }

    private static Named<BiPredicate<Request, Request>> request(String name, BiPredicate<Request, Request> ask) {
        return Named.of(name, ask);
    }

    static Stream<Arguments> asksOfRequests() {
        return shapes().flatMap(shape -> Stream.of(
                request("isDone", (first, second) -> first.isDone() && second.isDone()),
                request("await of zero", (first, second) -> first.await(Duration.ZERO) && second.await(Duration.ZERO)),
                request("short await", (first, second) -> first.await(SHORT) && second.await(SHORT)),
                request("awaitAll of zero", (first, second) -> Request.awaitAll(Duration.ZERO, first, second)),
                request("short awaitAll", (first, second) -> Request.awaitAll(SHORT, first, second)),
                request("awaitAny of zero", (first, second) -> Request.awaitAny(Duration.ZERO, second).isPresent()
                        && Request.awaitAny(Duration.ZERO, first).isPresent()),
                request("short awaitAny", (first, second) -> Request.awaitAny(SHORT, second).isPresent()
                        && Request.awaitAny(SHORT, first).isPresent()))
                .map(ask -> Arguments.of(shape, ask)));
    }

    @ParameterizedTest
    @MethodSource("asksOfRequests")
    void shouldEndRequestsOfRanksThatOnlyAsk(Shape shape, BiPredicate<Request, Request> ask) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int round = 0; round < 5; round++) {
                long[] sum = {world.rank()};
                long[] largest = {world.rank()};
                Request first = world.nonBlocking().allreduce(sum, Reduction.SUM);
                Request second = world.nonBlocking().allreduce(largest, Reduction.MAX);
                askUntil(() -> ask.test(first, second));
                assertThat(sum).containsExactly(RANKS * (RANKS - 1) / 2);
                assertThat(largest).containsExactly(RANKS - 1);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("asksOfRequests")
    void shouldEndGetsOfRanksThatOnlyAsk(Shape shape, BiPredicate<Request, Request> ask) {
        shape.run(job -> {
            Communicator world = job.world();
            int next = (world.rank() + 1) % RANKS;
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1)) {
                memory.at(world.rank()).put(0, new long[]{world.rank()});
                memory.barrier();
                long[] one = new long[1];
                long[] other = new long[1];
                Request first = memory.at(next).nonBlocking().get(0, one);
                Request second = memory.at(next).nonBlocking().get(0, other);
                askUntil(() -> ask.test(first, second));
                assertThat(one).containsExactly(next);
                assertThat(other).containsExactly(next);
                world.barrier();
            }
        });
    }

    static Stream<Arguments> asksOfMutexes() {
        return shapes().flatMap(shape -> Stream.<Named<BiPredicate<Mutexes, Integer>>>of(
                Named.of("tryLock", (mutexes, home) -> mutexes.tryLock(0, home)),
                Named.of("tryLock of zero", (mutexes, home) -> mutexes.tryLock(0, home, Duration.ZERO)),
                Named.of("short tryLock", (mutexes, home) -> mutexes.tryLock(0, home, SHORT)))
                .map(ask -> Arguments.of(shape, ask)));
    }

    /** Rank 0 holds the mutex while the others begin to ask, and then each of them holds it once. */
    @ParameterizedTest
    @MethodSource("asksOfMutexes")
    void shouldLockMutexesOfRanksThatOnlyAsk(Shape shape, BiPredicate<Mutexes, Integer> ask) {
        long[] locked = {0};
        shape.run(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(0); Mutexes mutexes = memory.allocateMutexes(1)) {
                if (world.rank() == 0) {
                    mutexes.lock(0, RANKS - 1);
                }
                world.barrier();
                if (world.rank() == 0) {
                    Thread.sleep(1);
                } else {
                    askUntil(() -> ask.test(mutexes, RANKS - 1));
                }
                locked[0]++;
                mutexes.unlock(0, RANKS - 1);
            }
        });
        assertThat(locked[0]).isEqualTo(RANKS);
    }

    static Stream<Shape> shapesOfNotifications() {
        return shapes();
    }

    /** A notification goes around: only one rank at a time has something to do. */
    @ParameterizedTest
    @MethodSource("shapesOfNotifications")
    void shouldNotifyRanksThatOnlyAsk(Shape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1)) {
                for (long round = 1; round <= 5; round++) {
                    long awaited = round;
                    if (world.rank() > 0 || round > 1) {
                        askUntil(() -> memory.notifications(0) >= (world.rank() > 0 ? awaited : awaited - 1));
                    }
                    memory.at((world.rank() + 1) % RANKS).putNotify(0, new long[]{round}, 0);
                }
                memory.barrier();
                assertThat(memory.notifications(0)).isEqualTo(5);
            }
        });
    }

    /** Each waits until a counter has come to its rank, and raises it. */
    @ParameterizedTest
    @MethodSource("shapesOfNotifications")
    void shouldSwapInTurnsOfRanksThatOnlyAsk(Shape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1)) {
                RemotePart part = memory.at(0);
                askUntil(() -> part.compareAndSwapLong(0, RANKS - 1 - world.rank(), RANKS - world.rank()) == RANKS - 1
                        - world.rank());
                memory.barrier();
                long[] value = new long[1];
                part.get(0, value);
                assertThat(value).containsExactly(RANKS);
                world.barrier();
            }
        });
    }
}
