/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** Both ends of a channel, without a mailbox. */
class ChannelTest {
    private static final int RANKS = 2;

    private final PrivateMemory memory = new PrivateMemory();
    private final LiveMachine machine = new LiveMachine(new Waiter(false, () -> false));
    private final MemorySegment doors = memory.block(memory.claim(Doors.bytes(RANKS), "a test"), Doors.bytes(RANKS));
    private final NodeTransfers transfers = new NodeTransfers(machine, memory, 0);
    private final OutgoingChannel outgoing =
            new OutgoingChannel(machine, memory, doors, 0, 1, transfers.outgoing());
    private final IncomingChannel incoming =
            new IncomingChannel(machine, memory, machine.load(doors, Doors.door(1) + Doors.NEWEST));
    private final Arrival arrival = new Arrival();

    private void send(long communicator, int tag, byte[] bytes) {
        var send = new Send(new MessageCheck(HealthyMembers.INSTANCE, 0, RANKS, new AtomicBoolean(), () -> 0));
        send.check.beginSend(1, tag, Long.MAX_VALUE);
        send.begin(communicator, tag, DataType.BYTE, MemorySegment.ofArray(bytes), false);
        assertThat(outgoing.send(send)).isTrue();
    }

    /** Returns the place of the payload in its slot, or -1 if it is not in the slot. */
    private long receive(long communicator, int tag, byte[] bytes) {
        assertThat(incoming.hasNext()).isTrue();
        long slot = incoming.nextWord();
        incoming.read(arrival);
        assertThat(arrival.communicator).isEqualTo(communicator);
        assertThat(arrival.tag).isEqualTo(tag);
        assertThat(arrival.bytes).isEqualTo(bytes.length);
        long place = -1;
        if (!arrival.isOffer) {
            byte[] got = new byte[bytes.length];
            MemorySegment.copy(arrival.payload, arrival.payloadOffset, MemorySegment.ofArray(got), 0, got.length);
            assertThat(got).isEqualTo(bytes);
            long offset = arrival.payloadOffset - slot;
            place = offset > 0 && offset < Words.LINE_BYTES ? offset : -1;
            incoming.matched(arrival.cost());
        }
        incoming.next();
        return place;
    }

    /** A message of the communicator of the message before it has room for 48 bytes in its slot, and others for 40. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 39, 40, 41, 47, 48, 49, 100})
    void shouldCarryShortPayloadsInTheSlot(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        long[] communicators = {7, 7, 7, 9, 9, 7, 0, 0, -1, -1, Long.MIN_VALUE, Long.MIN_VALUE};
        for (int i = 0; i < communicators.length; i++) {
            boolean isSame = i > 0 && communicators[i] == communicators[i - 1];
            send(communicators[i], i, bytes);
            long place = receive(communicators[i], i, bytes);
            assertThat(place >= 0).as("message %s is in the slot", i).isEqualTo(length <= (isSame ? 48 : 40));
        }
    }

    @Test
    void shouldReadWhatWasSent() {
        for (int seed = 0; seed < 100; seed++) {
            var random = new SplittableRandom(seed);
            int many = 1 + random.nextInt(ChannelLayout.SLOTS / 2);
            byte[][] sent = new byte[many][];
            long[] communicators = new long[many];
            for (int i = 0; i < many; i++) {
                int longer = random.nextBoolean() ? ChannelLayout.EAGER_BYTES_MAX + 1 : 4000;
                sent[i] = new byte[i % 16 == 15 ? longer : random.nextInt(60)];
                random.nextBytes(sent[i]);
                communicators[i] = random.nextInt(3);
                send(communicators[i], i, sent[i]);
            }
            for (int i = 0; i < many; i++) {
                receive(communicators[i], i, sent[i]);
            }
            assertThat(incoming.hasNext()).isFalse();
        }
    }
}
