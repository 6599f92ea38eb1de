/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.MessageShape.LENGTHS;
import static org.tutti.MessageShape.bytes;
import static org.tutti.MessageShape.ints;

/** Messages between ranks of a process, of nodes without loans, and of several nodes. */
@Timeout(120)
class MessagesTest {
    private static final int TAG = 7;

    @ParameterizedTest
    @EnumSource
    void shouldCarryArraysOfAnyLength(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int right = (job.rank() + 1) % 3;
            int left = (job.rank() + 2) % 3;
            for (int length : LENGTHS) {
                byte[] ghost = new byte[length + 5];
                if (job.rank() == 0) { // one rank receives first, or three long sends would wait for each other
                    assertThat(world.receive(ghost, left, TAG)).isEqualTo(length);
                    world.send(bytes(length, job.rank()), right, TAG);
                } else {
                    world.send(bytes(length, job.rank()), right, TAG);
                    assertThat(world.receive(ghost, left, TAG)).isEqualTo(length);
                }
                assertThat(Arrays.copyOf(ghost, length)).isEqualTo(bytes(length, left));
                assertThat(Arrays.copyOfRange(ghost, length, length + 5)).isEqualTo(new byte[5]);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryNativeMemory(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : LENGTHS) {
                for (boolean confined : new boolean[]{false, true}) {
                    try (Arena arena = confined ? Arena.ofConfined() : Arena.ofShared()) {
                        MemorySegment memory = arena.allocate(Math.max(1, length)).asSlice(0, length);
                        if (job.rank() == 0) {
                            MemorySegment.copy(bytes(length, length), 0, memory, ValueLayout.JAVA_BYTE, 0, length);
                            world.send(Span.of(memory, DataType.BYTE), 1, TAG);
                        } else if (job.rank() == 1) {
                            assertThat(world.receive(Span.of(memory, DataType.BYTE), 0, TAG)).isEqualTo(length);
                            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes(length, length));
                        }
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheOrderOfSendingWhateverTheLengths(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int messages = 300;
            Random random = new Random(3);
            for (int i = 0; i < messages; i++) {
                int length = LENGTHS[random.nextInt(LENGTHS.length - 2)] / Integer.BYTES;
                if (job.rank() == 2) {
                    world.send(ints(length, i), 0, i % 2);
                } else if (job.rank() == 0) {
                    int[] data = new int[LENGTHS[LENGTHS.length - 1] / Integer.BYTES];
                    Message message = new Message();
                    assertThat(world.receive(data, i % 3 == 0 ? Communicator.ANY_RANK : 2, Communicator.ANY_TAG,
                            message)).isEqualTo(length);
                    assertThat(message.source()).isEqualTo(2);
                    assertThat(message.tag()).isEqualTo(i % 2);
                    assertThat(message.count()).isEqualTo(length);
                    assertThat(Arrays.copyOf(data, length)).isEqualTo(ints(length, i));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepMessagesThatAreReceivedInAnotherOrder(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int messages = 500;
            if (job.rank() == 1) {
                for (int i = 0; i < messages; i++) {
                    world.send(ints(i % 60, i), 0, i);
                }
            } else if (job.rank() == 0) {
                for (int i = messages - 1; i >= 0; i--) {
                    int[] data = new int[60];
                    assertThat(world.receive(data, 1, i)).isEqualTo(i % 60);
                    assertThat(Arrays.copyOf(data, i % 60)).isEqualTo(ints(i % 60, i));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldSendToItselfAndKeepCommunicatorsApart(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            try (Communicator other = world.duplicate()) {
                world.send(new long[]{1}, job.rank(), TAG);
                other.send(new long[]{2}, job.rank(), TAG);
                long[] got = new long[1];
                other.receive(got, job.rank(), TAG);
                assertThat(got).containsExactly(2);
                world.receive(got, job.rank(), TAG);
                assertThat(got).containsExactly(1);
                world.send(new boolean[]{true, false, true}, job.rank());
                boolean[] flags = new boolean[4];
                assertThat(world.receive(flags, job.rank(), 0)).isEqualTo(3);
                assertThat(flags).containsExactly(true, false, true, false);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldReceiveFromAnybody(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int each = 200;
            if (job.rank() != 0) {
                for (int i = 0; i < each; i++) {
                    world.send(new int[]{job.rank(), i}, 0, i % 5);
                }
                return;
            }
            int[] next = new int[3];
            Message message = new Message();
            for (int i = 0; i < 2 * each; i++) {
                int[] data = new int[2];
                world.receive(data, Communicator.ANY_RANK, Communicator.ANY_TAG, message);
                assertThat(message.source()).isEqualTo(data[0]);
                assertThat(message.tag()).isEqualTo(data[1] % 5);
                assertThat(data[1]).isEqualTo(next[data[0]]++);
            }
            assertThat(next).containsExactly(0, each, each);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldStayUsableAfterAMessageThatDoesNotFit(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : new int[]{2, 1000, 100_000}) {
                if (job.rank() == 0) {
                    world.send(new int[length], 1, 1);
                    world.send(new int[length], 1, 2);
                    world.send(new int[]{length}, 1, 3);
                } else if (job.rank() == 1) {
                    assertThatThrownBy(() -> world.receive(new int[length - 1], 0, 1))
                            .isInstanceOf(MessageMismatchException.class)
                            .hasMessage("rank 1 has received a message of rank 0 with tag 1 that has " + length
                                    + " elements of type INT, but the receive has room for " + (length - 1)
                                    + "; make it longer");
                    assertThatThrownBy(() -> world.receive(new float[length], 0, 2))
                            .isInstanceOf(MessageMismatchException.class)
                            .hasMessage("rank 1 has received a message of rank 0 with tag 2 that has " + length
                                    + " elements of type INT, but the receive is for type FLOAT; receive the type "
                                    + "that was sent");
                    int[] got = new int[1];
                    world.receive(got, 0, 3);
                    assertThat(got).containsExactly(length);
                }
                world.barrier();
            }
        });
    }

    @Test
    void shouldRefuseInvalidArguments() {
        Tutti.runLocal(2, job -> {
            Communicator world = job.world();
            assertThatThrownBy(() -> world.send(new int[1], 2)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("rank " + job.rank() + " cannot send to rank 2: the ranks of the world are 0 to 1");
            assertThatThrownBy(() -> world.send(new int[1], Communicator.ANY_RANK))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> world.receive(new int[1], -2, 0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot receive from rank -2");
            assertThatThrownBy(() -> world.send(new int[1], 0, Communicator.ANY_TAG))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("cannot send with tag -1");
            assertThatThrownBy(() -> world.receive(new int[1], 0, -2)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot receive tag -2");
            Span readOnly = Span.of(Arena.ofAuto().allocate(4).asReadOnly(), DataType.INT);
            assertThatThrownBy(() -> world.receive(readOnly, 0, 0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("read-only");
            world.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAReceiveThatPassesItsDeadlineAndReceiveTheMessageLater(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                for (int source : new int[]{1, Communicator.ANY_RANK}) {
                    assertThatThrownBy(() -> world.withDeadline(Duration.ofMillis(50)).receive(new int[1], source, TAG))
                            .isInstanceOf(DeadlineExceededException.class)
                            .hasMessageStartingWith("rank 0 passed its deadline in receive while it waited for a "
                                    + "message of " + (source == 1 ? "rank 1" : "any rank") + " with tag 7");
                }
            }
            world.barrier();
            if (job.rank() == 1) {
                world.send(new int[]{4}, 0, TAG);
            } else if (job.rank() == 0) {
                int[] got = new int[1];
                world.receive(got, 1, TAG);
                assertThat(got).containsExactly(4);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldReceiveWhatARankHasSentBeforeItLeft(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            if (job.rank() == 1) {
                world.send(new int[]{5}, 0, TAG);
                return;
            }
            if (job.rank() == 0) {
                Thread.sleep(100);
                int[] got = new int[1];
                world.receive(got, 1, TAG);
                assertThat(got).containsExactly(5);
                assertThatThrownBy(() -> world.receive(new int[1], 1, TAG)).isInstanceOf(RankFailedException.class)
                        .hasMessageContaining("rank 1 has left the job");
                assertThatThrownBy(() -> {
                    while (true) { // until the news has come
                        world.send(new int[]{5}, 1, TAG);
                        Thread.sleep(1);
                    }
                }).isInstanceOf(RankFailedException.class).hasMessageContaining("rank 1 has left the job");
            }
        });
    }

    /** A rank takes messages while it waits in a barrier or a send. Otherwise full channels would hold up all ranks. */
    @ParameterizedTest
    @EnumSource
    void shouldTakeMessagesWhileItWaitsForSomethingElse(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int messages = 7 * 128; // seven full channels, and less than 128 KiB of credit
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < messages; i++) {
                    for (int other = 0; other < 3; other++) {
                        world.send(new int[]{i, job.rank()}, other, round);
                    }
                }
                world.barrier();
                int[] got = new int[2];
                for (int i = 0; i < messages; i++) {
                    for (int other = 2; other >= 0; other--) {
                        world.receive(got, other, round);
                        assertThat(got).containsExactly(i, other);
                    }
                }
                world.barrier(); // a rank that is a round ahead would use the credit of two rounds, and wait
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeShortMessagesThatBothRanksSendFirst(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : new int[]{3000, 5000, 8192}) { // the last two are offered between nodes
                boolean sendsFirst = length == 3000 || world.topology().nodes() == 1 || job.rank() == 1;
                for (int i = 0; i < 200 && job.rank() > 0; i++) {
                    byte[] got = new byte[length];
                    if (sendsFirst) {
                        world.send(bytes(length, i), 3 - job.rank(), TAG);
                        world.receive(got, 3 - job.rank(), TAG);
                    } else {
                        world.receive(got, 3 - job.rank(), TAG);
                        world.send(bytes(length, i), 3 - job.rank(), TAG);
                    }
                    assertThat(got).isEqualTo(bytes(length, i));
                }
            }
        });
    }

    /** A message whose send has passed its deadline is never received; all others are, in their order. */
    @ParameterizedTest
    @EnumSource
    void shouldWithdrawAnOfferThatIsNotAccepted(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int length = 50_000;
            Random random = new Random(job.rank());
            if (job.rank() == 1) {
                List<Integer> sent = new ArrayList<>();
                for (int i = 0; i < 300; i++) {
                    try {
                        world.withDeadline(Duration.ofNanos(1 + random.nextInt(3_000_000)))
                                .send(ints(length, i), 0, TAG);
                        sent.add(i);
                    } catch (DeadlineExceededException late) {
                        assertThat(late).hasMessageStartingWith("rank 1 passed its deadline in send while it waited");
                    }
                }
                world.send(sent.stream().mapToInt(Integer::intValue).toArray(), 0, TAG + 1);
            } else if (job.rank() == 0) {
                List<Integer> received = new ArrayList<>();
                int[] got = new int[length];
                Message message = new Message();
                while (world.receive(got, 1, Communicator.ANY_TAG, message) == length && message.tag() == TAG) {
                    int number = received.isEmpty() ? 0 : received.getLast() + 1;
                    while (!Arrays.equals(got, ints(length, number))) {
                        number++;
                        assertThat(number).isLessThan(300);
                    }
                    received.add(number);
                    Thread.sleep(0, random.nextInt(999_999));
                }
                assertThat(received).containsExactlyElementsOf(
                        Arrays.stream(got, 0, (int) message.count()).boxed().toList());
            }
            world.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldUpASenderWhoseMessagesAreNotReceivedButNoOtherMessage(MessageShape shape) {
        int messages = 5000;
        int unreceived = (256 << 10) / (128 + Integer.BYTES);
        AtomicInteger sent = new AtomicInteger();
        shape.run(job -> {
            Communicator world = job.world();
            if (job.rank() == 1) {
                Thread flood = Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < messages; i++) {
                        world.send(new int[]{i}, 0, 1);
                        sent.incrementAndGet();
                    }
                });
                while (sent.get() < unreceived) {
                    Thread.sleep(1);
                }
                Thread.sleep(50);
                assertThat(sent).hasValue(unreceived);
                world.send(new int[20_000], 0, 2);
                flood.join();
                assertThat(sent).hasValue(messages);
            } else if (job.rank() == 0) {
                assertThat(world.receive(new int[20_000], 1, 2)).isEqualTo(20_000);
                int[] got = new int[1];
                for (int i = 0; i < messages; i++) {
                    world.receive(got, Communicator.ANY_RANK, 1);
                    assertThat(got).containsExactly(i);
                }
            }
        });
    }

    /** Otherwise the messages would take the credit of the sender for all other communicators. */
    @ParameterizedTest
    @EnumSource
    void shouldDropMessagesOfACommunicatorThatIsClosed(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int round = 0; round < 5; round++) {
                try (Communicator other = world.duplicate()) {
                    for (int i = 0; i < 60 && job.rank() == 1; i++) {
                        other.send(bytes(3000, i), 0, i);
                    }
                }
                world.barrier();
                for (int i = 0; i < 30 && job.rank() < 2; i++) { // both send first, so none may be an offer
                    world.send(bytes(3000, i), 1 - job.rank(), TAG);
                }
                for (int i = 0; i < 30 && job.rank() < 2; i++) {
                    byte[] got = new byte[3000];
                    world.receive(got, 1 - job.rank(), TAG);
                    assertThat(got).isEqualTo(bytes(3000, i));
                }
                world.barrier();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndCallsOfOtherThreadsWhenTheJobIsClosed(MessageShape shape) {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> waiting = Collections.synchronizedList(new ArrayList<>());
        shape.run(job -> {
            Communicator world = job.world();
            for (int source : new int[]{2, Communicator.ANY_RANK}) {
                waiting.add(Thread.ofPlatform().start(() -> {
                    try {
                        world.receive(new int[1], source, TAG);
                    } catch (TuttiException | IllegalStateException failure) {
                        failures.add(failure);
                    }
                }));
            }
            Thread.sleep(20);
            world.barrier();
        });
        for (Thread thread : waiting) {
            assertThatCode(() -> assertThat(thread.join(Duration.ofSeconds(10))).isTrue()).doesNotThrowAnyException();
        }
        assertThat(failures).hasSize(6);
    }

    @ParameterizedTest
    @EnumSource
    void shouldServeSeveralThreadsOfARank(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int threads = 4;
            int each = 150;
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            List<Thread> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int tag = thread;
                running.add(Thread.ofPlatform().start(() -> {
                    try {
                        for (int i = 0; i < each; i++) {
                            int length = LENGTHS[(tag * each + i) % (LENGTHS.length - 2)];
                            if (job.rank() == 1) {
                                world.send(bytes(length, i), 0, tag);
                            } else if (job.rank() == 0) {
                                byte[] got = new byte[length];
                                assertThat(world.receive(got, 1, tag)).isEqualTo(length);
                                assertThat(got).isEqualTo(bytes(length, i));
                            }
                        }
                    } catch (Throwable failure) {
                        failures.add(failure);
                    }
                }));
            }
            for (Thread thread : running) {
                thread.join();
            }
            assertThat(failures).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellOfMessagesThatNoReceiveHasTaken(MessageShape shape) {
        Queue<String> warnings = new ConcurrentLinkedQueue<>();
        Logger logger = Logger.getLogger("org.tutti.message.RankMessages");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord warning) {
                warnings.add(warning.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            shape.run(job -> {
                Communicator world = job.world();
                if (job.rank() == 1) {
                    world.send(new int[3], 0, TAG);
                    world.send(new double[400], 0, TAG + 1);
                    world.send(new byte[1], 2, TAG);
                    world.send(new byte[1], 0, TAG + 2);
                } else if (job.rank() == 0) {
                    world.receive(new byte[1], 1, TAG + 2); // the others have come before
                } else {
                    world.receive(new byte[1], 1, TAG);
                }
            });
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        assertThat(warnings).containsExactly("rank 0 leaves its job with 2 messages unreceived, of which the oldest "
                + "has come from rank 1 with tag 7 and has 3 elements of type INT; receive each message that is sent "
                + "to it");
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWhenTheOtherRankFails(MessageShape shape) {
        assertThatThrownBy(() -> shape.run(job -> {
            if (job.rank() == 2) {
                throw new IllegalStateException("on purpose");
            }
            job.world().receive(new int[1], job.rank() == 0 ? 2 : Communicator.ANY_RANK, TAG);
        })).satisfies(failure -> assertThat(Stream.of(failure).flatMap(MessagesTest::all))
                .anyMatch(each -> String.valueOf(each.getMessage()).contains("on purpose")));
    }

    private static Stream<Throwable> all(Throwable failure) {
        return failure == null ? Stream.empty()
                : Stream.concat(Stream.of(failure),
                        Stream.concat(Stream.of(failure.getSuppressed()), Stream.ofNullable(failure.getCause()))
                                .flatMap(MessagesTest::all));
    }
}
