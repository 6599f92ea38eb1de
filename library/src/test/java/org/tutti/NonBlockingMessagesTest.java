/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.MessageShape.LENGTHS;
import static org.tutti.MessageShape.bytes;
import static org.tutti.MessageShape.ints;
import static org.tutti.Messenger.ANY_RANK;
import static org.tutti.Messenger.ANY_TAG;

/** Non-blocking and prepared messages, and exchanges. */
@Timeout(120)
class NonBlockingMessagesTest {
    private static final int TAG = 7;

    private static int right(Communicator world) {
        return (world.rank() + 1) % world.size();
    }

    private static int left(Communicator world) {
        return (world.rank() + world.size() - 1) % world.size();
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryArraysOfAnyLengthAroundARing(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : LENGTHS) {
                byte[] ghost = new byte[length + 3];
                ReceiveRequest receive = world.nonBlocking().receive(ghost, left(world), TAG);
                Request send = world.nonBlocking().send(bytes(length, job.rank()), right(world), TAG);
                Request.awaitAll(receive, send);
                assertThat(Arrays.copyOf(ghost, length)).isEqualTo(bytes(length, left(world)));
                assertThat(receive.message().count()).isEqualTo(length);
                assertThat(receive.message().source()).isEqualTo(left(world));
                assertThat(receive.message().tag()).isEqualTo(TAG);
                assertThat(receive.isDone()).isTrue();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeArraysOfAnyLengthAroundARing(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : LENGTHS) {
                byte[] ghost = new byte[length + 3];
                long count = world.exchange(bytes(length, job.rank()), right(world), ghost, left(world), TAG);
                assertThat(count).isEqualTo(length);
                assertThat(Arrays.copyOf(ghost, length)).isEqualTo(bytes(length, left(world)));
            }
            boolean[] flags = new boolean[3];
            world.exchange(new boolean[]{job.rank() == 1, true}, job.rank(), flags, job.rank(), TAG);
            assertThat(flags).containsExactly(job.rank() == 1, true, false);
        });
    }

    /** The sender waits until the receive takes the message, and the receiver is in the barrier by then. */
    @ParameterizedTest
    @EnumSource
    void shouldReceiveWhileTheRankIsInABarrier(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : LENGTHS) {
                byte[] ghost = new byte[length];
                Request receive = job.rank() == 1 ? null : world.nonBlocking().receive(ghost, 1, TAG);
                if (job.rank() == 1) {
                    world.sendSynchronous(bytes(length, 1), 0, TAG);
                    world.sendSynchronous(bytes(length, 1), 2, TAG);
                }
                world.barrier();
                if (receive != null) {
                    receive.await();
                    assertThat(ghost).isEqualTo(bytes(length, 1));
                }
            }
        });
    }

    /** Neither rank calls Tutti after it has started its call, until the other rank has ended. */
    @ParameterizedTest
    @EnumSource(names = "VIRTUAL_THREADS", mode = EnumSource.Mode.EXCLUDE) // they compute on the carriers
    void shouldSendAndReceiveWhileTheRanksCompute(MessageShape shape) {
        for (int length : LENGTHS) {
            var send = new AtomicReference<Request>();
            var receive = new AtomicReference<Request>();
            byte[] ghost = new byte[length];
            shape.run(job -> {
                Communicator world = job.world();
                if (job.rank() == 0) {
                    receive.set(world.nonBlocking().receive(ghost, 1, TAG));
                    computeUntilDone(receive.get());
                } else if (job.rank() == 1) {
                    send.set(world.nonBlocking().sendSynchronous(bytes(length, 1), 0, TAG));
                    computeUntilDone(send.get());
                }
            });
            assertThat(ghost).isEqualTo(bytes(length, 1));
        }
    }

    private static void computeUntilDone(Request request) throws Exception {
        request.completion().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryManyMessagesInBothDirections(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int messages = 2000;
            List<Request> requests = new ArrayList<>();
            List<int[]> ghosts = new ArrayList<>();
            Random random = new Random(5);
            int[] lengths = random.ints(messages, 0, 30).map(each -> each == 0 ? 9000 : 10 * each * each).toArray();
            for (int i = 0; i < messages; i++) {
                requests.add(world.nonBlocking().send(ints(lengths[i], i), right(world), i % 3));
            }
            for (int i = 0; i < messages; i++) {
                ghosts.add(new int[lengths[i]]);
                requests.add(world.nonBlocking().receive(ghosts.get(i), left(world), i % 3));
            }
            Request.awaitAll(requests.toArray(Request[]::new));
            for (int i = 0; i < messages; i++) {
                assertThat(ghosts.get(i)).isEqualTo(ints(lengths[i], i));
            }
        });
    }

    /**
     * Random sends and receives with tags and wildcards, beside a sequential model: the receives of a source, in the
     * order of their calls, take the oldest message that they accept. Receives without a message are cancelled.
     */
    @ParameterizedTest
    @EnumSource
    void shouldMatchAsASequentialModel(MessageShape shape) {
        for (int seed = 0; seed < 8; seed++) {
            int ofHistory = seed;
            shape.run(job -> runHistory(job, ofHistory));
        }
    }

    private record Sent(int tag, int length, int number) {}

    private static void runHistory(Job job, int seed) throws InterruptedException {
        int count = 150;
        Random same = new Random(seed);
        List<Sent> sent = new ArrayList<>(); // by each rank to the right
        for (int i = 0; i < count; i++) {
            sent.add(new Sent(same.nextInt(4), LENGTHS[same.nextInt(14)] / Integer.BYTES, i));
        }
        int[] tags = same.ints(count, -1, 4).toArray(); // of receives; -1 is any
        Random own = new Random(seed * 31L + job.rank());
        Communicator world = job.world();
        try (Communicator ends = world.duplicate()) {
            List<Request> sends = new ArrayList<>();
            List<ReceiveRequest> receives = new ArrayList<>();
            List<int[]> ghosts = new ArrayList<>();
            while (sends.size() < count || receives.size() < count) {
                if (receives.size() == count || sends.size() < count && own.nextBoolean()) {
                    Sent next = sent.get(sends.size());
                    sends.add(world.nonBlocking().send(ints(next.length, next.number), right(world), next.tag));
                } else {
                    ghosts.add(new int[LENGTHS[13] / Integer.BYTES]);
                    int tag = tags[receives.size()];
                    receives.add(world.nonBlocking().receive(ghosts.getLast(), left(world), tag < 0 ? ANY_TAG : tag));
                }
                if (own.nextInt(20) == 0) {
                    Thread.sleep(0, own.nextInt(999_999));
                }
            }
            ends.exchange(new int[1], right(world), new int[1], left(world), 0); // all messages have come before
            List<Sent> left = new ArrayList<>(sent);
            for (int i = 0; i < count; i++) {
                int tag = tags[i];
                Sent expected = left.stream().filter(each -> tag < 0 || each.tag == tag).findFirst().orElse(null);
                if (expected == null) {
                    assertThat(receives.get(i).cancel()).isTrue();
                    assertThatThrownBy(receives.get(i)::await).isInstanceOf(CancellationException.class);
                    continue;
                }
                left.remove(expected);
                Message message = awaitInSomeWay(receives.get(i), own);
                assertThat(message.tag()).isEqualTo(expected.tag);
                assertThat(message.count()).isEqualTo(expected.length);
                assertThat(Arrays.copyOf(ghosts.get(i), expected.length))
                        .isEqualTo(ints(expected.length, expected.number));
            }
            for (Sent each : left) { // in the order of sending
                FoundMessage found = world.probe(left(world), ANY_TAG);
                assertThat(found.tag()).isEqualTo(each.tag);
                int[] ghost = new int[(int) found.count()];
                found.receive(ghost);
                assertThat(ghost).isEqualTo(ints(each.length, each.number));
            }
            Request.awaitAll(sends.toArray(Request[]::new));
            ends.barrier(); // a rank that has left could end the receives of others before they are cancelled
        }
    }

    private static Message awaitInSomeWay(ReceiveRequest receive, Random random) {
        switch (random.nextInt(4)) {
            case 0 -> receive.await();
            case 1 -> assertThat(receive.await(Duration.ofSeconds(60))).isTrue();
            case 2 -> receive.completion().toCompletableFuture().join();
            default -> {
                while (!receive.isDone()) {
                    Thread.onSpinWait();
                }
            }
        }
        return receive.message();
    }

    @ParameterizedTest
    @EnumSource
    void shouldAwaitMessagesAndCollectivesTogether(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int round = 0; round < 50; round++) {
                double[] sum = {round};
                int[] ghost = new int[20_000];
                Request[] requests = {world.nonBlocking().allreduce(sum, Reduction.SUM),
                        world.nonBlocking().receive(ghost, left(world), TAG),
                        world.nonBlocking().send(ints(20_000, round + job.rank()), right(world), TAG),
                        world.nonBlocking().barrier()};
                for (int left = requests.length; left > 0; left--) {
                    int ended = Request.awaitAny(requests);
                    requests[ended].await();
                    requests[ended] = null;
                }
                assertThat(sum).containsExactly(3.0 * round);
                assertThat(ghost).isEqualTo(ints(20_000, round + left(world)));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldCancelAReceiveThatNoMessageHasMatched(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int[] untouched = new int[1];
            ReceiveRequest cancelled = world.nonBlocking().receive(untouched, left(world), TAG);
            assertThatThrownBy(cancelled::message).isInstanceOf(IllegalStateException.class)
                    .hasMessage("the receive of rank " + job.rank() + " from rank " + left(world)
                            + " with tag 7 has not ended; await it before message()");
            assertThat(cancelled.cancel()).isTrue();
            assertThat(cancelled.cancel()).isFalse();
            assertThat(cancelled.isDone()).isTrue();
            assertThatThrownBy(cancelled::await).isInstanceOf(CancellationException.class)
                    .hasMessage("the receive of rank " + job.rank() + " from rank " + left(world)
                            + " with tag 7 was cancelled before a message came");
            world.barrier();
            world.send(new int[]{5}, right(world), TAG);
            int[] ghost = new int[1];
            ReceiveRequest later = world.nonBlocking().receive(ghost, left(world), TAG);
            later.await();
            assertThat(later.cancel()).isFalse();
            assertThat(ghost).containsExactly(5);
            assertThat(untouched).containsExactly(0);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldGoOnAfterAnInterruptAndATimeout(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int[] ghost = new int[10_000];
            ReceiveRequest receive = world.nonBlocking().receive(ghost, left(world), TAG);
            assertThat(receive.await(Duration.ofMillis(1))).isFalse();
            Thread.currentThread().interrupt();
            assertThatThrownBy(receive::await).isInstanceOf(CallInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            world.barrier();
            Request send = world.nonBlocking().send(ints(10_000, 3), right(world), TAG);
            receive.await();
            send.await();
            assertThat(ghost).isEqualTo(ints(10_000, 3));
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAtItsDeadlineWhetherAwaitedOrNot(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            Communicator hasty = world.withDeadline(Duration.ofMillis(50));
            ReceiveRequest awaited = hasty.nonBlocking().receive(new int[1], left(world), TAG);
            assertThatThrownBy(awaited::await).isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("receive").hasMessageContaining("with tag 7");
            Request unawaited = hasty.nonBlocking().send(new int[100_000], right(world), TAG + 1);
            assertThatThrownBy(() -> unawaited.completion().toCompletableFuture().join())
                    .isInstanceOf(CompletionException.class).hasCauseInstanceOf(DeadlineExceededException.class);
            world.barrier();
            world.exchange(new int[]{job.rank()}, right(world), new int[1], left(world), TAG);
            assertThat(world.tryProbe(ANY_RANK, ANY_TAG)).isEmpty();
            world.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldRunPreparedMessagesOften(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : new int[]{1, 1000, 40_000}) {
                int[] halo = new int[length];
                int[] ghost = new int[length];
                PreparedReceive receive = world.prepare().receive(ghost, left(world), TAG);
                PreparedCall send = world.prepare().send(halo, right(world), TAG);
                for (int round = 0; round < 100; round++) {
                    Arrays.fill(halo, 3 * round + job.rank());
                    ReceiveRequest request = receive.start();
                    if (round % 2 == 0) {
                        Request sends = send.start();
                        Request.awaitAll(request, sends);
                    } else {
                        send.run();
                        request.await();
                    }
                    assertThat(ghost).containsOnly(3 * round + left(world));
                    assertThat(request.message().source()).isEqualTo(left(world));
                    assertThat(request.message().count()).isEqualTo(length);
                }
            }
            PreparedReceive never = world.prepare().receive(new int[1], left(world), TAG);
            ReceiveRequest first = never.start();
            assertThatThrownBy(never::start).isInstanceOf(IllegalStateException.class)
                    .hasMessage("rank " + job.rank() + " called receive by a prepared call that is in flight; await it "
                            + "first, or prepare another one");
            assertThat(first.cancel()).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWithTheNameOfARankThatFails(MessageShape shape) {
        var failure = new AtomicReference<Throwable>();
        assertThatThrownBy(() -> shape.run(job -> {
            if (job.rank() == 2) {
                throw new IllegalStateException("on purpose");
            }
            Request receive = job.world().nonBlocking().receive(new int[1], job.rank() == 0 ? 2 : ANY_RANK, TAG);
            try {
                receive.await();
            } catch (TuttiException expected) {
                failure.set(expected);
                throw expected;
            }
        }));
        assertThat(failure.get()).isInstanceOfAny(RankFailedException.class, JobAbortedException.class)
                .hasMessageContaining("rank 2");
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWhenTheJobIsClosed(MessageShape shape) {
        List<Request> requests = new ArrayList<>();
        shape.run(job -> {
            synchronized (requests) {
                requests.add(job.world().nonBlocking().receive(new int[1], 0, TAG));
                requests.add(job.world().nonBlocking().send(new int[100_000], right(job.world()), TAG + 1));
            }
            job.world().barrier();
        });
        for (Request request : requests) {
            assertThatThrownBy(() -> request.await(Duration.ofSeconds(60))).isInstanceOf(RuntimeException.class);
        }
    }

    /** The receiver computes, so the channel is full, and the sends wait for room. */
    @Test
    void shouldSendWhatWaitsBehindAMessageWhoseMemoryIsClosed() {
        Tutti.runLocal(2, job -> {
            Communicator world = job.world();
            int messages = 400;
            int closed = 200;
            if (job.rank() == 0) {
                List<Request> sends = new ArrayList<>();
                for (int i = 0; i < messages; i++) {
                    Arena arena = i == closed ? Arena.ofShared() : Arena.ofAuto();
                    Span span = Span.of(arena.allocateFrom(ValueLayout.JAVA_INT, i), DataType.INT);
                    sends.add(world.nonBlocking().send(span, 1, TAG));
                    if (i == closed) {
                        arena.close();
                    }
                }
                world.barrier();
                for (int i = 0; i < messages; i++) {
                    if (i == closed) {
                        assertThatThrownBy(sends.get(i)::await).isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("closed");
                    } else {
                        sends.get(i).await();
                    }
                }
            } else {
                Thread.sleep(50);
                world.barrier();
                int[] got = new int[1];
                for (int i = 0; i < messages; i++) {
                    if (i != closed) {
                        world.receive(got, 0, TAG);
                        assertThat(got).containsExactly(i);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheAwaitOfAReceiveThatAnotherThreadCancels(MessageShape shape) {
        shape.run(job -> {
            ReceiveRequest receive = job.world().nonBlocking().receive(new int[1], left(job.world()), TAG);
            Thread canceller = Thread.ofPlatform().start(() -> {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                assertThat(receive.cancel()).isTrue();
            });
            assertThatThrownBy(receive::await).isInstanceOf(CancellationException.class);
            canceller.join();
            job.world().barrier();
        });
    }

    @Test
    void shouldReceiveManyMessagesThatAreThere() {
        Tutti.runLocal(1, job -> {
            for (int i = 0; i < 40_000; i++) {
                job.world().send(i, 0, TAG);
                int[] got = new int[1];
                job.world().nonBlocking().receive(got, 0, TAG).await();
                assertThat(got).containsExactly(i);
            }
        });
    }

    /** A synchronous send is offered. Node memory has a block for each offer, so the ranks are on two nodes. */
    @Test
    void shouldHoldUpNothingByManyUnreceivedMessages() {
        MessageShape.TWO_NODES.run(2, job -> {
            Communicator world = job.world();
            int count = 1 << 12;
            if (job.rank() == 0) {
                Request[] sends = new Request[count];
                for (int i = 0; i < count; i++) {
                    sends[i] = world.nonBlocking().sendSynchronous(new int[]{i}, 1, TAG);
                }
                world.send(5, 1, TAG + 1);
                world.barrier();
                Request.awaitAll(sends);
            } else {
                assertThat(world.receiveInt(0, TAG + 1)).isEqualTo(5);
                world.barrier();
                for (int i = 0; i < count; i++) {
                    assertThat(world.receiveInt(0, TAG)).isEqualTo(i);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldWithdrawTheSendOfAnExchangeWhoseReceiveFails(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int[] data = ints(50_000, job.rank());
            assertThatThrownBy(() -> world.withDeadline(Duration.ofMillis(30)).exchange(data, right(world), new int[1],
                    right(world), TAG)).isInstanceOf(DeadlineExceededException.class);
            world.barrier();
            assertThat(world.tryProbe(ANY_RANK, ANY_TAG)).isEmpty();
            world.barrier();
        });
    }

    @Test
    void shouldRefuseMemoryThatOtherThreadsCannotUseAndTooManyMessages() {
        Tutti.runLocal(1, job -> {
            NonBlockingCommunicator world = job.world().nonBlocking();
            try (Arena arena = Arena.ofConfined()) {
                Span span = Span.of(arena.allocate(ValueLayout.JAVA_INT), DataType.INT);
                assertThatThrownBy(() -> world.send(span, 0, TAG)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("source lies in memory that only this thread can use");
                assertThatThrownBy(() -> world.receive(span, 0, TAG)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("target lies in memory that only this thread can use");
            }
            assertThatThrownBy(() -> world.send(new int[1], 1, TAG)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("rank 0 cannot send to rank 1: the ranks of the world are 0 to 0");
            assertThatThrownBy(() -> world.receive(new int[1], 0, -2)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> job.world().prepare().send(new int[1], 0, -1))
                    .isInstanceOf(IllegalArgumentException.class);
            List<ReceiveRequest> all = new ArrayList<>();
            for (int i = 0; i < 1 << 14; i++) {
                all.add(world.receive(new int[1], 0, i));
            }
            assertThatThrownBy(() -> world.receive(new int[1], 0, TAG)).isInstanceOf(IllegalStateException.class)
                    .hasMessage("rank 0 has 16384 non-blocking messages in flight, which is the limit; await some of "
                            + "them first");
            for (int i = (1 << 14) - 1; i >= 0; i--) {
                job.world().send(i, 0, i);
            }
            Request.awaitAll(all.toArray(Request[]::new));
            assertThat(all).allMatch(each -> each.message().count() == 1);
        });
    }
}
