/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Communicator;
import org.tutti.DeadlineExceededException;
import org.tutti.JobOptions;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.Tutti;
import org.tutti.TuttiException;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.PrivateNode;
import org.tutti.job.node.Secret;
import org.tutti.memory.CallSite;
import org.tutti.memory.WaitClock;
import org.tutti.memory.Waits;

import static org.assertj.core.api.Assertions.assertThat;

/** The message of a deadline about ranks that are threads. */
@Timeout(120)
class FirstDeadlineTest {
    private static final int RANKS = 4;
    private static final Duration LIMIT = Duration.ofMillis(900);
    private static final Duration SHORT_LIMIT = Duration.ofMillis(300);

    /** The line that calls this. */
    private static int line() {
        return new Throwable().getStackTrace()[1].getLineNumber();
    }

    private static String here(AtomicInteger line) {
        return FirstDeadlineTest.class.getName() + ":" + line;
    }

    @ParameterizedTest
    @EnumSource(JobOptions.Threads.class)
    void shouldSayWhereAllRanksAreInOneOfTheExceptions(JobOptions.Threads threads) {
        var messages = new String[RANKS];
        var outside = new AtomicInteger();
        var inside = new AtomicInteger();
        var over = new CountDownLatch(RANKS - 1);
        Tutti.runLocal(RANKS, JobOptions.DEFAULT.withThreads(threads), job -> {
            if (job.rank() == 2) {
                outside.set(line() + 1);
                over.await();
                return;
            }
            try {
                inside.set(line() + 1);
                job.world().withDeadline(LIMIT).barrier();
            } catch (TuttiException e) {
                messages[job.rank()] = e.getMessage();
            }
            over.countDown();
        });
        var reports = Arrays.stream(messages).filter(message -> message != null && message.contains("\n"))
                .toList();
        assertThat(reports).hasSize(1);
        assertThat(reports.getFirst()).matches("rank [013] passed its deadline in barrier .*\n"
                + "  rank 2 is in no call, at " + here(outside) + "\n"
                + "  ranks 0-1, 3 are in barrier, call 1 on the world, at " + here(inside)
                + ", for \\d+ m?s, waiting for ranks? [0-3, -]+");
    }

    @Test
    void shouldTellWaitsForRequestsAndNotifications() {
        var message = new AtomicReference<String>();
        var thread = new AtomicReference<Thread>();
        var request = new AtomicInteger();
        var notification = new AtomicInteger();
        Tutti.runLocal(2, job -> {
            var world = job.world();
            if (job.rank() == 0) {
                thread.set(Thread.currentThread());
            }
            if (job.rank() == 1) {
                awaitThatRank0WaitsIn("allocate", thread); // so that this one need not wait there
            }
            try (var memory = (job.rank() == 0 ? world : world.withDeadline(LIMIT)).allocate(8)) {
                if (job.rank() == 0) {
                    var barrier = world.nonBlocking().barrier();
                    request.set(line() + 1);
                    barrier.await();
                } else {
                    awaitThatRank0WaitsIn("await", thread);
                    try {
                        notification.set(line() + 1);
                        memory.awaitNotifications(3, 1);
                    } catch (DeadlineExceededException e) {
                        message.set(e.getMessage());
                    }
                    world.nonBlocking().barrier().await();
                }
            }
        });
        assertThat(message.get()).matches("rank 1 passed its deadline in awaitNotifications .*\n"
                + "  rank 0 is in await of barrier, call \\d+ on the world, at " + here(request)
                + ", for \\d+ m?s, waiting for rank 1\n"
                + "  rank 1 is in awaitNotifications \\(word 3, count 1\\) on the world, at " + here(notification)
                + ", for \\d+ m?s, waiting for any rank");
    }

    private record Awaiting(String name, Consumer<Communicator> call) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Awaiting> awaiting() {
        return Stream.of(
                new Awaiting("run of allreduce", world -> world.prepare().allreduce(new int[1], Reduction.SUM).run()),
                new Awaiting("await of allreduce",
                        world -> world.prepare().allreduce(new int[1], Reduction.SUM).start().await()),
                new Awaiting("await of allreduce", world -> world.nonBlocking().allreduce(new int[1], Reduction.SUM)
                        .await(Duration.ofMinutes(1))),
                new Awaiting("awaitAll of allreduce",
                        world -> Request.awaitAll(world.nonBlocking().allreduce(new int[1], Reduction.SUM))),
                new Awaiting("awaitAny of allreduce",
                        world -> Request.awaitAny(world.nonBlocking().allreduce(new int[1], Reduction.SUM))),
                new Awaiting("awaitSome of allreduce",
                        world -> Request.awaitSome(world.nonBlocking().allreduce(new int[1], Reduction.SUM))));
    }

    @ParameterizedTest
    @MethodSource("awaiting")
    void shouldNameTheCollectiveOfACallThatWasMadeOrPreparedBefore(Awaiting awaiting) {
        var message = new AtomicReference<String>();
        var thread = new AtomicReference<Thread>();
        Tutti.runLocal(2, job -> {
            var world = job.world();
            if (job.rank() == 0) {
                thread.set(Thread.currentThread());
            }
            if (job.rank() == 0) {
                world.allocate(8); // left open: its end would have the limit, too
                awaiting.call.accept(world);
            } else {
                awaitThatRank0WaitsIn("allocate", thread); // so that this one need not wait there
                var memory = world.withDeadline(SHORT_LIMIT).allocate(8);
                awaitThatRank0WaitsIn(awaiting.name.split(" ")[0], thread);
                try {
                    memory.awaitNotifications(3, 1);
                } catch (DeadlineExceededException e) {
                    message.set(e.getMessage());
                }
                world.allreduce(new int[1], Reduction.SUM);
            }
        });
        assertThat(message.get()).containsPattern("\n  rank 0 is in " + awaiting.name + ", call \\d+ on the world, at "
                + FirstDeadlineTest.class.getName() + ".*, for \\d+ m?s, waiting for rank 1\n");
    }

    @Test
    void shouldCallAnAllocationWhatItIs() {
        var message = new AtomicReference<String>();
        var over = new CountDownLatch(1);
        Tutti.runLocal(2, job -> {
            if (job.rank() == 0) {
                over.await();
                return;
            }
            try {
                job.world().withDeadline(SHORT_LIMIT).allocate(8).close();
            } catch (DeadlineExceededException e) {
                message.set(e.getMessage());
            }
            over.countDown();
        });
        assertThat(message.get()).startsWith("rank 1 passed its deadline in allocate while it waited for rank 0")
                .containsPattern("\n  rank 1 is in allocate, call 1 on the world");
    }

    @Test
    void shouldTellForWhomAGroupIsAwaited() {
        var message = new AtomicReference<String>();
        var line = new AtomicInteger();
        var over = new CountDownLatch(1);
        Tutti.runLocal(2, job -> {
            if (job.rank() == 0) {
                over.await();
                return;
            }
            try {
                line.set(line() + 1);
                job.world().withDeadline(LIMIT).create(0, 1);
            } catch (DeadlineExceededException e) {
                message.set(e.getMessage());
            }
            over.countDown();
        });
        assertThat(message.get()).containsPattern(
                "\n  rank 1 is in create on the world, at " + here(line) + ", for \\d+ m?s, waiting for rank 0");
    }

    @Test
    void shouldTellInWhichCallAnotherThreadOfTheProgramIs() {
        var message = new AtomicReference<String>();
        var line = new AtomicInteger();
        var over = new CountDownLatch(1);
        Tutti.runLocal(2, job -> {
            if (job.rank() == 1) {
                over.await();
                return;
            }
            var worker = Thread.ofPlatform().start(() -> {
                try {
                    line.set(line() + 1);
                    job.world().withDeadline(LIMIT).barrier();
                } catch (DeadlineExceededException e) {
                    message.set(e.getMessage());
                }
            });
            worker.join();
            over.countDown();
        });
        assertThat(message.get())
                .contains("\n  rank 0 is in barrier, call 1 on the world, at " + here(line) + ", for ");
    }

    /** Rank 0 of the other job is in a call, that of this one in none. */
    @Test
    void shouldTellNothingOfOtherJobsOfTheProcess() throws InterruptedException {
        var message = new AtomicReference<String>();
        var line = new AtomicInteger();
        var over = new CountDownLatch(1);
        var other = Thread.ofPlatform().start(() -> Tutti.runLocal(2, job -> {
            if (job.rank() == 1) {
                over.await();
            }
            job.world().barrier();
        }));
        Tutti.runLocal(2, job -> {
            if (job.rank() == 0) {
                line.set(line() + 1);
                over.await();
                return;
            }
            try {
                job.world().withDeadline(LIMIT).barrier();
            } catch (DeadlineExceededException e) {
                message.set(e.getMessage());
            }
            over.countDown();
        });
        other.join();
        assertThat(message.get()).contains("\n  rank 0 is in no call, at " + here(line));
    }

    /** A clock that sleeping moves. At a given time the first rank with a passed deadline has its answers. */
    private static final class MovedClock implements WaitClock {
        private final Node node;
        private final long answeredNanos;
        private long now;

        MovedClock(Node node, Duration answered) {
            this.node = node;
            this.answeredNanos = answered.toNanos();
        }

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void park(long nanos) {
            now += nanos;
            if (now >= answeredNanos) {
                node.endFirstDeadline();
            }
        }
    }

    private static PrivateNode twoRanks() {
        var access = new PrivateNode(NodeShape.single("deadlines", 2), Secret.random());
        access.node().markJoined(0, 0);
        access.node().markJoined(1, 1);
        return access;
    }

    @Test
    void shouldGiveProcessesASecondToAnswer() {
        try (var access = twoRanks()) {
            var node = access.node();
            var clock = new MovedClock(node, Duration.ofHours(1));
            assertThat(new FirstDeadline(node, new RankThreads(node), clock).passed(1))
                    .isEqualTo("\n  ranks 0-1 do not answer");
            assertThat(Duration.ofNanos(clock.now)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1005));
        }
    }

    @ParameterizedTest
    @CsvSource({"300, 300", "999, 999", "1500, 1000"})
    void shouldLetTheFirstHaveItsAnswersForASecondAtMost(long answeredMillis, long waitedMillis) {
        try (var access = twoRanks()) {
            var node = access.node();
            assertThat(node.beginFirstDeadline(0)).isTrue();
            var clock = new MovedClock(node, Duration.ofMillis(answeredMillis));
            assertThat(new FirstDeadline(node, new RankThreads(node), clock).passed(1)).isEmpty();
            assertThat(Duration.ofNanos(clock.now).toMillis()).isBetween(waitedMillis, waitedMillis + 2);
        }
    }

    /**
     * Until rank 0 is in a call and waits, on its thread or one that runs its requests, for so long that a report says
     * for whom.
     */
    private static void awaitThatRank0WaitsIn(String call, AtomicReference<Thread> thread) {
        while (!Optional.ofNullable(thread.get()).flatMap(CallSite::of).map(CallSite::call).orElse("").equals(call)
                || Waits.all().values().stream()
                        .map(wait -> wait.call().get()).noneMatch(waiting -> waiting != null && waiting.rank() == 0)) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
