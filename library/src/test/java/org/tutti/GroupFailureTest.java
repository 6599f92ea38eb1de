/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Failures that end a group, and end nothing else. */
@Timeout(120)
@Tag("sampled")
class GroupFailureTest {
    /** With the eager buffers of two nodes. */
    private static final long GROUP_BYTES = 9 << 20;

    private static final int[] ONE_NODE = {0, 0, 0, 0};
    private static final int[] TWO_NODES = {0, 1, 0, 1};

    static Stream<int[]> placements() {
        return Rows.sampled(Stream.of(new int[]{0, 0, 1, 1}, ONE_NODE, TWO_NODES));
    }

    private static void assertUsable(Communicator communicator) {
        for (int i = 0; i < 20; i++) {
            long[] data = new long[i * 100 + 1];
            Arrays.fill(data, communicator.rank());
            communicator.allreduce(data, Reduction.SUM);
            assertThat(data).containsOnly(communicator.size() * (communicator.size() - 1) / 2);
        }
    }

    @Test
    void shouldGoOnWithoutARankThatFailed() {
        assertThatThrownBy(() -> Tutti.runLocal(4, job -> {
            Communicator world = job.world();
            try (Communicator pair = world.split(world.rank() / 2, 0).withName("pairs");
                    Communicator odd = world.split(world.rank() % 2, 0)) {
                if (world.rank() == 3) {
                    throw new IllegalStateException("no more");
                }
                assertThatThrownBy(world::barrier).isInstanceOf(RankFailedException.class);
                if (world.rank() == 2) {
                    assertThatThrownBy(pair::barrier).isInstanceOf(RankFailedException.class)
                            .hasMessageContaining("rank 1 of \"pairs\" (rank 3 of the job, process ")
                            .satisfies(failure -> assertThat(((RankFailedException) failure).rank()).isEqualTo(3));
                } else {
                    assertUsable(pair);
                    try (Communicator again = pair.duplicate()) {
                        assertUsable(again);
                    }
                }
                if (world.rank() == 1) {
                    assertThatThrownBy(odd::barrier).isInstanceOf(RankFailedException.class);
                } else {
                    assertUsable(odd);
                }
            }
        })).isInstanceOf(RankFailedException.class).hasMessageContaining("no more");
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldBreakOnlyTheGroupWhoseOperatorThrows(int[] nodeOfRank) {
        var bad = Reduction.ofInts("bad", true, (_, _) -> {
            throw new ArithmeticException("wrong");
        });
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.split(world.rank() / 2, 0);
                    Communicator other = world.split(world.rank() % 2, 0)) {
                if (world.rank() < 2) {
                    assertThat(catchThrowable(() -> {
                        group.allreduce(new int[1], bad);
                        group.barrier();
                    })).isInstanceOfAny(ArithmeticException.class, CommunicatorBrokenException.class);
                    assertThatThrownBy(group::barrier).isInstanceOf(CommunicatorBrokenException.class);
                } else {
                    assertUsable(group);
                }
                assertUsable(other);
                assertUsable(world);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldBreakOnlyTheGroupWhoseDeadlineHasPassed(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.split(world.rank() / 2, 0)) {
                if (world.rank() == 0) {
                    assertThatThrownBy(group.withDeadline(Duration.ofMillis(50))::barrier)
                            .isInstanceOf(DeadlineExceededException.class);
                }
                assertUsable(world);
                if (world.rank() == 1) {
                    assertThatThrownBy(group::barrier).isInstanceOf(CommunicatorBrokenException.class)
                            .hasMessageContaining("passed its deadline");
                } else if (world.rank() > 1) {
                    assertUsable(group);
                }
            }
        });
    }

    /** Who breaks it may be the first that knows that all have come. */
    @ParameterizedTest
    @MethodSource("placements")
    void shouldMakeAGroupThatOneHasBrokenAlready(int[] nodeOfRank) {
        var broken = new AtomicInteger();
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            for (int i = 0; i < 60; i++) {
                try (Communicator group = world.create(0, 1, 2, 3)) {
                    if (world.rank() == i % 4) {
                        assertThatThrownBy(group.withDeadline(Duration.ofNanos(1))::barrier)
                                .isInstanceOf(DeadlineExceededException.class);
                        broken.incrementAndGet();
                    } else {
                        while (broken.get() <= i) {
                            Thread.yield(); // there are more ranks than cores
                        }
                        assertThatThrownBy(group::barrier).isInstanceOf(CommunicatorBrokenException.class);
                    }
                }
            }
            assertUsable(world);
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldBreakOnlyTheGroupInWhichARankIsInterrupted(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.split(world.rank() / 2, 0)) {
                if (world.rank() == 0) {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(group::barrier).isInstanceOf(CallInterruptedException.class);
                    assertThat(Thread.interrupted()).isTrue();
                }
                assertUsable(world);
            }
        });
    }

    /** The bytes of a broken group come when its memory belongs to another one. */
    @Test
    void shouldLetNoLatePutIntoAnotherGroupsMemory() {
        var entered = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var late = Reduction.ofLongs("late", true, (left, right) -> {
            entered.countDown();
            while (goOn.getCount() > 0) {
                Thread.onSpinWait();
            }
            return left + right;
        });
        LocalNodes.run(new int[]{0, 1, 1, 1}, job -> {
            Communicator world = job.world();
            int self = world.rank();
            Communicator broken = self < 3 ? world.create(0, 1, 2) : null;
            Communicator next = null;
            if (self == 0) {
                assertThatThrownBy(() -> broken.withDeadline(Duration.ofMillis(100)).reduce(new long[2_000], late, 0))
                        .isInstanceOf(DeadlineExceededException.class);
                broken.close();
                entered.await();
            }
            if (self % 3 == 0) {
                next = world.create(0, 3);
                assertUsable(next);
                goOn.countDown();
                for (int i = 0; i < 20; i++) {
                    assertUsable(next);
                }
                next.close();
            } else {
                long[] data = new long[2_000];
                Arrays.fill(data, -1);
                Throwable ended = catchThrowable(() -> broken.reduce(data, late, 0));
                if (ended != null) { // it has heard before it put the sum
                    assertThat(ended).isInstanceOf(CommunicatorBrokenException.class);
                }
                broken.close();
            }
            assertUsable(world);
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldGiveBackWhatABrokenGroupHad(int[] nodeOfRank) {
        var claimed = new AtomicLong();
        var after = new AtomicLong[]{new AtomicLong(), new AtomicLong()};
        var bad = Reduction.ofInts("bad", true, (_, _) -> {
            throw new ArithmeticException("wrong");
        });
        LocalNodes.run(nodeOfRank, () -> new CountedMemory(claimed), job -> {
            Communicator world = job.world();
            for (int round = 0; round < after.length; round++) {
                for (int i = 0; i < 50; i++) {
                    try (Communicator group = world.duplicate()) {
                        assertUsable(group);
                        world.barrier();
                        assertThat(catchThrowable(() -> {
                            group.allreduce(new int[10_000], bad);
                            group.barrier();
                        })).isNotNull();
                    }
                    world.barrier();
                }
                after[round].accumulateAndGet(claimed.get(), Math::max);
            }
        });
        assertThat(after[1].get() - after[0].get()).as("what two more at a time take on each of two nodes")
                .isLessThan(4 * GROUP_BYTES);
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldLetRanksLeaveWithGroupsOpenOrCloseThemInAnyOrder(int[] nodeOfRank) {
        var all = new AtomicLong();
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            Communicator[] groups = new Communicator[8];
            for (int i = 0; i < groups.length; i++) {
                groups[i] = world.duplicate();
                groups[i].broadcast(new long[10_000], i % 4);
            }
            for (int i = 0; i < groups.length; i++) {
                if (i != world.rank()) { // which is left open
                    groups[(i * (2 * world.rank() + 1)) % groups.length].close();
                }
            }
            all.incrementAndGet();
        });
        assertThat(all.get()).isEqualTo(nodeOfRank.length);
    }

    // ---- what is called wrong

    /** Who leaves the job before others have heard why is why they cannot go on. */
    private static void awaitAll(CountDownLatch heard) throws InterruptedException {
        heard.countDown();
        heard.await();
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldNameThoseWhoGiveDifferentLists(int[] nodeOfRank) {
        var named = new AtomicBoolean();
        var heard = new CountDownLatch(nodeOfRank.length);
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int[] ranks = world.rank() == 1 ? new int[]{0, 1, 2, 3} : new int[]{1, 0, 2};
            if (world.rank() < 3) {
                Throwable thrown = catchThrowable(() -> world.create(ranks));
                assertThat(thrown).isInstanceOf(CollectiveMismatchException.class);
                if (thrown.getMessage()
                        .matches("rank [012] called create at \\S+ for ranks \\[.*], but rank [012] makes another "
                                + "group, of ranks 0, 1, 2(, 3)? in some order; all members must give the same list")) {
                    named.set(true);
                }
            }
            awaitAll(heard);
        });
        assertThat(named).isTrue();
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldNameTheRankThatMakesAGroupWhileOthersCallSomethingElse(int[] nodeOfRank) {
        var named = new AtomicBoolean();
        var heard = new CountDownLatch(nodeOfRank.length);
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            Throwable thrown = catchThrowable(() -> {
                if (world.rank() == 1) {
                    world.create(0, 1);
                } else {
                    world.barrier();
                    world.barrier();
                }
            });
            assertThat(thrown).isInstanceOf(CollectiveMismatchException.class);
            if (thrown.getMessage().matches("rank 0 called barrier at \\S+, but rank 1 makes a group of ranks 0, 1 and "
                    + "waits for it to do the same; .*")) {
                named.set(true);
            }
            awaitAll(heard);
        });
        assertThat(named).isTrue();
    }

    /** One of them says so, and the others may have heard. */
    private static void assertPassedDeadlineIn(String call, Throwable thrown) {
        if (thrown instanceof DeadlineExceededException) {
            assertThat(thrown).hasMessageContaining(" passed its deadline in " + call + " while it waited for rank ");
        } else {
            assertThat(thrown).isInstanceOf(CommunicatorBrokenException.class)
                    .hasMessageContaining(" cannot go on with " + call + ": ");
        }
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldEndTheMakingOfAGroupAtItsDeadline(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            int[] all = IntStream.range(0, world.size()).toArray();
            if (world.rank() != 3) {
                assertThat(catchThrowable(() -> world.withDeadline(Duration.ofMillis(200)).create(all)))
                        .satisfies(thrown -> assertPassedDeadlineIn("create", thrown));
            } else {
                Thread.sleep(600);
                assertThatThrownBy(() -> world.create(all)).isInstanceOf(CommunicatorBrokenException.class)
                        .hasMessageContaining("passed its deadline");
            }
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldNameTheCallThatComesTogetherInABarrier(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            if (world.rank() != 3) {
                assertThat(catchThrowable(() -> world.withDeadline(Duration.ofMillis(200)).duplicate()))
                        .satisfies(thrown -> assertPassedDeadlineIn("duplicate", thrown));
            } else {
                Thread.sleep(600);
                assertThatThrownBy(world::duplicate).isInstanceOf(CommunicatorBrokenException.class)
                        .hasMessageContaining("cannot go on with duplicate");
            }
        });
    }

    /** Not all of them can be said. */
    @Test
    void shouldSayThatThereAreMoreRanksThanItNames() {
        var named = new AtomicBoolean();
        var heard = new CountDownLatch(2);
        LocalNodes.run(new int[300], job -> {
            Communicator world = job.world();
            if (world.rank() < 2) {
                int[] ranks = world.rank() == 0 ? new int[]{0, 1, 255, 299} : new int[]{1, 0, 254};
                Throwable thrown = catchThrowable(() -> world.create(ranks));
                assertThat(thrown).isInstanceOf(CollectiveMismatchException.class);
                if (thrown.getMessage().contains("rank 0 makes another group, of ranks 0, 1 and others from 255 on in")
                        || thrown.getMessage().contains("rank 1 makes another group, of ranks 0, 1, 254 in")) {
                    named.set(true);
                }
                awaitAll(heard);
            } else {
                heard.await();
            }
        });
        assertThat(named).isTrue();
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldNotCloseWhatRemoteMemoryNeeds(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator group = job.world().split(0, -job.rank()).withName("back");
            RemoteMemory memory = group.allocate(8);
            Mutexes mutexes = memory.allocateMutexes(1);
            List<AutoCloseable> open = List.of(mutexes, memory);
            for (int closed = 0; closed < open.size(); closed++) {
                assertThatThrownBy(group::close).isInstanceOf(IllegalStateException.class)
                        .hasMessage("rank %d of \"back\" (rank %d of the job) cannot close the communicator while "
                                + "remote memory or mutexes that were allocated by it are open, %d in all; close them "
                                + "first", 3 - job.rank(), job.rank(), 2 - closed);
                assertUsable(group);
                open.get(closed).close();
            }
            group.close();
            assertThat(catchThrowable(group::barrier)).isInstanceOf(IllegalStateException.class);
        });
    }

    /** What cannot be used any more does not keep its communicator open. */
    @ParameterizedTest
    @MethodSource("placements")
    void shouldCloseABrokenGroupWhoseMemoryWasClosedInVain(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            Communicator group = world.duplicate();
            RemoteMemory memory = group.allocate(8);
            if (world.rank() == 0) {
                assertThatThrownBy(group.withDeadline(Duration.ofMillis(20))::barrier)
                        .isInstanceOf(DeadlineExceededException.class);
            }
            world.barrier();
            assertThatThrownBy(memory::close).isInstanceOf(TuttiException.class);
            group.close();
            assertUsable(world);
        });
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldNameOperationsOfAGroupThatWereStartedInDifferentOrders(int[] nodeOfRank) {
        var messages = new ConcurrentLinkedQueue<String>();
        var heard = new CountDownLatch(nodeOfRank.length);
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.create(3, 2, 1, 0).withName("back")) {
                NonBlockingCommunicator calls = group.nonBlocking();
                boolean first = world.rank() == 2;
                Request one = first ? calls.barrier() : calls.allreduce(new int[1], Reduction.SUM);
                Request other = first ? calls.allreduce(new int[1], Reduction.SUM) : calls.barrier();
                Throwable thrown = catchThrowable(() -> Request.awaitAll(one, other));
                assertThat(thrown).isInstanceOf(CollectiveMismatchException.class);
                awaitAll(heard);
                messages.add(catchThrowable(other::await).getMessage()); // either may be the one that has found it
                messages.add(catchThrowable(one::await).getMessage());
            }
            assertUsable(world);
        });
        String rank = "rank \\d of \"back\" \\(rank \\d of the job\\) called ";
        assertThat(messages).anySatisfy(each -> assertThat(each)
                .matches(rank + ".* as call number [23] on its communicator, but " + rank + ".*"));
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldMakeNoGroupOfABrokenCommunicator(int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world();
            try (Communicator group = world.create(0, 1, 2, 3)) {
                if (world.rank() == 0) {
                    assertThatThrownBy(group.withDeadline(Duration.ofMillis(20))::barrier)
                            .isInstanceOf(DeadlineExceededException.class);
                }
                world.barrier();
                if (world.rank() == 0) {
                    assertThatThrownBy(() -> group.create(0)).isInstanceOf(CommunicatorBrokenException.class)
                            .hasMessageContaining("cannot go on with create").hasMessageContaining("its deadline");
                }
            }
        });
    }

    @Test
    void shouldRefuseOtherCallsWhileAGroupIsMade() {
        LocalNodes.run(new int[]{0, 0}, job -> {
            Communicator parent = job.world().duplicate();
            if (job.rank() == 0) {
                Thread maker = Thread.startVirtualThread(() -> parent.create(0, 1).close());
                Throwable refused = null;
                while (refused == null) {
                    Thread.sleep(10);
                    refused = catchThrowable(() -> parent.create(0).close());
                }
                assertThat(refused).isInstanceOf(IllegalStateException.class).hasMessageContaining(
                        "is inside create on the same communicator");
                assertThatThrownBy(parent::close).isInstanceOf(IllegalStateException.class);
                job.world().barrier();
                maker.join();
            } else {
                job.world().barrier();
                parent.create(0, 1).close();
            }
            parent.close();
        });
    }

    @Test
    void shouldNameARankThatHasClosedToARootThatRunsAhead() {
        LocalNodes.run(new int[]{0, 0}, job -> {
            Communicator group = job.world().duplicate().withName("rows");
            if (job.rank() == 1) {
                group.close();
            }
            job.world().barrier();
            if (job.rank() == 0) {
                assertThatThrownBy(() -> {
                    for (int i = 0; i < 200; i++) {
                        group.broadcast(new int[1], 0);
                    }
                }).isInstanceOf(CommunicatorBrokenException.class)
                        .hasMessageContaining("rank 1 of \"rows\" (rank 1 of the job) has closed the communicator");
            }
            job.world().barrier();
        });
    }

    /** All come together in a barrier of the communicator; it is none that somebody else may call. */
    @ParameterizedTest
    @MethodSource("placements")
    void shouldNameWhoCallsSomethingElseWhileAllMakeGroups(int[] nodeOfRank) {
        List<Consumer<Communicator>> calls = List.of(Communicator::barrier, each -> each.splitByNode().close(),
                each -> each.split(0, 0).close(), each -> each.allreduce(new int[1], Reduction.SUM),
                each -> each.create(0, 1, 2, 3).close());
        for (Consumer<Communicator> call : calls) {
            var heard = new CountDownLatch(nodeOfRank.length);
            LocalNodes.run(nodeOfRank, job -> {
                Communicator world = job.world();
                assertThat(catchThrowable(() -> {
                    if (world.rank() == 3) {
                        call.accept(world);
                    } else {
                        world.duplicate().close();
                    }
                    world.barrier();
                })).isInstanceOf(CollectiveMismatchException.class);
                awaitAll(heard);
            });
        }
    }
}
