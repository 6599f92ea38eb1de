/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A difference in the last calls of a job, in which no rank waits for another one, is found when the job or the group
 * closes: on one node, and between nodes.
 */
@Timeout(120)
class LastCallTest {
    private static final int NUMBERS = 4;

    /** For each rank its node. */
    private static final List<int[]> LAYOUTS = List.of(new int[]{0, 0, 0, 0}, new int[]{0, 0}, new int[]{0, 1},
            new int[]{0, 0, 1, 1}, new int[]{0, 1, 2}, new int[]{0, 1, 0, 1});

    /** Calls that leave a rank out, in which the others wait for nobody. */
    private enum Skipped {
        GATHER_WITHOUT_ROOT(true, (world, isSkipped) -> {
            for (int call = 0; call < (isSkipped ? 9 : 10); call++) {
                world.gather(new int[NUMBERS], new int[NUMBERS * world.size()], 0);
            }
        }),
        REDUCE_WITHOUT_ROOT(true, (world, isSkipped) -> {
            if (!isSkipped) {
                world.reduce(new double[NUMBERS], Reduction.SUM, 0);
            }
        }),
        LONG_REDUCE_WITHOUT_ROOT(true, (world, isSkipped) -> {
            if (!isSkipped) {
                world.reduce(new double[200], Reduction.SUM, 0);
            }
        }),
        BROADCAST_WITHOUT_OTHER(false, (world, isSkipped) -> {
            if (!isSkipped) {
                world.broadcast(new long[NUMBERS], 0);
            }
        }),
        SCATTER_WITHOUT_OTHER(false, (world, isSkipped) -> {
            if (!isSkipped) {
                world.scatter(new byte[world.size()], new byte[1], 0);
            }
        }),
        SCAN_WITHOUT_LAST(false, (world, isSkipped) -> {
            if (!isSkipped) {
                world.scan(new int[]{1}, Reduction.SUM);
            }
        }),
        STARTED_REDUCE_WITHOUT_ROOT(true, (world, isSkipped) -> {
            if (!isSkipped) {
                world.nonBlocking().reduce(new double[NUMBERS], Reduction.SUM, 0).await();
            }
        }),
        PREPARED_BROADCAST_WITHOUT_OTHER(false, (world, isSkipped) -> {
            var prepared = world.prepare().broadcast(new long[NUMBERS], 0);
            if (!isSkipped) {
                prepared.run();
            }
        }),
        REDUCE_IN_A_GROUP_WITHOUT_ROOT(true, (world, isSkipped) -> {
            Communicator group = world.duplicate();
            if (!isSkipped) {
                group.reduce(new double[NUMBERS], Reduction.SUM, 0);
            }
        }),
        REDUCE_IN_A_CLOSED_GROUP_WITHOUT_ROOT(true, (world, isSkipped) -> {
            try (Communicator group = world.duplicate()) {
                if (!isSkipped) {
                    group.reduce(new double[NUMBERS], Reduction.SUM, 0);
                }
            }
        });

        private final boolean skipsFirst;
        private final BiConsumer<Communicator, Boolean> calls;

        Skipped(boolean skipsFirst, BiConsumer<Communicator, Boolean> calls) {
            this.skipsFirst = skipsFirst;
            this.calls = calls;
        }

        /** Lets the first or the last rank leave the last call out. */
        void run(Job job) {
            Communicator world = job.world();
            world.barrier();
            calls.accept(world, world.rank() == (skipsFirst ? 0 : world.size() - 1));
        }

        /** Lets no rank leave it out. */
        void runWhole(Job job) {
            job.world().barrier();
            calls.accept(job.world(), false);
        }
    }

    static List<Arguments> skipped() {
        return Arrays.stream(Skipped.values())
                .flatMap(each -> LAYOUTS.stream().map(layout -> Arguments.of(each, layout))).toList();
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("skipped")
    void shouldFindThatARankHasLeftTheLastCallOut(Skipped skipped, int[] nodeOfRank) {
        assertThatThrownBy(() -> LocalNodes.run(nodeOfRank, skipped::run))
                .satisfies(thrown -> assertThat(thrownByRanks(thrown)).anyMatch(LastCallTest::namesTheLastCall));
    }

    /** What the ranks threw, or the process of one of them when it ended. */
    private static Stream<Throwable> thrownByRanks(Throwable thrown) {
        return thrown instanceof AssertionError
                ? Stream.concat(Stream.of(thrown.getCause()), Arrays.stream(thrown.getSuppressed()))
                : Stream.of(thrown);
    }

    /** The calls that differ; or that the other rank has left, if this one has to wait for it in the last call. */
    private static boolean namesTheLastCall(Throwable failure) {
        return switch (failure) {
            case CollectiveMismatchException mismatch -> mismatch.isFirstHand()
                    && mismatch.getMessage().matches(".* (made|called different) .*; all ranks .*");
            case RankFailedException _ -> failure.getMessage().contains("has left the job");
            default -> false;
        };
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("skipped")
    void shouldHaveNothingAgainstRanksThatMakeAllCalls(Skipped skipped, int[] nodeOfRank) {
        LocalNodes.run(nodeOfRank, skipped::runWhole);
    }

    @Test
    void shouldNameTheCallThatWasLeftOut() {
        assertThatThrownBy(() -> LocalNodes.run(new int[]{0, 0}, Skipped.GATHER_WITHOUT_ROOT::run)).cause()
                .hasMessageMatching("rank 1 called gather \\(algorithm \\S+\\) of 4 int elements with root 0 as call"
                        + " number 11 on its communicator, but rank 0 made 10 calls there in all.*");
        assertThatThrownBy(() -> LocalNodes.run(new int[]{0, 1}, Skipped.GATHER_WITHOUT_ROOT::run))
                .hasMessageMatching("rank 1 called gather \\(algorithm \\S+\\) of 4 int elements with root 0 as call"
                        + " number 11 on its communicator, but rank 0 made 10 calls there in all.*");
    }

    /** A deadline breaks the group at one rank, which goes on; the others may not know when they leave. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldHaveNothingAgainstAGroupThatIsBroken(int nodeOfSecond) {
        LocalNodes.run(new int[]{0, nodeOfSecond}, job -> {
            Communicator group = job.world().duplicate();
            if (job.rank() == 0) {
                assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(
                        () -> group.withDeadline(Duration.ofMillis(20)).reduce(new int[1], Reduction.SUM, 0));
            }
            job.world().barrier();
        });
    }

    private static void assertThatItDiffers(int ranks, Consumer<Communicator> last, String one, String other) {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(ranks, job -> {
            job.world().barrier();
            last.accept(job.world());
        })).havingCause().isInstanceOf(CollectiveMismatchException.class).satisfies(mismatch -> {
            assertThat(mismatch).message().contains(one, other);
            assertThat(((CollectiveMismatchException) mismatch).isFirstHand()).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void shouldFindAnotherRoot(int ranks) {
        assertThatItDiffers(ranks, world -> world.broadcast(new int[3], world.rank()), "with root ",
                "as call number 2 on its communicator, but rank ");
    }

    /** Rank 0 sends what is one operation, rank 1 what is many: their last operations have different numbers. */
    @Test
    void shouldFindAnotherCountThatIsMoreOperations() {
        assertThatItDiffers(2, world -> {
            if (world.rank() == 0) {
                world.broadcast(new byte[10], 0);
            } else {
                world.broadcast(new byte[1 << 20], 1);
            }
        }, "of 10 byte elements", "of 1048576 byte elements");
    }

    @Test
    void shouldFindItInAGroup() {
        assertThatItDiffers(3, world -> {
            Communicator group = world.split(world.rank() == 2 ? 1 : 0, 0);
            group.broadcast(new int[1], group.rank());
        }, "(rank 0 of the job) called broadcast", "(rank 1 of the job) called broadcast");
    }

    @Test
    void shouldFindItWhenAGroupIsClosed() {
        assertThatItDiffers(3, world -> {
            try (Communicator group = world.split(world.rank() == 2 ? 1 : 0, 0)) {
                group.broadcast(new int[1], group.rank());
            }
        }, "(rank 0 of the job) called broadcast", "(rank 1 of the job) called broadcast");
    }

    @Test
    void shouldNotTakeTheLineThatClosesTheJobForThatOfTheCall() {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(2, job -> {
            job.world().broadcast(new int[3], job.rank());
            job.close();
        })).havingCause().isInstanceOf(CollectiveMismatchException.class)
                .withMessageMatching(
                        "rank (\\d) called broadcast [^,]* with root \\1 as call number 1 on its communicator, "
                                + "but rank \\d called broadcast [^,]*, as was seen at \\S+LastCallTest\\.\\S+; .*");
    }

    @Test
    void shouldHaveNothingAgainstRanksThatLeaveBeforeOthersHaveCalled() {
        for (int round = 0; round < 50; round++) {
            Tutti.runLocal(3, job -> {
                job.world().barrier();
                for (int call = 0; call < 5; call++) {
                    job.world().broadcast(new byte[1 << call * 5], 0);
                }
            });
        }
    }

    @Test
    void shouldSayWhatARankThrewAndNotWhatItsOtherCallsWere() {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(2, job -> {
            job.world().barrier();
            if (job.rank() == 1) {
                throw new IllegalStateException("the cause");
            }
            job.world().broadcast(new int[1], 0);
        })).withMessageContaining("the cause");
    }
}
