/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/** Which rails carry the messages of a step, of one process or of several, by the bytes that they carry. */
class FirstRailTest {
    private static final int NODES_MAX = 17;
    private static final int SHORT_BYTES = 2 << 10;
    private static final int LONG_BYTES = 256 << 10;
    private static final byte[] SECRET = new byte[32];

    /** Takes everything, and counts it. */
    private static final class Counter extends SilentWire {
        private final long[] bytes;
        private final int rail;

        Counter(long[] bytes, int rail) {
            this.bytes = bytes;
            this.rail = rail;
        }

        @Override
        public int write(ByteBuffer source) {
            return (int) write(new ByteBuffer[]{source}, 1);
        }

        @Override
        public long write(ByteBuffer[] sources, int count) {
            long written = 0;
            for (ByteBuffer source : Arrays.copyOf(sources, count)) {
                written += source.remaining();
                source.position(source.limit());
            }
            bytes[rail] += written;
            return written;
        }
    }

    private static LocalProcess process(int rank, int nodeRanks, int rails) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new LocalProcess(rank, SECRET, Collections.nCopies(rails, List.of(any)), PortRange.ANY, _ -> List.of(),
                1, 1, Striping.SPEED,
                nodeRanks);
    }

    static Stream<Arguments> shapes() {
        return IntStream.rangeClosed(1, 4).boxed().flatMap(rails -> Stream.of(1, 4)
                .flatMap(ranks -> IntStream.rangeClosed(2, NODES_MAX)
                        .mapToObj(nodes -> Arguments.of(rails, ranks, nodes))));
    }

    /** The masters at distances z·(k+1)^j, z from 1 to k, which all are fewer than the nodes. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldHaveARailForEachPartnerOfAStep(int rails, int ranks, int nodes) {
        for (int step = 1; step < nodes; step *= rails + 1) {
            int each = step;
            int partners = Math.min(rails, (nodes - 1) / step);
            for (int node = 0; node < nodes; node++) {
                int self = node;
                assertThat(IntStream.rangeClosed(1, partners)
                        .map(z -> firstRail(self, (self + z * each) % nodes, ranks, rails, nodes)))
                        .as("to others").doesNotHaveDuplicates();
                assertThat(IntStream.rangeClosed(1, partners)
                        .map(z -> firstRail(Math.floorMod(self - z * each, nodes), self, ranks, rails, nodes)))
                        .as("from others").doesNotHaveDuplicates();
            }
        }
    }

    private static int firstRail(int from, int to, int ranks, int rails, int nodes) {
        return process(from * ranks, ranks, rails).firstRail(to * ranks, nodes * ranks);
    }

    /** By one process to k nodes. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldSendTheShortMessagesOfAStepOverARailEach(int rails) {
        long[] bytes = new long[rails];
        for (int node = 1; node <= rails; node++) {
            put(process(0, 1, rails), node, rails + 1, Striping.SPEED, SHORT_BYTES, bytes);
        }
        assertThat(bytes).containsOnly(SHORT_BYTES + FrameLayout.HEADER_BYTES);
    }

    /** By k ranks of a node to those of another one, whatever the striping and the length of their parts. */
    @ParameterizedTest
    @CsvSource({"2, SPEED", "4, SPEED", "2, EVEN", "4, EVEN", "2, WHOLE", "3, WHOLE", "4, WHOLE"})
    void shouldCarryAPartOfTheVectorOnEachRail(int rails, Striping striping) {
        for (int part : new int[]{SHORT_BYTES, LONG_BYTES}) {
            long[] bytes = new long[rails];
            for (int rank = 0; rank < rails; rank++) {
                put(process(rank, rails, rails), rails + rank, 2 * rails, striping, part, bytes);
            }
            long all = Arrays.stream(bytes).sum();
            assertThat(all).isBetween((long) rails * part, (long) (rails * part * 1.04));
            assertThat(bytes).containsOnly(all / rails);
        }
    }

    private static void put(LocalProcess from, int to, int size, Striping striping, int length, long[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            Peer peer = new Peer(to, new Regions(), new Deaf(), new AtomicLong(), () -> false,
                    new RailChoice(striping, () -> 0, from.firstRail(to, size)), arena);
            peer.connect(IntStream.range(0, bytes.length).mapToObj(rail -> new Counter(bytes, rail))
                    .toArray(Wire[]::new));
            assertThat(peer.sender().put(new PutTarget().at(to, 1, 0),
                    new PutSource().add(arena.allocate(length), 0, length), () -> {
                    })).isTrue();
            peer.pump();
        }
    }
}
