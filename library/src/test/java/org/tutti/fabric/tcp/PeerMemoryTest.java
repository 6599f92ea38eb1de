/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/** A thousand processes that use everything at once cost what docs/architecture.md says, and not more the next time. */
@Isolated("counts threads or memory of the whole JVM")
class PeerMemoryTest {
    private static final int PEERS = 1000;
    private static final int ROUNDS = 4;
    private static final long BYTES_PER_PEER_MAX = Footprint.RAIL_BYTES + FrameLayout.PAYLOAD_BYTES_MAX
            + Requests.ENTRIES * FrameLayout.REQUEST_BYTES_MAX;
    private static final int REGION_BYTES = 1 << 20;

    private final AtomicLong refusals = new AtomicLong();
    private final Regions regions = new Regions();
    private final AtomicLong accumulated = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private int lost;

    /** A wire with the prepared bytes of a peer. Answers are counted and dropped. */
    private final class SpokenWire implements Wire {
        private final ByteBuffer said;

        SpokenWire(ByteBuffer said) {
            this.said = said.duplicate();
        }

        @Override
        public int read(ByteBuffer target) {
            int count = Math.min(target.remaining(), said.remaining());
            target.put(said.slice(said.position(), count));
            said.position(said.position() + count);
            return count;
        }

        @Override
        public long read(ByteBuffer[] targets) {
            long count = 0;
            for (ByteBuffer target : targets) {
                count += read(target);
            }
            return count;
        }

        @Override
        public int write(ByteBuffer source) {
            int count = source.remaining();
            source.position(source.limit());
            answered.addAndGet(count);
            return count;
        }

        @Override
        public long write(ByteBuffer[] sources, int count) {
            long written = 0;
            for (int i = 0; i < count; i++) {
                written += write(sources[i]);
            }
            return written;
        }

        @Override
        public void close() {
            said.position(said.limit());
        }
    }

    private final class Listener implements FabricListener {
        @Override
        public void news(int kind, long index, long value) {
            lost++;
        }

        @Override
        public void left(int process) {
            lost++;
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            lost++;
        }
    }

    private final class Counting implements RegionHandler {
        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return true;
        }

        @Override
        public long handle(int process, int operation, long scale, long imaginary, long offset, MemorySegment source,
                long sourceOffset, long bytes) {
            accumulated.addAndGet(bytes);
            return bytes;
        }
    }

    private static void add(ByteBuffer said, Frame frame, long[] description, int bytes) {
        frame.length = description.length * Long.BYTES + bytes;
        FrameLayout.write(said, frame);
        for (long number : description) {
            said.putLong(number);
        }
        said.position(said.position() + bytes);
    }

    /** The longest frames of each kind, and as many of the longest requests as may be unanswered. */
    private static ByteBuffer round(long region, long round) {
        ByteBuffer said = ByteBuffer.allocate(300 << 10).order(ByteOrder.LITTLE_ENDIAN);
        long number = round * (2 + Requests.ENTRIES);
        for (byte kind : new byte[]{FrameLayout.PUT, FrameLayout.ACTIVE_MESSAGE}) {
            Frame frame = new Frame().of(kind);
            frame.flags = FrameLayout.PACKED;
            frame.region = region;
            frame.number = ++number;
            add(said, frame, new long[]{1, 0, 8, 8187, 16}, FrameLayout.PAYLOAD_BYTES_MAX - 40);
        }
        long[] runs = new long[FrameLayout.REQUEST_BYTES_MAX / Long.BYTES];
        runs[0] = -1;
        for (int i = 1; i < runs.length; i++) {
            runs[i] = i * 16L << 17 | 8;
        }
        for (int place = 0; place < Requests.ENTRIES; place++) {
            Frame frame = new Frame().of(FrameLayout.GET);
            frame.flags = FrameLayout.PACKED;
            frame.region = region;
            frame.number = ++number;
            frame.word = place;
            frame.value = 8L * (runs.length - 1);
            add(said, frame, runs, 0);
        }
        return said.flip();
    }

    @Tag("thorough")
    @Test
    void shouldNotGrowBeyondWhatIsStated() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            long region = regions.add(arena.allocate(REGION_BYTES), new Counting()).handle();
            Peer[] peers = new Peer[PEERS];
            long before = DirectMemory.bytesInUse();
            long after = 0;
            ByteBuffer said = ByteBuffer.allocate(ROUNDS * (300 << 10));
            for (int round = 0; round < ROUNDS; round++) {
                said.put(round(region, round));
            }
            said.flip();
            int roundBytes = said.limit() / ROUNDS;
            SpokenWire[] wires = new SpokenWire[PEERS];
            for (int i = 0; i < PEERS; i++) {
                peers[i] = new Peer(i, regions, new Listener(), refusals, () -> false,
                        new RailChoice(Striping.EVEN, () -> 0, 0), arena);
                wires[i] = new SpokenWire(said);
                peers[i].connect(new Wire[]{wires[i]});
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < PEERS; i++) {
                    wires[i].said.limit((round + 1) * roundBytes);
                    while (wires[i].said.hasRemaining()) {
                        peers[i].poll();
                    }
                    peers[i].poll();
                }
                after = Math.max(after, DirectMemory.bytes());
                assertThat(after - before).as("bytes after round %d", round).isLessThanOrEqualTo(
                        PEERS * BYTES_PER_PEER_MAX);
            }
            assertThat(after - before).as("bytes at most").isGreaterThanOrEqualTo(PEERS * Footprint.RAIL_BYTES);
            assertThat(refusals.get()).isZero();
            assertThat(lost).isZero();
            long all = (long) PEERS * ROUNDS;
            assertThat(accumulated.get()).isEqualTo(all * 8187 * 8);
            long answer = FrameLayout.HEADER_BYTES + 8L * (FrameLayout.REQUEST_BYTES_MAX / Long.BYTES - 1);
            assertThat(answered.get()).isEqualTo(all * Requests.ENTRIES * answer);
            for (Peer peer : peers) {
                peer.lose(Loss.ENDED, "the test is over");
            }
        }
    }
}
