/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that has said why it goes, and has closed the connection, when the other one writes before it reads. */
class LastWordsTest {
    /** A connection that the other side closed after it sent news and a good-bye. */
    private static final class ClosedWire implements Wire {
        private final ByteBuffer words;

        ClosedWire(ByteBuffer words) {
            this.words = words;
        }

        @Override
        public int read(ByteBuffer target) {
            int bytes = Math.min(words.remaining(), target.remaining());
            if (bytes == 0) {
                return -1;
            }
            target.put(words.slice(words.position(), bytes));
            words.position(words.position() + bytes);
            return bytes;
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return read(targets[0].hasRemaining() ? targets[0] : targets[1]);
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            throw new IOException("Broken pipe");
        }

        @Override
        public long write(ByteBuffer[] sources, int count) throws IOException {
            throw new IOException("Broken pipe");
        }

        @Override
        public void close() {
            words.position(words.limit());
        }
    }

    private static ByteBuffer newsAndGoodbye() {
        ByteBuffer words = ByteBuffer.allocate(2 * FrameLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Frame frame = new Frame();
        frame.of(FrameLayout.NEWS).number = 1;
        frame.word = 3;
        frame.offset = 5;
        frame.value = 7;
        FrameLayout.write(words, frame);
        frame.of(FrameLayout.GOODBYE).number = 2;
        FrameLayout.write(words, frame);
        return words.flip();
    }

    private final List<String> heard = new ArrayList<>();

    private Peer peer(int process, Arena arena) {
        return new Peer(process, new Regions(), new FabricListener() {
            @Override
            public void news(int kind, long index, long value) {
                heard.add("news " + kind + " " + index + " " + value);
            }

            @Override
            public void left(int other) {
                heard.add("left " + other);
            }

            @Override
            public void lost(int other, Loss loss, String reason) {
                heard.add("lost " + other + ": " + reason);
            }
        }, new AtomicLong(), () -> false, new RailChoice(Striping.EVEN, () -> 0, 0), arena);
    }

    /** Nobody knows yet that the rail is lost, and who leaves does not wait until somebody does. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldComeAlthoughARailHasDiedSilently(int dead) {
        SplittableRandom random = new SplittableRandom(1);
        SimulatedWire[] wires = {new SimulatedWire(random, 1000), new SimulatedWire(random, 1000)};
        try (Arena arena = Arena.ofConfined()) {
            Peer leaving = peer(0, arena);
            Peer staying = peer(1, arena);
            leaving.connect(new Wire[]{wires[0].end(0), wires[1].end(0)});
            staying.connect(new Wire[]{wires[0].end(1), wires[1].end(1)});
            wires[dead].beSilent();
            wires[dead].cut();
            assertThat(leaving.sender().tell(FrameLayout.NEWS, 3, 5, 7, 0)).isTrue();
            assertThat(leaving.sender().tell(FrameLayout.GOODBYE, 0, 0, 0, 0)).isTrue();
            staying.poll();
            assertThat(heard).containsExactly("news 3 5 7", "left 1");
        }
    }

    @Test
    void shouldBeHeardByWhoWritesFirst() {
        try (Arena arena = Arena.ofConfined()) {
            Peer peer = peer(4, arena);
            peer.connect(new Wire[]{new ClosedWire(newsAndGoodbye())});
            peer.sender().put(new PutTarget().at(0, 1 << 16, 0),
                    new PutSource().add(MemorySegment.ofArray(new long[1]), 0, Long.BYTES), () -> {
                    });
            peer.pump();
            assertThat(heard).containsExactly("news 3 5 7", "left 4");
            assertThat(peer.isGone()).isTrue();
        }
    }
}
