/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Many bytes that another process asks for go from where they lie to where they belong. */
@Timeout(60)
class LongReplyTest {
    private static final int BYTES = 1 << 20;
    private static final int FRAMES = BYTES / FrameLayout.PAYLOAD_BYTES_MAX;
    private static final Waiter.Check PATIENT = () -> {
    };

    private final Arena arena = Arena.ofShared();
    private final Arena closing = Arena.ofShared();
    private final Regions regions = new Regions();
    private final SimulatedWire simulated = new SimulatedWire(new SplittableRandom(1), 4 * BYTES);
    private final HookedWire asking = new HookedWire(simulated.end(0));
    private final HookedWire answering = new HookedWire(simulated.end(1));
    private final List<String> losses = new ArrayList<>();
    private final Peer asker = peer(asking);
    private final Peer answerer = peer(answering);

    /** Counts, takes no more than so much at a time, and does something after a write. */
    private static final class HookedWire implements Wire {
        private final Wire wire;
        int reads;
        int writes;
        int bytesMax = Integer.MAX_VALUE;
        Runnable afterWrite = () -> {
        };

        HookedWire(Wire wire) {
            this.wire = wire;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            int bytes = wire.read(target);
            reads += bytes > 0 ? 1 : 0;
            return bytes;
        }

        @Override
        public long read(ByteBuffer[] targets) throws IOException {
            long bytes = wire.read(targets);
            reads += bytes > 0 ? 1 : 0;
            return bytes;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            return (int) write(new ByteBuffer[]{source}, 1);
        }

        @Override
        public long write(ByteBuffer[] sources, int count) throws IOException {
            long all = 0;
            for (int i = 0; i < count; i++) {
                ByteBuffer source = sources[i];
                int limit = source.limit();
                source.limit((int) Math.min(limit, (long) source.position() + bytesMax - all));
                all += wire.write(source);
                source.limit(limit);
            }
            writes++;
            afterWrite.run();
            return all;
        }

        @Override
        public void close() {
            wire.close();
        }
    }

    private final class Listener implements FabricListener {
        @Override
        public void news(int kind, long index, long value) {}

        @Override
        public void left(int process) {}

        @Override
        public void lost(int process, Loss loss, String reason) {
            losses.add(reason);
        }
    }

    private Peer peer(Wire wire) {
        Peer peer = new Peer(4, regions, new Listener(), new AtomicLong(), () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        peer.connect(new Wire[]{wire});
        return peer;
    }

    @AfterEach
    void close() {
        arena.close();
        if (closing.scope().isAlive()) {
            closing.close();
        }
    }

    private static MemorySegment numbered(Arena arena) {
        MemorySegment memory = arena.allocate(BYTES, Long.BYTES);
        for (long at = 0; at < BYTES; at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at, at * at);
        }
        return memory;
    }

    private int ask(MemorySegment region, MemorySegment target) {
        long handle = regions.add(region).handle();
        return asker.requester().get(handle, 0, target, 0, BYTES, PATIENT);
    }

    private void run(int request) {
        while (!asker.requester().isAnswered(request) && !answerer.isGone()) {
            answerer.poll();
            asker.poll();
        }
    }

    @Test
    void shouldBeWrittenOnceAndReadOnceAFrame() {
        MemorySegment region = numbered(arena);
        MemorySegment target = arena.allocate(BYTES);
        int request = ask(region, target);
        run(request);
        asker.requester().take(request);
        assertThat(target.mismatch(region)).isEqualTo(-1);
        assertThat(answering.writes).isEqualTo(1);
        assertThat(asking.reads).isLessThanOrEqualTo(FRAMES + 1);
    }

    @Test
    void shouldGoOnWhereTheWireTookNoMore() {
        MemorySegment region = numbered(arena);
        MemorySegment target = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
        answering.bytesMax = FrameLayout.PAYLOAD_BYTES_MAX / 2 + 77;
        int request = ask(region, target);
        run(request);
        asker.requester().take(request);
        assertThat(target.mismatch(region)).isEqualTo(-1);
    }

    @Test
    void shouldBeRefusedFromMemoryThatIsClosed() {
        int request = ask(numbered(closing), arena.allocate(BYTES));
        closing.close();
        run(request);
        assertThatThrownBy(() -> asker.requester().take(request)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("refused");
        assertThat(losses).isEmpty();
    }

    @Test
    void shouldEndTheConnectionWhenMemoryIsClosedInTheMidstOfAFrame() {
        int request = ask(numbered(closing), arena.allocate(BYTES));
        answering.bytesMax = 1_000;
        answering.afterWrite = closing::close;
        run(request);
        assertThat(losses).containsExactly("memory of this process was closed while bytes of it were sent");
    }
}
