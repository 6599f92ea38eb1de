/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;
import org.tutti.JobOptions.Threads;
import org.tutti.memory.Waits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    /** Of what a rank throws, the class may have values, and no constructor that anybody else could call. */
    static Stream<Throwable> thrown() {
        class Unusual extends Exception {
            private static final long serialVersionUID = 1L;

            private Unusual(int first, int second) {
                super(first + " and " + second);
            }
        }
        return Stream.of(new IOException("disk on fire"), new StackOverflowError(), new Unusual(3, 4),
                new UncheckedIOException(new IOException("no room")), new NoSuchMethodError("run"),
                new MultipleFailuresError("both", List.of(new IllegalStateException("one"))));
    }

    private static void throwAtOneOfThree(Threads kind, Throwable thrown) {
        Tutti.runLocal(3, on(kind), job -> {
            if (job.rank() == 1) {
                FailureTest.<Exception>throwUnchecked(thrown);
            }
            job.world().barrier();
        });
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void shouldHaveWhatARankThrewAsTheCauseOrThrowItIfItIsAFailedAssertion(Throwable thrown) {
        for (Threads kind : Threads.values()) {
            if (thrown instanceof AssertionError) {
                assertThatThrownBy(() -> throwAtOneOfThree(kind, thrown)).isSameAs(thrown);
                assertThat(thrown.getSuppressed()[thrown.getSuppressed().length - 1])
                        .hasMessageStartingWith("rank 1 failed: ");
            } else {
                assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> throwAtOneOfThree(kind, thrown))
                        .withMessage("rank 1 failed: " + thrown).satisfies(e -> assertThat(e.rank()).isEqualTo(1))
                        .satisfies(e -> assertThat(e.getCause()).isSameAs(thrown));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheValuesOfAFailedAssertion(Threads kind) {
        AssertionFailedError thrown = new AssertionFailedError("wrong sum", 4, 5);
        assertThatThrownBy(() -> throwAtOneOfThree(kind, thrown)).isSameAs(thrown).hasMessage("wrong sum")
                .satisfies(e -> assertThat(e.getSuppressed()).singleElement()
                        .isInstanceOfSatisfying(RankFailedException.class, note -> {
                            assertThat(note.rank()).isEqualTo(1);
                            assertThat(note).hasNoCause();
                        }));
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameTheRankOfTheOuterJobLast(Threads kind) {
        AssertionFailedError thrown = new AssertionFailedError("wrong sum", 4, 5);
        assertThatThrownBy(() -> Tutti.runLocal(1, on(kind), _ -> throwAtOneOfThree(kind, thrown))).isSameAs(thrown)
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(note -> ((RankFailedException) note).rank()).containsExactly(1, 0));
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

    /** How soon a wait sees that its deadline has passed is a matter of the waiter, whose test moves the time. */
    @ParameterizedTest
    @EnumSource
    void shouldEndACallAtItsDeadline(Threads kind) {
        CountDownLatch late = new CountDownLatch(1);
        Tutti.runLocal(2, on(kind), job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                long start = System.nanoTime();
                assertThatExceptionOfType(DeadlineExceededException.class)
                        .isThrownBy(() -> world.withDeadline(Duration.ofMillis(200)).barrier())
                        .withMessageContaining("rank 1");
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(200));
                assertThatExceptionOfType(CommunicatorBrokenException.class).isThrownBy(world::barrier);
                late.countDown();
            } else {
                late.await();
                assertThatExceptionOfType(CommunicatorBrokenException.class).isThrownBy(world::barrier)
                        .withMessageContaining("rank 0").withMessageContaining("deadline");
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndACallAtTheJobsDeadline(Threads kind) {
        CountDownLatch late = new CountDownLatch(1);
        JobOptions options = on(kind).withDeadline(Duration.ofMillis(300));
        Tutti.runLocal(2, options, job -> {
            if (job.rank() == 0) {
                assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> job.world().barrier());
                late.countDown();
            } else {
                late.await();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndABlockedCallThatIsInterrupted(Threads kind) {
        CountDownLatch over = new CountDownLatch(1);
        Tutti.runLocal(2, on(kind), job -> {
            if (job.rank() == 0) {
                Thread self = Thread.currentThread();
                Thread.ofVirtual().start(() -> {
                    while (Waits.of(self).isEmpty()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    self.interrupt();
                });
                assertThatExceptionOfType(CallInterruptedException.class).isThrownBy(() -> job.world().barrier())
                        .withMessageContaining("interrupted").withMessageContaining("barrier");
                assertThat(Thread.interrupted()).isTrue();
                over.countDown();
            } else {
                over.await();
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
