/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.MessageShape.LENGTHS;
import static org.tutti.MessageShape.ints;
import static org.tutti.Messenger.ANY_RANK;

/** Messages of unknown length, objects, single numbers, and synchronous sends. */
@Timeout(120)
class ProbeTest {
    private static final int TAG = 7;

    /** A string as its bytes in UTF-8. */
    private static final Codec<String> STRINGS = new Codec<>() {
        @Override
        public long bytes(String value) {
            return value.getBytes(StandardCharsets.UTF_8).length;
        }

        @Override
        public void write(String value, MemorySegment target) {
            target.copyFrom(MemorySegment.ofArray(value.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public String read(MemorySegment source) {
            return new String(source.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    };

    @ParameterizedTest
    @EnumSource
    void shouldReceiveMessagesOfUnknownLength(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : LENGTHS) {
                int count = length / Integer.BYTES;
                if (job.rank() == 1) {
                    Request send = world.nonBlocking().send(ints(count, length), 0, TAG);
                    world.send(new double[]{length}, 0, TAG + 1);
                    send.await();
                } else if (job.rank() == 0) {
                    FoundMessage found = world.probe(ANY_RANK, TAG);
                    assertThat(found.source()).isEqualTo(1);
                    assertThat(found.tag()).isEqualTo(TAG);
                    assertThat(found.type()).isEqualTo(DataType.INT);
                    assertThat(found.count()).isEqualTo(count);
                    assertThat(found)
                            .hasToString("a message of rank 1 with tag 7 and " + count + " elements of type INT");
                    double[] next = new double[1];
                    world.receive(next, 1, TAG + 1); // the found message is out of the queue
                    assertThat(next).containsExactly(length);
                    assertThatThrownBy(() -> found.receive(new float[count])).isInstanceOf(
                            MessageMismatchException.class);
                    int[] data = new int[count + 1];
                    assertThat(found.receive(data)).isEqualTo(count);
                    data[count] = 0;
                    int[] expected = new int[count + 1];
                    System.arraycopy(ints(count, length), 0, expected, 0, count);
                    assertThat(data).isEqualTo(expected);
                    assertThatThrownBy(() -> found.receive(data)).isInstanceOf(IllegalStateException.class)
                            .hasMessage(found + " has been received, or another thread is receiving it; probe for the "
                                    + "next message");
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindAMessageWithoutWaiting(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            if (job.rank() == 1) {
                world.barrier();
                world.send(new byte[100_000], 2, TAG);
            } else {
                assertThat(world.tryProbe(ANY_RANK, TAG)).isEmpty();
                world.barrier();
                if (job.rank() == 2) {
                    Optional<FoundMessage> found = world.tryProbe(1, TAG);
                    while (found.isEmpty()) {
                        found = world.tryProbe(1, TAG);
                    }
                    assertThat(found.get().receive(new byte[100_000])).isEqualTo(100_000);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellThatAFoundMessageHasBeenWithdrawn(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            if (job.rank() == 1) {
                assertThatThrownBy(() -> world.withDeadline(Duration.ofMillis(200)).send(new byte[100_000], 2, TAG))
                        .isInstanceOf(DeadlineExceededException.class);
                world.send(new byte[]{1}, 2, TAG);
            } else if (job.rank() == 2) {
                FoundMessage found = world.probe(1, TAG);
                if (found.count() == 100_000) { // else the sender was too late even for the probe
                    world.probe(1, TAG).receive(new byte[1]); // the message after it has come
                    assertThatThrownBy(() -> found.receive(new byte[100_000]))
                            .isInstanceOf(MessageWithdrawnException.class)
                            .hasMessage(
                                    "rank 1 has withdrawn the message with tag 7 that rank 2 has found, because its "
                                            + "send passed its deadline or was interrupted; probe again");
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldWaitForTheReceiveOfASynchronousSend(MessageShape shape) {
        var isReceiving = new AtomicBoolean();
        shape.run(job -> {
            Communicator world = job.world();
            for (int length : new int[]{0, 1, 1000, 100_000}) {
                world.barrier();
                isReceiving.set(false);
                world.barrier();
                if (job.rank() == 0) {
                    world.sendSynchronous(ints(length, 4), 1, TAG);
                    assertThat(isReceiving).isTrue();
                } else if (job.rank() == 1) {
                    Thread.sleep(20);
                    isReceiving.set(true);
                    int[] data = new int[length];
                    assertThat(world.receive(data, 0, TAG)).isEqualTo(length);
                    assertThat(data).isEqualTo(ints(length, 4));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldSendNumbersAndObjects(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            int right = (job.rank() + 1) % 3;
            int left = (job.rank() + 2) % 3;
            for (int i = 0; i < 20; i++) {
                world.send(1L << 40 | job.rank(), right);
                world.send(i, right, TAG);
                world.send(i + 0.5, right, TAG);
                world.send("Grüße ".repeat(i * i), STRINGS, right, TAG);
                assertThat(world.receiveLong(left)).isEqualTo(1L << 40 | left);
                assertThat(world.receiveInt(left, TAG)).isEqualTo(i);
                assertThat(world.receiveDouble(left, TAG)).isEqualTo(i + 0.5);
                assertThat(world.receive(STRINGS, left, TAG)).isEqualTo("Grüße ".repeat(i * i));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldDropAMessageThatIsNoObject(MessageShape shape) {
        shape.run(job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                world.send(new int[20_000], 1, TAG);
                world.send("next", STRINGS, 1, TAG);
            } else if (job.rank() == 1) {
                assertThatThrownBy(() -> world.receive(STRINGS, 0, TAG)).isInstanceOf(MessageMismatchException.class)
                        .hasMessageContaining("type INT").hasMessageContaining("type BYTE");
                assertThat(world.receive(STRINGS, 0, TAG)).isEqualTo("next");
            }
        });
    }

    @Test
    void shouldNameTheTypesOfANumberThatDoesNotFit() {
        Tutti.runLocal(2, job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                world.send(1, 1);
                world.send(new long[2], 1);
                world.send(new long[0], 1);
            } else {
                assertThatThrownBy(() -> world.receiveLong(0)).isInstanceOf(MessageMismatchException.class)
                        .hasMessageContaining("type INT").hasMessageContaining("type LONG");
                assertThatThrownBy(() -> world.receiveLong(0)).isInstanceOf(MessageMismatchException.class)
                        .hasMessageContaining("has 2 elements").hasMessageContaining("room for 1");
                assertThatThrownBy(() -> world.receiveLong(0)).isInstanceOf(MessageMismatchException.class)
                        .hasMessage("the message has no element, but the receive is for one; send one element, or "
                                + "receive into an array");
            }
        });
    }
}
