/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.diagnosis.MachineTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Ranks that call different things: all of them hear of it within a second, and some message names both calls. */
@Timeout(120)
class MismatchTest {
    private static final Span EIGHT = Span.of(new double[8]);

    /** Lets rank 1 do something else than the others; returns the messages of all that was thrown. */
    private static List<String> differ(int ranks, BiConsumer<Communicator, Boolean> call) {
        List<String> messages = Collections.synchronizedList(new ArrayList<>());
        Tutti.runLocal(ranks, job -> {
            MachineTime time = new MachineTime();
            try {
                call.accept(job.world(), job.rank() == 1);
                job.world().barrier(); // who could return hears of it now
            } catch (CollectiveMismatchException e) {
                messages.add(e.getMessage());
            }
            assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(1));
            assertThat(messages).isNotEmpty();
        });
        assertThat(messages).hasSize(ranks);
        return messages;
    }

    private static void assertNames(List<String> messages, String one, String other) {
        assertThat(messages).anySatisfy(message -> assertThat(message).contains(one).contains(other));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldNameBothCollectives(int ranks) {
        List<String> messages = differ(ranks, (world, odd) -> {
            if (odd) {
                world.broadcast(EIGHT, 0);
            } else {
                world.barrier();
            }
        });
        assertNames(messages, "barrier", "broadcast (algorithm slot-ring) of 8 double elements with root 0");
    }

    @Test
    void shouldNameTheAlgorithmThatReallyRuns() {
        int count = (16 << 10) / Double.BYTES;
        List<String> messages = differ(2, (world, odd) -> {
            double[] block = new double[odd ? 1 : count];
            world.withAlgorithm(Collective.ALLGATHER, "bruck").allgather(block, new double[2 * block.length]);
        });
        assertNames(messages, "allgather (algorithm bruck: ring on one node) of 2048 double",
                "allgather (algorithm bruck: direct on one node) of 1 double");
    }

    /** Bruck's allgather on one node moves blocks of 16 KiB in a ring, and records of 256 bytes directly. */
    @Test
    void shouldNameTheAlgorithmsThatMoveBlocksOfAnyLength() {
        List<String> messages = differ(2, (world, odd) -> {
            if (odd) {
                allgatherBlocks(world);
            } else {
                world.barrier();
            }
        });
        assertNames(messages, "barrier",
                "allgather (algorithm bruck: direct on one node, rest by blocks) of blocks of double");
        assertThat(messageOfDeadline(MismatchTest::allgatherBlocks))
                .contains("in allgather (algorithm bruck: direct on one node, rest by blocks) while");
    }

    private static void allgatherBlocks(Communicator world) {
        int count = (16 << 10) / Double.BYTES;
        world.withAlgorithm(Collective.ALLGATHER, "bruck").allgather(new double[count], new double[2 * count],
                Blocks.of(count, count));
    }

    @Test
    void shouldNameTheAlgorithmThatReallyRunsWhenTheTimeIsOver() {
        assertThat(messageOfDeadline(world -> world.withAlgorithm(Collective.BARRIER, "halving").barrier()))
                .contains("passed its deadline in barrier (algorithm halving: srm on one node) while");
    }

    /** {@return the message of rank 0, whose call ends by a deadline because rank 1 does not call} */
    private static String messageOfDeadline(Consumer<Communicator> call) {
        CountDownLatch late = new CountDownLatch(1);
        AtomicReference<String> message = new AtomicReference<>();
        Tutti.runLocal(2, job -> {
            if (job.rank() == 1) {
                late.await();
                return;
            }
            Communicator limited = job.world().withDeadline(Duration.ofMillis(100));
            assertThatThrownBy(() -> call.accept(limited)).isInstanceOfSatisfying(DeadlineExceededException.class,
                    thrown -> message.set(thrown.getMessage()));
            late.countDown();
        });
        return message.get();
    }

    @Test
    void shouldNameBothRoots() {
        assertNames(differ(3, (world, odd) -> world.broadcast(EIGHT, odd ? 1 : 2)), "root 1", "root 2");
        assertNames(differ(3, (world, odd) -> world.reduce(EIGHT, Reduction.SUM, odd ? 2 : 0)), "root 2", "root 0");
    }

    @Test
    void shouldNameBothCounts() {
        assertNames(differ(3, (world, odd) -> world.allreduce(new long[odd ? 5 : 6], Reduction.SUM)), "of 5 long",
                "of 6 long");
        assertNames(differ(2, (world, odd) -> world.allreduce(new long[odd ? 5 : 60_000], Reduction.SUM)), "of 5 long",
                "of 60000 long");
    }

    @Test
    void shouldNameBothTypes() {
        assertNames(differ(2, (world, odd) -> {
            if (odd) {
                world.allreduce(new float[2], Reduction.SUM);
            } else {
                world.allreduce(new double[2], Reduction.SUM);
            }
        }), "2 float", "2 double");
    }

    @Test
    void shouldNameBothOperators() {
        Reduction mine = Reduction.ofInts("mine", true, Integer::sum);
        assertNames(differ(2, (world, odd) -> world.allreduce(new int[2], odd ? Reduction.MAX : Reduction.MIN)),
                "operator max", "operator min");
        assertNames(differ(2, (world, odd) -> world.allreduce(new int[2], odd ? mine : Reduction.SUM)), "operator mine",
                "operator sum");
    }

    @Test
    void shouldNameOperatorsThatBeginAlike() {
        Reduction left = Reduction.ofLongs("quaternion-product-left", true, Long::sum);
        Reduction right = Reduction.ofLongs("quaternion-product-right", true, Long::sum);
        assertNames(differ(2, (world, odd) -> world.allreduce(new long[2], odd ? left : right)),
                "quaternion-product-left", "quaternion-product-right");
    }

    @Test
    void shouldNoticeOperatorsThatAreDeclaredDifferently() {
        RangeOperator keepLeft = (left, right, result, count) -> result.copyFrom(left);
        Reduction commutes = Reduction.of("own", DataType.LONG, 1, true, keepLeft);
        Reduction doesNot = Reduction.of("own", DataType.LONG, 1, false, keepLeft);
        Reduction inPairs = Reduction.of("own", DataType.LONG, 2, true, keepLeft);
        assertNames(differ(3, (world, odd) -> world.allreduce(new long[2], odd ? commutes : doesNot)), "operator own",
                "operator own that does not commute");
        assertNames(differ(3, (world, odd) -> world.allreduce(new long[2], odd ? commutes : inPairs)), "operator own",
                "operator own in units of 2 elements");
    }

    @Test
    void shouldNameBothAlgorithms() {
        assertNames(differ(4, (world, odd) -> world.withAlgorithm(Collective.ALLREDUCE, odd ? "flat" : "srm")
                .allreduce(new int[2], Reduction.SUM)), "algorithm flat", "algorithm srm");
    }

    @Test
    void shouldNoticeCallsInAnotherOrder() {
        assertNames(differ(2, (world, odd) -> {
            for (int i = 0; i < 2; i++) {
                if (odd == (i == 0)) {
                    world.reduce(EIGHT, Reduction.SUM, 0);
                } else {
                    world.allreduce(EIGHT, Reduction.SUM);
                }
            }
        }), "reduce (algorithm", "allreduce (algorithm");
    }

    /** Lengths whose hash by {@link java.util.Arrays#hashCode(int[])} is the same. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldTellLengthsOfBlocksApartThatDifferInARegularWay(int ranks) {
        int[] usual = {10, 40, 5, 1, 1};
        int[] odd = {11, 9, 5, 1, 1};
        List<String> messages = differ(ranks, (world, isOdd) -> {
            Blocks blocks = Blocks.of(Arrays.copyOf(isOdd ? odd : usual, ranks));
            world.reduceScatter(new int[(int) blocks.end()], blocks,
                    new int[(int) blocks.count(world.rank())], Reduction.SUM);
        });
        assertNames(messages, "of blocks of int elements (" + IntStream.range(0, ranks).map(rank -> usual[rank]).sum()
                + " in all, the longest block 40 for rank 1)", "the longest block 11 for rank 0)");
        assertThat(messages).anyMatch(message -> message.contains(" with blocks of 10, 40")
                || message.contains(" with blocks of 11, 9"));
    }

    @Test
    void shouldSayThatLengthsDifferWhereSumAndLongestDoNot() {
        List<String> messages = differ(3, (world, isOdd) -> {
            Blocks blocks = isOdd ? Blocks.of(40, 2, 3) : Blocks.of(40, 3, 2);
            world.reduceScatter(new int[45], blocks, new int[(int) blocks.count(world.rank())], Reduction.SUM);
        });
        assertNames(messages, "with blocks of 40, ", "called it with other lengths of the blocks");
    }

    @Test
    void shouldTellLengthsApartInRequestsAndPreparedCalls() {
        assertNames(differ(2, (world, isOdd) -> {
            Blocks blocks = isOdd ? Blocks.of(11, 9) : Blocks.of(10, 40);
            world.nonBlocking().reduceScatter(new int[50], blocks, new int[(int) blocks.count(world.rank())],
                    Reduction.SUM).await();
        }), "the longest block 40 for rank 1)", "the longest block 11 for rank 0)");
    }
}
