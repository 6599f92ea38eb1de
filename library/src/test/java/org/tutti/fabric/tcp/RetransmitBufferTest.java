/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Frames are kept whole until they are counted, however full the ring is. */
class RetransmitBufferTest {
    /** A frame that is kept, and what it held. */
    private record Kept(long number, byte[] bytes) {}

    @Test
    void shouldKeepFramesWholeWhenItIsFull() {
        for (int most : new int[]{0, 100, 3000, 30_000, FrameLayout.PAYLOAD_BYTES_MAX}) {
            fill(most, new SplittableRandom(most));
        }
    }

    private static void fill(int most, SplittableRandom random) {
        RetransmitBuffer retransmits = new RetransmitBuffer();
        Deque<Kept> kept = new ArrayDeque<>();
        Frame frame = new Frame();
        long next = 1;
        int fullest = 0;
        for (int round = 0; round < 150; round++) {
            byte[] bytes = bytes(most, random);
            while (retransmits.hasRoom(FrameLayout.HEADER_BYTES + bytes.length, next - kept.size(), next)) {
                frame.of(FrameLayout.PUT).number = next;
                frame.length = bytes.length;
                MemorySegment.copy(MemorySegment.ofArray(bytes), 0, retransmits.segment(),
                        retransmits.nextPayload(bytes.length), bytes.length);
                retransmits.keep(frame, 1);
                kept.add(new Kept(next++, bytes));
                bytes = bytes(most, random);
            }
            fullest = Math.max(fullest, kept.size());
            for (Kept one : kept) {
                retransmits.header(one.number, frame);
                assertThat(frame.number).isEqualTo(one.number);
                assertThat(frame.length).isEqualTo(one.bytes.length);
                assertThat(retransmits.segment().asSlice(retransmits.payload(one.number), frame.length)
                        .toArray(ValueLayout.JAVA_BYTE)).isEqualTo(one.bytes);
            }
            // the receiver's table has a place for so many, beginning with the first uncounted one
            assertThat(kept.size()).isLessThanOrEqualTo(RetransmitBuffer.FRAMES_MAX);
            for (int acks = random.nextInt(kept.size() + 1); acks > 0; acks--) {
                kept.remove();
            }
        }
        assertThat(fullest).isGreaterThan(RetransmitBuffer.BYTES / FrameLayout.PAYLOAD_BYTES_MAX / 2);
    }

    private static byte[] bytes(int most, SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(2) == 0 ? most : random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }
}
