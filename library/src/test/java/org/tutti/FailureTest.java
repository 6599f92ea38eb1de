/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobOptions.Threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(120)
class FailureTest {
    private static JobOptions on(Threads kind) {
        return JobOptions.DEFAULT.withThreads(kind);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRethrowTheFirstFailureWithItsRank(Threads kind) {
        AtomicInteger heard = new AtomicInteger();
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(4, on(kind), job -> {
            if (job.rank() == 2) {
                throw new IOException("disk on fire");
            }
            try {
                job.world().barrier();
            } catch (RankFailedException e) {
                assertThat(e.rank()).isEqualTo(2);
                heard.incrementAndGet();
                throw e;
            }
        })).withMessageContaining("rank 2").withMessageContaining("disk on fire").withCauseInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.rank()).isEqualTo(2));
        assertThat(heard.get()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotTakeARankOfAnInnerJobForOneOfItsOwn(Threads kind) {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(2, on(kind), job -> {
            if (job.rank() == 0) {
                Tutti.runLocal(6, on(kind), inner -> {
                    if (inner.rank() != 5) {
                        inner.world().barrier();
                    }
                });
            }
            job.world().barrier();
        })).withMessageContaining("rank 0 failed: ").withMessageContaining("rank 5")
                .satisfies(e -> assertThat(e.rank()).isZero());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRethrowAFailedAssertionAsOne(Threads kind) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> Tutti.runLocal(3, on(kind), job -> {
            if (job.rank() == 1) {
                throw new AssertionError("expected 4 but was 5");
            }
            job.world().barrier();
        })).withMessage("rank 1: expected 4 but was 5").withCauseInstanceOf(AssertionError.class);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWaitsForARankThatHasLeft(Threads kind) {
        Tutti.runLocal(3, on(kind), job -> {
            if (job.rank() != 1) {
                assertThatExceptionOfType(RankFailedException.class)
                        .isThrownBy(() -> job.world().allreduce(new int[1], Reduction.SUM))
                        .withMessageContaining("rank 1").satisfies(e -> assertThat(e.rank()).isEqualTo(1));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldDeliverWhatWasSentBeforeLeaving(Threads kind) {
        Tutti.runLocal(2, on(kind), job -> {
            int[] value = {job.rank() == 0 ? 42 : 0};
            if (job.rank() == 1) {
                Thread.sleep(100);
            }
            job.world().broadcast(value, 0);
            assertThat(value[0]).isEqualTo(42);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndACallAtItsDeadline(Threads kind) {
        Tutti.runLocal(2, on(kind), job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                long start = System.nanoTime();
                MachineTime time = new MachineTime();
                assertThatExceptionOfType(DeadlineExceededException.class)
                        .isThrownBy(() -> world.withDeadline(Duration.ofMillis(200)).barrier())
                        .withMessageContaining("rank 1");
                assertThat(time.elapsed()).isLessThan(Duration.ofMillis(1200));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(200));
                assertThatExceptionOfType(CommunicatorBrokenException.class).isThrownBy(world::barrier);
            } else {
                Thread.sleep(600);
                assertThatExceptionOfType(CommunicatorBrokenException.class).isThrownBy(world::barrier)
                        .withMessageContaining("rank 0").withMessageContaining("deadline");
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndACallAtTheJobsDeadline(Threads kind) {
        JobOptions options = on(kind).withDeadline(Duration.ofMillis(300));
        Tutti.runLocal(2, options, job -> {
            job.world().barrier();
            if (job.rank() == 0) {
                assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> job.world().barrier());
            } else {
                Thread.sleep(1000);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndABlockedCallThatIsInterrupted(Threads kind) {
        Tutti.runLocal(2, on(kind), job -> {
            if (job.rank() == 0) {
                Thread self = Thread.currentThread();
                Thread.ofVirtual().start(() -> {
                    try {
                        Thread.sleep(100);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    self.interrupt();
                });
                assertThatExceptionOfType(CallInterruptedException.class).isThrownBy(() -> job.world().barrier())
                        .withMessageContaining("interrupted").withMessageContaining("barrier");
                assertThat(Thread.interrupted()).isTrue();
            } else {
                Thread.sleep(400);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheJobWhenARankAborts(Threads kind) {
        assertThatExceptionOfType(JobAbortedException.class).isThrownBy(() -> Tutti.runLocal(3, on(kind), job -> {
            if (job.rank() == 1) {
                try {
                    job.abort(7);
                } catch (JobAbortedException e) {
                    throw new IllegalStateException("something else", e); // the abort counts all the same
                }
            }
            job.world().barrier();
        })).satisfies(e -> {
            assertThat(e.rank()).isEqualTo(1);
            assertThat(e.status()).isEqualTo(7);
        }).withMessageContaining("rank 1").withMessageContaining("7");
    }

    @ParameterizedTest
    @EnumSource
    void shouldBreakTheCommunicatorWhenAUsersOperatorThrows(Threads kind) {
        Reduction faulty = Reduction.ofInts("faulty", true, (_, _) -> {
            throw new ArithmeticException("cannot combine");
        });
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(
                () -> Tutti.runLocal(3, on(kind), job -> {
                    job.world().reduce(new int[1], faulty, 0);
                    job.world().barrier();
                })).withMessageContaining("rank 0").withCauseInstanceOf(ArithmeticException.class);
    }

    /** What ranks lend each other, and what they hold themselves, while one of them throws in the middle of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepNobodysArraysOnceACommunicatorIsBroken(boolean blocking) {
        CyclicBarrier ended = new CyclicBarrier(2);
        List<WeakReference<long[]>> arrays = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean kept = new AtomicBoolean(true);
        Tutti.runLocal(2, on(Threads.PLATFORM), job -> {
            arrays.addAll(failInAllreduce(job, blocking));
            ended.await(); // while both ranks, and what they have of the communicator, are alive
            if (job.rank() == 0) {
                kept.set(isAnyKept(arrays));
            }
            ended.await();
            assertThatExceptionOfType(TuttiException.class).isThrownBy(job.world()::barrier);
        });
        assertThat(arrays).hasSize(4);
        assertThat(kept.get()).isFalse();
    }

    private static List<WeakReference<long[]>> failInAllreduce(Job job, boolean blocking) {
        long[] source = new long[100_000];
        long[] target = new long[100_000];
        Reduction failing = Reduction.ofLongs("failing", true, (left, right) -> {
            throw new ArithmeticException("no sum");
        });
        Communicator world = job.world().withAlgorithm(Collective.ALLREDUCE, "index-range");
        assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> {
            if (blocking) {
                world.allreduce(source, target, failing);
            } else {
                world.nonBlocking().allreduce(source, target, failing).await();
            }
        });
        return List.of(new WeakReference<>(source), new WeakReference<>(target));
    }

    private static boolean isAnyKept(List<? extends WeakReference<?>> references) {
        boolean kept = true;
        for (int turn = 0; turn < 20 && kept; turn++) {
            System.gc();
            kept = references.stream().anyMatch(each -> !each.refersTo(null));
        }
        return kept;
    }
}
