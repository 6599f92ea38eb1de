/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Regions;
import org.tutti.fabric.WordAction;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that has said why it goes, and has closed the connection, when the other one writes before it reads. */
class LastWordsTest {
    /** A connection from whose other end news and a good-bye have come before it was closed. */
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

    @Test
    void shouldBeHeardByWhoWritesFirst() {
        List<String> heard = new ArrayList<>();
        FabricListener listener = new FabricListener() {
            @Override
            public void news(int kind, long index, long value) {
                heard.add("news " + kind + " " + index + " " + value);
            }

            @Override
            public void left(int process) {
                heard.add("left " + process);
            }

            @Override
            public void lost(int process, String reason) {
                heard.add("lost " + process + ": " + reason);
            }
        };
        try (Arena arena = Arena.ofConfined()) {
            Peer peer = new Peer(4, new Regions(), listener, new AtomicLong(), () -> false, arena);
            peer.connect(new Wire[]{new ClosedWire(newsAndGoodbye())});
            peer.put(1 << 16, 0, MemorySegment.ofArray(new long[1]), 0, Long.BYTES, WordAction.NONE, 0, 0, 0, () -> {
            });
            peer.pump();
            assertThat(heard).containsExactly("news 3 5 7", "left 4");
            assertThat(peer.isGone()).isTrue();
        }
    }
}
