/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;
import org.tutti.memory.Waits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Requests that are awaited at once, and some after these that are not. */
@Timeout(120)
class AwaitedRequestsTest {
    private static final JobOptions PLATFORM = JobOptions.DEFAULT.withThreads(Threads.PLATFORM);
    private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int ROUNDS = 12;

    /** Afterwards no thread is started with a request, unless the machine has interfered each time. */
    private static void awaitSomeAtOnce(Communicator world) {
        for (int i = 0; i < 20; i++) {
            world.nonBlocking().barrier().await();
        }
    }

    @Test
    void whoAwaitsARequestAtOnceRunsIt() {
        Set<Thread> callers = ConcurrentHashMap.newKeySet();
        AtomicInteger combined = new AtomicInteger();
        Tutti.runLocal(2, PLATFORM, job -> {
            callers.add(Thread.currentThread());
            Reduction noting = Reduction.ofLongs("noting", true, (left, right) -> {
                combined.addAndGet(callers.contains(Thread.currentThread()) ? 1 : 0);
                return left + right;
            });
            long[] sum = new long[1];
            do {
                awaitSomeAtOnce(job.world());
                sum[0] = job.rank() + 5L;
                job.world().nonBlocking().allreduce(sum, noting).await();
                assertThat(sum).containsExactly(11);
                sum[0] = combined.get();
                job.world().broadcast(sum, 0);
            } while (sum[0] == 0);
        });
    }

    @Test
    void aRequestBeginsWhoseRankComputesAfterManyThatWereAwaitedAtOnce() {
        CountDownLatch received = new CountDownLatch(1);
        Tutti.runLocal(2, PLATFORM, job -> {
            for (int round = 1; round <= 3; round++) {
                awaitSomeAtOnce(job.world());
                long[] data = new long[1000];
                if (job.rank() == 0) {
                    Arrays.fill(data, round);
                }
                Request request = job.world().nonBlocking().broadcast(data, 0);
                while ((long) ELEMENTS.getVolatile(data, 999) != round) {
                    Thread.onSpinWait();
                }
                if (job.rank() == 1) {
                    received.countDown();
                } else if (round == 1) { // computes until its request has been served
                    while (received.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                }
                request.await();
                assertThat(data).containsOnly(round);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void requestsEndInWhateverWayAndOrderTheyAreAwaited(long seed) {
        LocalNodes.run(new int[]{0, 0, 1}, job -> {
            Random shared = new Random(seed);
            Random own = new Random(seed * 31 + job.rank());
            for (int round = 0; round < ROUNDS; round++) {
                if (shared.nextInt(4) == 0) {
                    for (int i = 0; i < 8; i++) {
                        job.world().nonBlocking().barrier().await();
                    }
                }
                startAndAwait(job, 1 + shared.nextInt(20), shared.nextBoolean(), own, round);
            }
        });
    }

    private static void startAndAwait(Job job, int count, boolean hasBlocking, Random random, int round) {
        long[][] data = new long[count][1 + round % 3 * 500];
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Arrays.fill(data[i], (job.rank() + 1L) * (i + round));
            if (hasBlocking && i == count / 2) {
                job.world().allreduce(data[i], Reduction.SUM);
            } else {
                requests.add(job.world().nonBlocking().allreduce(data[i], Reduction.SUM));
            }
        }
        Collections.shuffle(requests, random);
        for (Request request : requests) {
            await(request, random.nextInt(5));
        }
        long ranks = IntStream.rangeClosed(1, job.size()).sum();
        for (int i = 0; i < count; i++) {
            assertThat(data[i]).containsOnly(ranks * (i + round));
        }
    }

    private static void await(Request request, int way) {
        switch (way) {
            case 0 -> {
                while (!request.isDone()) {
                    Thread.onSpinWait();
                }
            }
            case 1 -> assertThat(request.await(Duration.ofMinutes(1))).isTrue();
            case 2 -> request.completion().toCompletableFuture().join();
            default -> {
                // as the last line does
            }
        }
        request.await();
    }

    @Test
    void twoThreadsMayAwaitOneRequest() {
        Tutti.runLocal(2, PLATFORM, job -> {
            for (int round = 0; round < 20; round++) {
                awaitSomeAtOnce(job.world());
                long[] sum = {job.rank() + 1L};
                Request request = job.world().nonBlocking().allreduce(sum, Reduction.SUM);
                Thread other = Thread.ofVirtual().start(request::await);
                request.await();
                assertThat(sum).containsExactly(3);
                join(other);
            }
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anInterruptBeforeTheWaitEndsNothingButTheWait() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Tutti.runLocal(2, PLATFORM, job -> {
            awaitSomeAtOnce(job.world());
            if (job.rank() == 0) {
                Request request = job.world().nonBlocking().barrier();
                Thread.currentThread().interrupt();
                assertThatExceptionOfType(CallInterruptedException.class).isThrownBy(request::await)
                        .withMessageContaining("can be awaited again");
                assertThat(Thread.interrupted()).isTrue();
                interrupted.countDown();
                request.await();
            } else {
                NonBlockingTest.awaitLatch(interrupted);
                job.world().barrier();
            }
            job.world().barrier();
        });
    }

    /** Whether this thread runs it is left to chance. */
    @Test
    void anInterruptOfWhoRunsARequestEndsItAsItEndsABlockingCall() {
        AtomicReference<Thread> waiting = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<String> told = new AtomicReference<>();
        Tutti.runLocal(2, PLATFORM, job -> {
            awaitSomeAtOnce(job.world());
            if (job.rank() == 0) {
                waiting.set(Thread.currentThread());
                Request request = job.world().nonBlocking().barrier();
                assertThatExceptionOfType(CallInterruptedException.class).isThrownBy(request::await)
                        .satisfies(failure -> told.set(failure.getMessage()));
                assertThat(Thread.interrupted()).isTrue();
                ended.countDown();
                if (told.get().contains("can be awaited again")) {
                    request.await();
                } else {
                    assertThatExceptionOfType(CallInterruptedException.class).isThrownBy(request::await)
                            .withMessage(told.get());
                }
            } else {
                while (waiting.get() == null || waiting.get().getState() != Thread.State.TIMED_WAITING
                        && Waits.of(waiting.get()).isEmpty()) { // it may sleep outside the JVM
                    Thread.onSpinWait();
                }
                waiting.get().interrupt();
                NonBlockingTest.awaitLatch(ended);
                if (told.get().contains("can be awaited again")) {
                    job.world().barrier();
                } else {
                    assertThatExceptionOfType(CommunicatorBrokenException.class)
                            .isThrownBy(() -> job.world().barrier()).withMessageContaining("interrupted");
                }
            }
        });
    }
}
