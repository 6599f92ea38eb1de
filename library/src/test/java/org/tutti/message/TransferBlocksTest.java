/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.DataType;
import org.tutti.ReceiveRequest;
import org.tutti.Request;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.job.CountedMemory;
import org.tutti.memory.Looks;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The blocks of the node's memory by which long messages travel in chunks: none is lost when a transfer fails. */
@Timeout(60)
class TransferBlocksTest {
    private static final int RANKS = 2;
    private static final int ROUNDS = 20;
    private static final int CHUNKS = 20;
    private static final int BYTES = CHUNKS * TransferLayout.CHUNK_BYTES;

    private final AtomicInteger blocks = new AtomicInteger();
    private final MessageProgress[] progress = new MessageProgress[RANKS];
    private final CommunicatorMessages[] messages = new CommunicatorMessages[RANKS];

    /** No thread moves messages beside the test. */
    private static final class Nothing implements Background {
        @Override
        public void start(String name, Runnable task) {
            task.run();
        }

        @Override
        public void watch(Looks.Look look) {
            // the test polls
        }
    }

    /** Lends nothing, and counts the blocks of transfers. */
    private final class Blocks extends CountedMemory {
        Blocks() {
            super(new AtomicLong());
        }

        @Override
        protected long claimNew(long bytes, String purpose) {
            if (bytes == roundToLines(TransferLayout.BYTES)) {
                blocks.incrementAndGet();
            }
            return super.claimNew(bytes, purpose);
        }

        @Override
        public MemorySegment[] loans(long address, int places) {
            return null;
        }
    }

    @BeforeEach
    void makeRanks() {
        var memory = new Blocks();
        var doors = memory.block(memory.claim(Doors.bytes(RANKS), "a test"), Doors.bytes(RANKS));
        for (int rank = 0; rank < RANKS; rank++) {
            progress[rank] = new MessageProgress(null);
            var ofRank = new RankMessages(new Nothing(), progress[rank],
                    new LiveMachine(new Waiter(false, progress[rank])), null, memory, doors, new Placement(_ -> true),
                    rank, RANKS, 1, false);
            messages[rank] = new CommunicatorMessages(ofRank, 1, HealthyMembers.INSTANCE, rank, RANKS, () -> 0);
        }
    }

    private Request send(MemorySegment source) {
        return messages[0].startSend(source, DataType.BYTE, 1, 0, false, Long.MAX_VALUE);
    }

    private ReceiveRequest receive(MemorySegment target) {
        return messages[1].startReceive(target, DataType.BYTE, 0, 0, Long.MAX_VALUE, () -> {
        });
    }

    private void poll(int polls) {
        for (int i = 0; i < polls; i++) {
            progress[1].poll();
            progress[0].poll();
        }
    }

    @Test
    void shouldUseABlockAgainWhenTheSourceWasClosedAmidATransfer() {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] got = new byte[BYTES];
            ReceiveRequest receive = receive(MemorySegment.ofArray(got));
            Request broken;
            try (Arena arena = Arena.ofShared()) {
                broken = send(arena.allocate(BYTES));
                poll(1 + round % (CHUNKS / 4)); // some chunks are under way
                assertThat(broken.isDone() || receive.isDone()).isFalse();
            }
            progress[0].poll();
            progress[1].poll();
            progress[0].poll();
            assertThatThrownBy(broken::await).isInstanceOf(IllegalStateException.class);
            assertThat(receive.isDone()).isFalse();
            byte[] good = new byte[BYTES];
            Arrays.fill(good, (byte) (round + 1));
            Request next = send(MemorySegment.ofArray(good));
            poll(2 * CHUNKS);
            assertThat(next.isDone()).isTrue();
            assertThat(receive.message().count()).isEqualTo(BYTES);
            assertThat(got).isEqualTo(good);
        }
        assertThat(blocks).as("blocks that %s broken transfers have taken", ROUNDS).hasValueLessThanOrEqualTo(2);
    }
}
