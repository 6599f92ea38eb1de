/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.Mutexes.HolderFailure;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Mutexes near and far: what they exclude is seen by plain variables of this process, which all ranks share, and by
 * latches, which are no part of Tutti.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("limits of a second")
@Timeout(300)
class MutexesTest {
    private static final JobOptions PLATFORM = JobOptions.DEFAULT.withThreads(Threads.PLATFORM);

    static Stream<OneSidedTest.Shape> shapes() {
        return OneSidedTest.shapes();
    }

    static Stream<OneSidedTest.Shape> shapesOfThree() {
        return Stream.of(
                new OneSidedTest.Shape("3 threads", 3, program -> Tutti.runLocal(3, PLATFORM, program)),
                nodes(0, 0, 1), nodes(0, 1, 1), nodes(0, 1, 0), nodes(0, 1, 2));
    }

    private static OneSidedTest.Shape nodes(int... nodeOfRank) {
        return new OneSidedTest.Shape("nodes " + IntStream.of(nodeOfRank).boxed().toList(), nodeOfRank.length,
                program -> LocalNodes.run(nodeOfRank, program));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A counter that is read, and written later by a put, and a plain one of this process: no update may be lost. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldExcludeEachOtherAndShowWhatWasPut(OneSidedTest.Shape shape) {
        int calls = 150;
        int count = 2;
        AtomicInteger[] inside = IntStream.range(0, count * shape.size()).mapToObj(_ -> new AtomicInteger())
                .toArray(AtomicInteger[]::new);
        long[] plain = new long[inside.length];
        AtomicInteger taken = new AtomicInteger();
        shape.runner().accept(job -> {
            Communicator world = job.world();
            Random random = new Random(world.rank());
            try (RemoteMemory memory = world.allocate(DataType.LONG, count);
                    Mutexes mutexes = memory.allocateMutexes(count)) {
                long[] value = new long[1];
                int done = 0;
                for (int i = 0; i < calls; i++) {
                    int home = i % 3 == 0 ? random.nextInt(world.size()) : 0;
                    int index = random.nextInt(count);
                    boolean locked = true;
                    switch (i % 5) {
                        case 0 -> locked = mutexes.tryLock(index, home);
                        case 1 -> locked = mutexes.tryLock(index, home, Duration.ofNanos(random.nextInt(100_000)));
                        default -> mutexes.lock(index, home);
                    }
                    if (locked) {
                        int mutex = home * count + index;
                        assertThat(inside[mutex].getAndIncrement()).isZero();
                        memory.at(home).get(8L * index, value);
                        value[0]++;
                        plain[mutex]++;
                        memory.at(home).put(8L * index, value);
                        assertThat(inside[mutex].getAndDecrement()).isEqualTo(1);
                        mutexes.unlock(index, home);
                        done++;
                    }
                }
                taken.addAndGet(done);
                memory.barrier();
                for (int index = 0; index < count; index++) {
                    memory.at(world.rank()).get(8L * index, value);
                    assertThat(value[0]).isEqualTo(plain[world.rank() * count + index]);
                    assertThat(mutexes.tryLock(index, world.rank())).as("free in the end").isTrue();
                    mutexes.unlock(index, world.rank());
                }
            }
        });
        assertThat(taken.get()).isEqualTo((int) LongStream.of(plain).sum())
                .isGreaterThanOrEqualTo(shape.size() * calls * 3 / 5);
    }

    /** With many more ranks than cores a queue whose next rank sleeps at its turn takes minutes for this. */
    @ParameterizedTest
    @EnumSource(Threads.class)
    @Timeout(60)
    void shouldLetManyRanksThrough(Threads threads) {
        int ranks = 64;
        int calls = 100;
        long[] counted = {0};
        Tutti.runLocal(ranks, JobOptions.DEFAULT.withThreads(threads), job -> {
            try (RemoteMemory memory = job.world().allocate(0); Mutexes mutexes = memory.allocateMutexes(1)) {
                for (int i = 0; i < calls; i++) {
                    mutexes.lock(0, 0);
                    counted[0]++;
                    mutexes.unlock(0, 0);
                }
            }
        });
        assertThat(counted[0]).isEqualTo((long) ranks * calls);
    }

    /** The threads of the ranks, by which the others see whether one waits in the queue. */
    private static final class Ranks {
        private final AtomicReferenceArray<Thread> threads;
        private final CyclicBarrier together;

        Ranks(int size) {
            threads = new AtomicReferenceArray<>(size);
            together = new CyclicBarrier(size);
        }

        void join(Communicator world) {
            threads.set(world.rank(), Thread.currentThread());
            pass();
        }

        void pass() {
            try {
                together.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }

        /** It has written WAITING into its cell when it waits for the word that says that its turn has come. */
        void awaitQueued(int rank) {
            while (!isQueued(threads.get(rank))) {
                Thread.yield();
            }
        }

        private static boolean isQueued(Thread thread) {
            StackTraceElement[] frames = thread.getStackTrace();
            return IntStream.range(1, frames.length).anyMatch(i -> frames[i - 1].getClassName().endsWith(".Waiter")
                    && frames[i].getClassName().endsWith(".MutexWakes")
                    && frames[i].getMethodName().equals("await"));
        }
    }

    static Stream<OneSidedTest.Shape> shapesOfFive() {
        return Stream.of(
                new OneSidedTest.Shape("5 threads", 5, program -> Tutti.runLocal(5, PLATFORM, program)),
                nodes(0, 0, 1, 1, 2));
    }

    /** In every round each queues when the one before it waits already, beginning with another one. */
    @ParameterizedTest
    @MethodSource("shapesOfFive")
    void shouldBeFirstInFirstOut(OneSidedTest.Shape shape) {
        int rounds = 10;
        int size = shape.size();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        Ranks ranks = new Ranks(size);
        shape.runner().accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(0); Mutexes mutexes = memory.allocateMutexes(1)) {
                ranks.join(world);
                for (int round = 0; round < rounds; round++) {
                    int home = round % size;
                    int turn = (world.rank() + round * 2) % size;
                    if (turn == 0) {
                        mutexes.lock(0, home);
                        ranks.pass();
                        ranks.awaitQueued((world.rank() + size - 1) % size);
                    } else {
                        ranks.pass();
                        if (turn > 1) {
                            ranks.awaitQueued((world.rank() + size - 1) % size);
                        }
                        mutexes.lock(0, home);
                    }
                    order.add(turn);
                    mutexes.unlock(0, home);
                    ranks.pass();
                }
            }
        });
        List<Integer> expected = new ArrayList<>();
        IntStream.range(0, rounds).forEach(_ -> IntStream.range(0, size).forEach(expected::add));
        assertThat(order).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("shapesOfThree")
    void shouldSkipWhoHasLeftAndKeepHisPlaceIfHeComesAgainInTime(OneSidedTest.Shape shape) {
        for (int home = 0; home < 3; home++) {
            int at = home;
            List<Integer> order = Collections.synchronizedList(new ArrayList<>());
            Ranks ranks = new Ranks(3);
            shape.runner().accept(job -> {
                Communicator world = job.world();
                try (RemoteMemory memory = world.allocate(0); Mutexes mutexes = memory.allocateMutexes(3)) {
                    ranks.join(world);
                    for (boolean again : new boolean[]{false, true, false, true}) {
                        queueUp(world.rank(), mutexes, at, again, ranks, order);
                        ranks.pass();
                        order.add(-1);
                        ranks.pass();
                    }
                }
            });
            assertThat(order).containsExactly(0, 2, -1, -1, -1, 0, 1, 2, -1, -1, -1, 0, 2, -1, -1, -1, 0, 1, 2, -1, -1,
                    -1);
        }
    }

    /** Rank 0 holds the mutex, rank 1 gives up, rank 2 waits behind it, and rank 1 perhaps comes again. */
    private static void queueUp(int rank, Mutexes mutexes, int home, boolean again, Ranks ranks, List<Integer> order) {
        if (rank == 0) {
            mutexes.lock(2, home);
        }
        ranks.pass();
        if (rank == 1) {
            assertThat(mutexes.tryLock(2, home)).isFalse();
            assertThat(mutexes.tryLock(2, home, Duration.ofMillis(5))).isFalse();
        }
        ranks.pass();
        if (rank == 0) {
            ranks.awaitQueued(2);
            if (again) {
                ranks.awaitQueued(1);
            }
        } else if (rank == 2) {
            mutexes.lock(2, home);
        } else if (again) {
            ranks.awaitQueued(2);
            mutexes.lock(2, home);
        }
        if (rank != 1 || again) {
            order.add(rank);
            mutexes.unlock(2, home);
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldRefuseMistakes(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            int last = world.size() - 1;
            RemoteMemory memory = world.allocate(8);
            Mutexes mutexes = memory.allocateMutexes(self == last ? 0 : 2 + self);
            for (int rank = 0; rank < world.size(); rank++) {
                assertThat(mutexes.count(rank)).isEqualTo(rank == last ? 0 : 2 + rank);
            }
            assertThatThrownBy(() -> mutexes.lock(0, last)).isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("rank " + self + " cannot lock mutex 0 of rank " + last + ", which has 0");
            assertThatThrownBy(() -> mutexes.tryLock(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> mutexes.lock(0, -1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> mutexes.lock(0, last + 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> memory.allocateMutexes(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> memory.allocateMutexes(Mutexes.COUNT_MAX + 1))
                    .isInstanceOf(IllegalArgumentException.class);
            if (last > 0) {
                int home = self % last; // each has two mutexes at least, and at most two ranks come to the same one
                int index = self / last;
                assertThatThrownBy(() -> mutexes.unlock(index, home)).isInstanceOf(IllegalStateException.class)
                        .hasMessage("rank " + self + " cannot unlock mutex " + index + " of rank " + home
                                + ": it does not hold it");
                mutexes.lock(index, home);
                assertThatThrownBy(() -> mutexes.lock(index, home)).isInstanceOf(IllegalStateException.class)
                        .hasMessage("rank " + self + " cannot lock mutex " + index + " of rank " + home
                                + ": it holds it already; mutexes are not reentrant");
                assertThatThrownBy(() -> mutexes.tryLock(index, home)).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> mutexes.tryLock(index, home, Duration.ofSeconds(1)))
                        .isInstanceOf(IllegalStateException.class);
                assertThat(mutexes.failedHolder(index, home)).isEqualTo(-1);
                if (self == 0) {
                    assertThatThrownBy(mutexes::close).isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("while it held mutex 0 of rank 0");
                } else {
                    mutexes.unlock(index, home);
                }
            }
            mutexes.close();
            mutexes.close();
            assertThatThrownBy(() -> mutexes.lock(0, 0)).isInstanceOf(IllegalStateException.class)
                    .hasMessage("rank " + self + " cannot lock: the mutexes have been closed");
            memory.close();
            assertThatThrownBy(() -> memory.allocateMutexes(1)).isInstanceOf(IllegalStateException.class);
        });
    }

    /** A deadline passes in each: of all shapes with a mutex at each rank the short run has some. */
    static Stream<Arguments> shapesAndHomes() {
        return Rows.sampled(shapesOfThree()
                .flatMap(shape -> IntStream.range(0, 3).mapToObj(home -> Arguments.of(shape, home))));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("shapesAndHomes")
    void shouldGiveUpOnInterruptsAndDeadlinesAndLetTheOthersGoOn(OneSidedTest.Shape shape, int home) {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch given = new CountDownLatch(2);
        shape.runner().accept(job -> {
            Communicator world = job.world();
            Duration limit = world.rank() == 1 ? Duration.ofMillis(400) : Duration.ofSeconds(30);
            try (RemoteMemory memory = world.withDeadline(limit).allocate(8);
                    Mutexes mutexes = memory.allocateMutexes(1)) {
                if (world.rank() == 0) {
                    mutexes.lock(0, home);
                    held.countDown();
                    await(given);
                    mutexes.unlock(0, home);
                } else {
                    await(held);
                    giveUp(mutexes, home, world.rank() == 1);
                    given.countDown();
                }
                world.barrier();
                if (world.rank() != 1) {
                    mutexes.lock(0, home);
                    mutexes.unlock(0, home);
                }
                world.barrier();
            }
        });
    }

    private static void giveUp(Mutexes mutexes, int at, boolean byDeadline) {
        if (byDeadline) {
            assertThatThrownBy(() -> mutexes.lock(0, at)).isInstanceOf(DeadlineExceededException.class);
        } else {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> mutexes.lock(0, at)).isInstanceOf(CallInterruptedException.class)
                    .hasMessageContaining("it does not hold the mutex");
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThatThrownBy(() -> mutexes.unlock(0, at)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @MethodSource("shapesOfThree")
    void shouldTellWhoWaitsThatTheHolderHasFailed(OneSidedTest.Shape shape) {
        for (int home = 0; home < 3; home++) {
            int at = home;
            CountDownLatch told = new CountDownLatch(2);
            CountDownLatch ready = new CountDownLatch(3);
            assertThatThrownBy(() -> shape.runner().accept(job -> {
                Communicator world = job.world();
                RemoteMemory memory = world.allocate(8);
                Mutexes mutexes = memory.allocateMutexes(1);
                if (world.rank() == 1) {
                    mutexes.lock(0, at);
                }
                ready.countDown();
                await(ready); // a failure would end others' allocations, too
                if (world.rank() == 1) {
                    throw new IllegalStateException("this rank fails");
                }
                try {
                    mutexes.lock(0, at);
                } catch (RankFailedException e) {
                    assertThat(e.rank()).isEqualTo(1);
                    told.countDown();
                    await(told); // or the other one hears of this rank's end first
                    throw e;
                }
            })).hasStackTraceContaining("this rank fails");
            assertThat(told.getCount()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("shapesOfThree")
    void shouldPassTheMutexOfAFailedHolderOn(OneSidedTest.Shape shape) {
        for (int home : new int[]{0, 2}) {
            List<Integer> got = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch ready = new CountDownLatch(3);
            CountDownLatch done = new CountDownLatch(2);
            assertThatThrownBy(() -> shape.runner().accept(job -> {
                Communicator world = job.world();
                RemoteMemory memory = world.allocate(8);
                Mutexes mutexes = memory.allocateMutexes(2, HolderFailure.PASS_ON);
                if (world.rank() == 1) {
                    mutexes.lock(1, home);
                    mutexes.unlock(1, home);
                    mutexes.lock(0, home); // the home answers when it has been told of the unlock
                }
                ready.countDown();
                await(ready);
                if (world.rank() == 1) {
                    throw new IllegalStateException("this rank fails");
                }
                for (int i = 0; i < 3; i++) {
                    mutexes.lock(0, home);
                    got.add(mutexes.failedHolder(0, home));
                    mutexes.unlock(0, home);
                    mutexes.lock(1, home);
                    assertThat(mutexes.failedHolder(1, home)).isEqualTo(-1);
                    mutexes.unlock(1, home);
                }
                done.countDown();
                await(done); // or the mutexes would go with who leaves first
            })).hasStackTraceContaining("this rank fails");
            assertThat(got).containsExactly(1, 1, 1, 1, 1, 1);
        }
    }

    @Test
    void shouldTellWhoWaitsThatTheHomeOfTheMutexHasFailed() {
        for (HolderFailure policy : HolderFailure.values()) {
            CountDownLatch ready = new CountDownLatch(3);
            CountDownLatch told = new CountDownLatch(1);
            assertThatThrownBy(() -> LocalNodes.run(new int[]{0, 1, 1}, job -> {
                Communicator world = job.world();
                Mutexes mutexes = world.allocate(8).allocateMutexes(1, policy);
                if (world.rank() == 1) {
                    mutexes.lock(0, 0);
                }
                ready.countDown();
                await(ready);
                switch (world.rank()) {
                    case 0 -> throw new IllegalStateException("this rank fails");
                    case 1 -> await(told);
                    default -> {
                        assertThatThrownBy(() -> mutexes.lock(0, 0)).isInstanceOfSatisfying(RankFailedException.class,
                                e -> assertThat(e.rank()).isZero());
                        told.countDown();
                    }
                }
            })).hasStackTraceContaining("this rank fails");
            assertThat(told.getCount()).isZero();
        }
    }

    /** A rank that leaves its job without closing the mutexes takes what it holds with it. */
    @Test
    void shouldTellWhoWaitsThatTheHolderHasLeft() {
        CountDownLatch ready = new CountDownLatch(2);
        Tutti.runLocal(2, PLATFORM, job -> {
            Mutexes mutexes = job.world().allocate(8).allocateMutexes(1);
            if (job.rank() == 0) {
                mutexes.lock(0, 0);
            }
            ready.countDown();
            await(ready);
            if (job.rank() == 1) {
                assertThatThrownBy(() -> mutexes.lock(0, 0)).isInstanceOf(RankFailedException.class)
                        .hasMessageContaining("rank 0 has left the job");
            }
        });
    }
}
