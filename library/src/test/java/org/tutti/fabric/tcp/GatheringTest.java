/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/** Which frames share a system call. */
class GatheringTest {
    private static final long REGION = 1 << 16;
    private static final int LONG_BYTES = FrameLayout.PACKET_BYTES;
    private static final int PIECE_BYTES_MIN = 16 << 10;
    private static final int PUTS = 10;

    /** A packet has at most 64 KiB, of which Linux keeps up to 320 bytes for its headers. */
    private static final int SEGMENTS_BYTES_MAX = (64 << 10) - 1 - 320;

    /** Takes everything, and remembers how much each write was, and where long pieces of it lay. */
    private static final class CountingWire extends SilentWire {
        final List<Long> writes = new ArrayList<>();
        final List<ByteBuffer> pieces = new ArrayList<>();

        @Override
        public int write(ByteBuffer source) {
            return (int) write(new ByteBuffer[]{source}, 1);
        }

        @Override
        public long write(ByteBuffer[] sources, int count) {
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                bytes += sources[i].remaining();
                if (sources[i].remaining() >= PIECE_BYTES_MIN) {
                    pieces.add(sources[i].slice().order(ByteOrder.nativeOrder()));
                }
                sources[i].position(sources[i].limit());
            }
            writes.add(bytes);
            return bytes;
        }
    }

    private static Peer connected(Arena arena, Wire... wires) {
        Peer peer = new Peer(4, new Regions(), new Deaf(), new AtomicLong(), () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        peer.connect(wires);
        return peer;
    }

    private static void put(Peer peer, long[] source, int bytes, boolean raises) {
        PutTarget target = new PutTarget().at(0, REGION, 0);
        assertThat(peer.sender().put(raises ? target.raise(0, 1, 0) : target,
                new PutSource().add(MemorySegment.ofArray(source), 0, bytes), () -> {
                })).isTrue();
    }

    @Test
    void shouldSendALongPutTogetherWithTheWordThatFollows() {
        try (Arena arena = Arena.ofConfined()) {
            CountingWire wire = new CountingWire();
            Peer peer = connected(arena, wire);
            long[] source = new long[LONG_BYTES / Long.BYTES];
            put(peer, source, LONG_BYTES, false);
            assertThat(wire.writes).isEmpty();
            put(peer, source, 0, true);
            assertThat(wire.writes).containsExactly(2L * FrameLayout.HEADER_BYTES + LONG_BYTES);
            put(peer, source, LONG_BYTES, true);
            assertThat(wire.writes).as("with its word").hasSize(2)
                    .endsWith((long) FrameLayout.HEADER_BYTES + LONG_BYTES);
            put(peer, source, LONG_BYTES, false);
            peer.pump();
            assertThat(wire.writes).as("at the latest when it is flushed").hasSize(3);
        }
    }

    /** A write that is longer than a packet ends with a short one, which costs as much. */
    @ParameterizedTest
    @ValueSource(ints = {1448, 8948, 65_483}) // what a segment carries, by the links' MTU of 1500, 9000 and 65,536
    void shouldWriteNoMoreThanAPacketOfALongPutAtOnce(int segmentBytes) {
        int packetBytes = Math.max(1, SEGMENTS_BYTES_MAX / segmentBytes) * segmentBytes;
        try (Arena arena = Arena.ofConfined()) {
            CountingWire wire = new CountingWire();
            Peer peer = connected(arena, wire);
            put(peer, new long[PUTS * LONG_BYTES / Long.BYTES], PUTS * LONG_BYTES, true);
            assertThat(wire.writes).hasSize(PUTS).allSatisfy(bytes -> assertThat(bytes).isBetween(packetBytes / 2L,
                    (long) packetBytes));
        }
    }

    /** What one frame carries is not cut, so that it takes effect as a whole. */
    @Test
    void shouldSendWhatFitsAsOneFrame() {
        try (Arena arena = Arena.ofConfined()) {
            CountingWire wire = new CountingWire();
            Peer peer = connected(arena, wire);
            put(peer, new long[FrameLayout.PAYLOAD_BYTES_MAX / Long.BYTES], FrameLayout.PAYLOAD_BYTES_MAX, true);
            assertThat(wire.writes).containsExactly((long) FrameLayout.HEADER_BYTES + FrameLayout.PAYLOAD_BYTES_MAX);
        }
    }

    /** Rails are given no copies of their own: what they were given stays as it is, however much follows. */
    @Test
    void shouldWriteStripesFromWhereTheyAreKept() {
        try (Arena arena = Arena.ofConfined()) {
            CountingWire[] wires = {new CountingWire(), new CountingWire()};
            Peer peer = connected(arena, wires);
            long[] source = new long[LONG_BYTES / Long.BYTES];
            for (int i = 0; i < PUTS; i++) {
                Arrays.fill(source, i);
                put(peer, source, LONG_BYTES, false);
                peer.pump();
            }
            long[] bytes = new long[PUTS];
            for (CountingWire wire : wires) {
                for (ByteBuffer piece : wire.pieces) {
                    long[] kept = new long[piece.remaining() / Long.BYTES];
                    piece.asLongBuffer().get(kept);
                    assertThat(kept).containsOnly(kept[0]);
                    bytes[(int) kept[0]] += piece.remaining();
                }
            }
            assertThat(bytes).containsOnly(LONG_BYTES);
            assertThat(wires[0].pieces).hasSameSizeAs(wires[1].pieces);
        }
    }
}
