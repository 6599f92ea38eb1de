/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Random;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.Message;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Frames that no rank of Tutti sends, but another program may: they are refused, and proper ones still arrive. Rank 0
 * is here; ranks 1 and 2 are on other nodes.
 */
@Timeout(60)
class StrangeFramesTest {
    private static final int RANKS = 3;
    private static final int HEADER_BYTES = 32;
    private static final int MESSAGE = 0;
    private static final int OPERATIONS = 4;
    private static final long COMMUNICATOR = 7;

    private CommunicatorMessages messages;
    private RegionHandler handler;
    private boolean haveJoined = true;

    @BeforeEach
    void makeRank() {
        Memory memory = new PrivateMemory();
        var doors = memory.block(memory.claim(Doors.bytes(RANKS), "a test"), Doors.bytes(RANKS));
        var progress = new MessageProgress(null);
        var machine = new LiveMachine(new Waiter(true, progress));
        var fabric = (SectionTransport) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[]{SectionTransport.class}, (_, method, _) -> {
                    throw new IllegalStateException("a handler must not call " + method.getName());
                });
        var ofRank = new RankMessages(progress, machine, fabric, memory, doors,
                new Placement(each -> each == 0, _ -> haveJoined), 0,
                RANKS, 1, false);
        messages = new CommunicatorMessages(ofRank, COMMUNICATOR, HealthyMembers.INSTANCE, 0, RANKS, () -> 0);
        handler = ofRank.handler();
    }

    private long handle(int process, int operation, long argument0, long argument1, long[] frame, long bytes) {
        return handler.accepts(operation, 0, bytes)
                ? handler.handle(process, operation, argument0, argument1, 0, MemorySegment.ofArray(frame), 0, bytes)
                : RegionHandler.REFUSED;
    }

    private long sendEager(int source, long number, int tag, long... elements) {
        long bytes = (long) elements.length * Long.BYTES;
        long[] frame = new long[HEADER_BYTES / Long.BYTES + elements.length];
        frame[0] = source;
        frame[1] = number;
        System.arraycopy(elements, 0, frame, HEADER_BYTES / Long.BYTES, elements.length);
        return handle(source, MESSAGE, Envelope.eager(tag, DataType.LONG, bytes), COMMUNICATOR, frame,
                HEADER_BYTES + bytes);
    }

    private long receive(int source, int tag) {
        long[] got = new long[1];
        messages.receive(MemorySegment.ofArray(got), DataType.LONG, source, tag, new Message(), Long.MAX_VALUE);
        return got[0];
    }

    @RepeatedTest(200)
    void shouldRefuseOrIgnoreAnyFrame(RepetitionInfo repetition) {
        var random = new Random(repetition.getCurrentRepetition());
        long[] small = {-1, 0, 1, 2, 3, 8, 32, 1 << 20, Long.MAX_VALUE, Long.MIN_VALUE};
        for (int i = 0; i < 500; i++) {
            long[] frame = new long[HEADER_BYTES / Long.BYTES + random.nextInt(4)];
            for (int word = 0; word < frame.length; word++) {
                frame[word] = random.nextBoolean() ? small[random.nextInt(small.length)] : random.nextLong();
            }
            frame[0] = random.nextInt(4) == 0 ? frame[0] : 1; // of process 1, also those that name rank 2
            int operation = random.nextInt(OPERATIONS + 2) - 1;
            long bytes = random.nextInt(4) == 0 ? random.nextInt(frame.length * Long.BYTES + 1)
                    : (long) frame.length * Long.BYTES;
            long argument0 = switch (random.nextInt(4)) {
                case 0 -> Envelope.eager(random.nextInt(4), DataType.LONG, Math.max(0, bytes - HEADER_BYTES));
                case 1 -> Envelope.offer(random.nextInt(4), DataType.INT);
                case 2 -> small[random.nextInt(small.length)];
                default -> random.nextLong();
            };
            assertThat(handle(1, operation, argument0, random.nextInt(9), frame, bytes)).isIn(RegionHandler.REFUSED,
                    bytes);
        }
        assertThat(sendEager(2, 0, 5, 42)).isEqualTo(HEADER_BYTES + Long.BYTES);
        assertThat(receive(2, 5)).isEqualTo(42);
    }

    /** Otherwise a process had the credit of every rank that it names. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldRefuseARankOfAnotherProcess(int operation) {
        long argument0 = operation == MESSAGE ? Envelope.offer(0, DataType.LONG) : 0;
        long[] frame = {2, 0, 0, 5};
        assertThat(handle(1, operation, argument0, COMMUNICATOR, frame, HEADER_BYTES)).isEqualTo(RegionHandler.REFUSED);
        assertThat(handle(0, operation, argument0, COMMUNICATOR, frame, HEADER_BYTES)).isEqualTo(RegionHandler.REFUSED);
        assertThat(messages.tryProbe(2, 0, Long.MAX_VALUE)).isNull();
        assertThat(handle(2, operation, argument0, COMMUNICATOR, frame, HEADER_BYTES)).isEqualTo(HEADER_BYTES);
    }

    /** A rank may send as soon as it knows that all have joined, and this node may learn that later. */
    @Test
    void shouldHandleAMessageLaterIfItsRankIsNotKnown() {
        haveJoined = false;
        assertThat(sendEager(1, 0, 5, 42)).isZero();
        assertThat(sendEager(1, 1, 5, 43)).isZero();
        haveJoined = true;
        assertThat(sendEager(1, 0, 5, 42)).isPositive();
        assertThat(sendEager(1, 1, 5, 43)).isPositive();
        assertThat(receive(1, 5)).isEqualTo(42);
        assertThat(receive(1, 5)).isEqualTo(43);
    }

    @Test
    void shouldRefuseANumberTwiceAndOneThatIsTooFarAhead() {
        assertThat(sendEager(1, 0, 0, 1)).isPositive();
        assertThat(sendEager(1, 0, 0, 2)).isEqualTo(RegionHandler.REFUSED);
        assertThat(sendEager(1, 2, 0, 4)).isPositive();
        assertThat(sendEager(1, 2, 0, 5)).isEqualTo(RegionHandler.REFUSED);
        assertThat(sendEager(1, 1, 0, 3)).isPositive();
        assertThat(receive(1, 0)).isEqualTo(1);
        assertThat(receive(1, 0)).isEqualTo(3);
        assertThat(receive(1, 0)).isEqualTo(4);
    }

    /** A sender must wait for credit; one that does not cannot fill this rank's memory. */
    @Test
    void shouldRefuseEagerMessagesWithoutCredit() {
        long number = 0;
        while (sendEager(1, number, 0, number) != RegionHandler.REFUSED) {
            number++;
        }
        assertThat(number * EagerCredit.cost(Long.BYTES)).isBetween(
                EagerCredit.UNMATCHED_MAX - EagerCredit.cost(Long.BYTES), EagerCredit.UNMATCHED_MAX);
        assertThat(sendEager(2, 0, 0, 42)).as("another sender has credit of its own").isPositive();
        for (long each = 0; each < number; each++) {
            if (each * EagerCredit.cost(Long.BYTES) < EagerCredit.RETURNED_AT - 2 * EagerCredit.cost(Long.BYTES)) {
                assertThat(receive(1, 0)).isEqualTo(each); // more would have to be told to the sender
            }
        }
        assertThat(sendEager(1, number, 0, 1)).as("matched, but the sender does not know").isEqualTo(
                RegionHandler.REFUSED);
    }
}
