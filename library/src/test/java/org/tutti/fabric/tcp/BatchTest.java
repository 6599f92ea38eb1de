/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A frame that is written from an array, behind frames that are left in the rail's buffer. */
class BatchTest {
    private static final int PAYLOAD_BYTES = 1000;

    /** Takes a number of bytes, counts calls, and keeps the bytes. */
    private static final class CountingWire extends SilentWire {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private int room;
        private int calls;

        @Override
        public int write(ByteBuffer source) {
            calls++;
            byte[] bytes = new byte[Math.min(room, source.remaining())];
            source.get(bytes);
            taken.writeBytes(bytes);
            room -= bytes.length;
            return bytes.length;
        }

        @Override
        public long write(ByteBuffer[] sources, int count) {
            throw new AssertionError("an array is written with its header in " + count + " buffers");
        }

        @Override
        public boolean takesArrays() {
            return true;
        }

        @Override
        public int write(MemorySegment source, long offset, int bytes, boolean more) {
            return write(source.asSlice(offset, bytes).asByteBuffer());
        }
    }

    /** The wire is full after every possible number of bytes, and then takes the rest. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 5, 20})
    void shouldWriteAllBytesInOrderWhereverTheWireIsFull(int framesLeft) throws IOException {
        byte[] payload = new byte[PAYLOAD_BYTES];
        new Random(5).nextBytes(payload);
        int left = framesLeft * FrameLayout.HEADER_BYTES;
        byte[] expected = expected(framesLeft, payload);
        for (int room = 0; room <= expected.length; room++) {
            CountingWire wire = new CountingWire();
            Rail rail = rail(wire, framesLeft);
            rail.beginBatch(MemorySegment.ofArray(payload));
            rail.batch().add(frame(framesLeft, PAYLOAD_BYTES), 0);
            wire.room = room;
            assertThat(rail.writeBatch()).as("any of %d bytes", room).isEqualTo(room > 0);
            boolean isDropped = rail.endBatch() == 1;
            assertThat(isDropped).as("no byte of the frame in %d", room).isEqualTo(room <= left);
            wire.room = Integer.MAX_VALUE;
            rail.write();
            assertThat(wire.taken.toByteArray()).as("after %d bytes", room)
                    .isEqualTo(isDropped ? Arrays.copyOf(expected, left) : expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void shouldWriteAWordInTheCallOfTheHeader(int framesLeft) throws IOException {
        CountingWire wire = new CountingWire();
        wire.room = Integer.MAX_VALUE;
        Rail rail = rail(wire, framesLeft);
        rail.beginBatch(MemorySegment.ofArray(new byte[PAYLOAD_BYTES]));
        rail.batch().add(frame(framesLeft, PAYLOAD_BYTES), 0);
        rail.writeBatch();
        assertThat(wire.calls).as("for the header and for the array").isEqualTo(2);
        assertThat(rail.endBatch()).isZero();
        assertThat(rail.isDrained()).isTrue();
    }

    private static Rail rail(Wire wire, int framesLeft) {
        Rail rail = new Rail(0);
        rail.connect(wire);
        for (int i = 0; i < framesLeft; i++) {
            assertThat(rail.hasRoom(FrameLayout.HEADER_BYTES)).isTrue();
            rail.append(frame(i, 0));
        }
        return rail;
    }

    private static Frame frame(int number, int length) {
        Frame frame = new Frame();
        frame.of(FrameLayout.PUT).number = number + 1L;
        frame.length = length;
        frame.value = 77L + number;
        return frame;
    }

    private static byte[] expected(int framesLeft, byte[] payload) {
        ByteBuffer all = FrameLayout.buffer((framesLeft + 1) * FrameLayout.HEADER_BYTES + payload.length);
        for (int i = 0; i < framesLeft; i++) {
            FrameLayout.write(all, frame(i, 0));
        }
        FrameLayout.write(all, frame(framesLeft, payload.length));
        byte[] bytes = new byte[all.put(payload).flip().remaining()];
        all.get(bytes);
        return bytes;
    }
}
