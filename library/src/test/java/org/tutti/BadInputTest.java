/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Mistakes are found before anything is communicated, and the communicator works on. */
@Timeout(120)
class BadInputTest {
    /** Runs something wrong on both ranks, and then something right. */
    private static void onBothRanks(Program wrong) {
        Tutti.runLocal(2, job -> {
            wrong.run(job);
            int[] one = {1};
            job.world().allreduce(one, Reduction.SUM);
            assertThat(one[0]).isEqualTo(2);
        });
    }

    @Test
    void shouldRejectNull() {
        onBothRanks(job -> {
            Communicator world = job.world();
            assertThatNullPointerException().isThrownBy(() -> world.broadcast((double[]) null, 0));
            assertThatNullPointerException().isThrownBy(() -> world.broadcast((boolean[]) null, 0));
            assertThatNullPointerException().isThrownBy(() -> world.broadcast((Span) null, 0));
            assertThatNullPointerException().isThrownBy(() -> world.allreduce(new int[1], null));
            assertThatNullPointerException().isThrownBy(() -> world.allreduce(new int[1], (int[]) null, Reduction.SUM));
            assertThatNullPointerException().isThrownBy(() -> world.withAlgorithm(null, "srm"));
            assertThatNullPointerException().isThrownBy(() -> Span.of(MemorySegment.ofArray(new int[1]), null));
            if (world.rank() == 0) {
                assertThatNullPointerException().isThrownBy(() -> world.reduce(new int[1], null, Reduction.SUM, 0))
                        .withMessageContaining("target");
            }
        });
    }

    @Test
    void shouldNameTheNullAmongWhatIsWaitedForOrAllocated() {
        onBothRanks(job -> {
            Communicator world = job.world();
            assertThatNullPointerException().isThrownBy(() -> world.allocate(null, 1)).withMessage("type");
            assertThatNullPointerException().isThrownBy(() -> Request.awaitAll((Request[]) null))
                    .withMessage("requests");
            assertThatNullPointerException().isThrownBy(() -> Request.awaitAll(Duration.ZERO, (Request[]) null))
                    .withMessage("requests");
            assertThatNullPointerException().isThrownBy(() -> Request.awaitAny((Request[]) null))
                    .withMessage("requests");
            Request barrier = world.nonBlocking().barrier();
            assertThatNullPointerException().isThrownBy(() -> Request.awaitAny((Duration) null, barrier))
                    .withMessage("timeout");
            assertThatNullPointerException().isThrownBy(() -> barrier.await(null)).withMessage("timeout");
            barrier.await();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1); Mutexes mutexes = memory.allocateMutexes(1)) {
                assertThatNullPointerException().isThrownBy(() -> memory.awaitAny((int[]) null))
                        .withMessage("notifications");
                assertThatNullPointerException().isThrownBy(() -> mutexes.tryLock(0, 0, null)).withMessage("timeout");
            }
        });
    }

    @Test
    void shouldRejectTargetsOfAnotherLength() {
        onBothRanks(job -> {
            Communicator world = job.world();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> world.allreduce(new int[3], new int[2], Reduction.SUM))
                    .withMessageContaining("3").withMessageContaining("2");
            assertThatIllegalArgumentException().isThrownBy(() -> world.allreduce(Span.of(new int[3]),
                    Span.of(new long[3]), Reduction.SUM)).withMessageContaining("INT").withMessageContaining("LONG");
            if (world.rank() == 1) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> world.reduce(new double[3], new double[4], Reduction.SUM, 1));
            }
        });
    }

    @Test
    void shouldRejectCountsAndRangesThatCannotBe() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Span.of(MemorySegment.ofArray(new int[4]), DataType.INT, 0, -1));
        assertThatThrownBy(() -> Span.of(new int[4], 2, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Span.of(new int[4], -1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Span.of(new int[4], 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Span.of(MemorySegment.ofArray(new int[4]), DataType.INT, 4, 4))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(
                () -> Span.of(MemorySegment.ofArray(new byte[7]), DataType.INT)).withMessageContaining("7 bytes");
    }

    @Test
    void shouldRejectSegmentsOfAnotherType() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Span.of(MemorySegment.ofArray(new double[2]), DataType.LONG))
                .withMessageContaining("LONG");
    }

    @Test
    void shouldRejectRootsThatAreNoRanks() {
        onBothRanks(job -> {
            assertThatIllegalArgumentException().isThrownBy(() -> job.world().broadcast(new int[1], 2))
                    .withMessageContaining("root 2").withMessageContaining("0 to 1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> job.world().reduce(new int[1], Reduction.SUM, -1));
        });
    }

    @Test
    void shouldRejectOperatorsThatDoNotFitTheType() {
        onBothRanks(job -> {
            Communicator world = job.world();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> world.allreduce(new double[1], Reduction.BITWISE_AND))
                    .withMessageContaining("bitwise-and").withMessageContaining("DOUBLE");
            assertThatIllegalArgumentException().isThrownBy(() -> world.allreduce(new char[1], Reduction.SUM));
            assertThatIllegalArgumentException().isThrownBy(() -> world.allreduce(new boolean[1], Reduction.SUM));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> world.allreduce(new int[3], Reduction.MIN_LOCATION))
                    .withMessageContaining("units");
        });
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reduction.ofLongs("a name that is longer than thirty-two", true, Long::sum));
        assertThatIllegalArgumentException().isThrownBy(() -> Reduction.ofLongs("", true, Long::sum));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reduction.of("unit", DataType.INT, 0, true, (left, right, result, count) -> {
                }));
    }

    @Test
    void shouldRejectMemoryThatCannotBeUsed() {
        onBothRanks(job -> {
            Communicator world = job.world();
            MemorySegment readOnly = MemorySegment.ofArray(new byte[8]).asReadOnly();
            assertThatIllegalArgumentException().isThrownBy(() -> Span.of(readOnly, DataType.INT));
            try (Arena arena = Arena.ofConfined()) {
                Span written = Span.of(arena.allocate(8).asReadOnly(), DataType.LONG);
                assertThatIllegalArgumentException().isThrownBy(() -> world.allreduce(written, Reduction.SUM))
                        .withMessageContaining("read-only");
            }
            Arena closed = Arena.ofShared();
            Span gone = Span.of(closed.allocate(8), DataType.LONG);
            closed.close();
            assertThatIllegalStateException().isThrownBy(() -> world.broadcast(gone, 0))
                    .withMessageContaining("closed");
            long[] array = new long[4];
            assertThatIllegalArgumentException().isThrownBy(
                    () -> world.allreduce(Span.of(array, 0, 3), Span.of(array, 1, 3), Reduction.SUM))
                    .withMessageContaining("overlap");
        });
    }

    @Test
    void shouldRejectUnknownAlgorithmsAndListTheKnown() {
        onBothRanks(job -> assertThatIllegalArgumentException()
                .isThrownBy(() -> job.world().withAlgorithm(Collective.ALLREDUCE, "magic"))
                .withMessageStartingWith(
                        "there is no algorithm \"magic\" for allreduce; there are flat, srm, srm-binary, ")
                .withMessageContaining(", rank-order"));
    }

    @Test
    void shouldRejectDeadlinesAndSizesOfNothing() {
        onBothRanks(job -> assertThatIllegalArgumentException()
                .isThrownBy(() -> job.world().withDeadline(Duration.ZERO)));
        assertThatIllegalArgumentException().isThrownBy(() -> JobOptions.DEFAULT.withDeadline(Duration.ofMillis(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> Tutti.runLocal(0, _ -> {
        }));
        assertThatIllegalArgumentException().isThrownBy(() -> Tutti.runLocal(70_000, _ -> {
        }));
    }

    @Test
    void shouldRejectUseAfterClose() {
        Tutti.runLocal(2, job -> {
            job.close();
            job.close();
            assertThatIllegalStateException().isThrownBy(() -> job.world().barrier()).withMessageContaining("left");
            assertThatIllegalStateException().isThrownBy(() -> job.abort(1));
        });
        Job alone = Tutti.join();
        alone.close();
        assertThatIllegalStateException().isThrownBy(() -> alone.world().broadcast(new int[1], 0));
    }

    @Test
    void shouldRejectStatusesThatNoProcessCanHave() {
        onBothRanks(job -> assertThatIllegalArgumentException().isThrownBy(() -> job.abort(256)));
    }

    @Test
    void shouldNoticeTwoThreadsInOneCommunicator() throws Exception {
        CountDownLatch tried = new CountDownLatch(1);
        Tutti.runLocal(2, JobOptions.DEFAULT.withThreads(JobOptions.Threads.PLATFORM), job -> {
            if (job.rank() == 0) {
                Thread blocked = Thread.ofPlatform().start(() -> job.world().barrier());
                Thread.sleep(200);
                assertThatIllegalStateException().isThrownBy(() -> job.world().barrier())
                        .withMessageContaining("is inside barrier on the same communicator");
                tried.countDown();
                blocked.join();
            } else {
                tried.await();
                job.world().barrier();
            }
        });
    }

    @Test
    void shouldBeAJobOfOneWhenStartedAlone() {
        try (Job job = Tutti.join()) {
            double[] values = {1.5};
            double[] result = new double[1];
            job.world().barrier();
            job.world().broadcast(values, 0);
            job.world().allreduce(values, result, Reduction.SUM);
            assertThat(result[0]).isEqualTo(1.5);
            assertThat(job.size()).isEqualTo(1);
            assertThat(job.world().topology().nodes()).isEqualTo(1);
        }
    }
}
