/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.DataType;
import org.tutti.Messenger;
import org.tutti.ReceiveRequest;
import org.tutti.Request;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;
import org.tutti.message.CommunicatorMessages;
import org.tutti.message.Doors;
import org.tutti.message.MessageProgress;
import org.tutti.message.RankAddresses;
import org.tutti.message.RankMessages;

/**
 * Two ranks that send messages from rank 0 to rank 1, through the library's own channels. A pair serves one state after
 * the other, so that its slots are used again. All elements of a message have the same number. The numbers grow, so
 * that a stale number is noticed.
 */
final class MessagePair {
    static final Pool<MessagePair> POOL = new Pool<>(MessagePair::new);

    private static final int RANKS = 2;
    private static final Memory MEMORY = new PrivateMemory();
    private static final RankAddresses ADDRESSES = new RankAddresses() {
        @Override
        public boolean isHere(int rank) {
            return true;
        }

        @Override
        public boolean hasJoined(int rank) {
            return true;
        }

        @Override
        public int process(int rank) {
            return 0;
        }

        @Override
        public long region(int rank) {
            throw new UnsupportedOperationException("there is one node");
        }
    };

    private final CommunicatorMessages[] messages = new CommunicatorMessages[RANKS];
    private long numbers;

    private MessagePair() {
        long bytes = Doors.bytes(RANKS);
        MemorySegment doors = MEMORY.block(MEMORY.claim(bytes, "a stress test"), bytes);
        for (int rank = 0; rank < RANKS; rank++) {
            var progress = new MessageProgress(null);
            var machine = new LiveMachine(new Waiter(true, progress));
            var ofRank = new RankMessages(progress, machine, null, MEMORY, doors, ADDRESSES, rank, RANKS, 1,
                    true);
            messages[rank] = new CommunicatorMessages(ofRank, 1, HealthyMembers.INSTANCE, rank, RANKS, () -> 0);
        }
    }

    /** Reserves numbers that this pair has never sent: the returned one and the {@code count − 1} after it. */
    long reserve(int count) {
        long first = numbers + 1;
        numbers += count;
        return first;
    }

    /** Sends a message of so many elements. */
    void send(long number, int count) {
        messages[0].send(elements(number, count), DataType.LONG, 1, 0, false, Long.MAX_VALUE);
    }

    /** Starts to send a message of so many elements. */
    Request startSend(long number, int count) {
        return messages[0].startSend(elements(number, count), DataType.LONG, 1, 0, false, Long.MAX_VALUE);
    }

    private static MemorySegment elements(long number, int count) {
        long[] elements = new long[count];
        Arrays.fill(elements, number);
        return MemorySegment.ofArray(elements);
    }

    /** Receives a message of so many elements. Returns its number, or −1 if the elements differ. */
    long receive(int count) {
        long[] elements = new long[count];
        messages[1].receive(MemorySegment.ofArray(elements), DataType.LONG, 0, 0, null, Long.MAX_VALUE);
        return number(elements);
    }

    /** Starts to receive a message into memory. */
    ReceiveRequest startReceive(long[] elements) {
        return messages[1].startReceive(MemorySegment.ofArray(elements), DataType.LONG, Messenger.ANY_RANK,
                Messenger.ANY_TAG, Long.MAX_VALUE, () -> {
                });
    }

    /** Returns the number of a message, or −1 if the elements differ. */
    static long number(long[] elements) {
        return Arrays.stream(elements).allMatch(each -> each == elements[0]) ? elements[0] : -1;
    }
}
