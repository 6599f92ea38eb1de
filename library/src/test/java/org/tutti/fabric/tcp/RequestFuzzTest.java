/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;
import org.tutti.onesided.PartRegion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random requests to parts of remote memory, good and bad, from a process that knows the secret. A granted request is
 * done. A refused one leaves no trace except a count. Only a process that sends a meaningless request is dropped.
 */
@Timeout(300)
class RequestFuzzTest {
    private static final int PART_BYTES = 3 * 4096 + 64;
    private static final int AROUND = 1024;
    private static final byte FOREIGN = 0x33;
    private static final Waiter.Check PATIENT = () -> {
    };

    /** Two parts in the midst of memory that is nobody's business: one for accumulates too, and one for puts only. */
    private static final class Parts {
        final MemorySegment all;
        final PartRegion part;
        final MemorySegment other;

        Parts(Arena arena) {
            long block = PartRegion.blockBytes(PART_BYTES);
            all = arena.allocate(3 * AROUND + block + PART_BYTES, Words.LINE_BYTES).fill(FOREIGN);
            part = PartRegion.of(all.asSlice(AROUND, block).fill((byte) 0), PART_BYTES);
            other = all.asSlice(2 * AROUND + block, PART_BYTES).fill((byte) 0);
        }

        /** The first byte that a peer has changed without a right to, or −1. */
        long firstForeign() {
            long data = part.data().address() - all.address();
            long last = other.address() - all.address();
            for (long at = 0; at < all.byteSize(); at++) {
                boolean granted = at >= data && at < data + PART_BYTES || at >= last && at < last + PART_BYTES;
                byte was = at >= AROUND && at < AROUND + part.block().byteSize() ? 0 : FOREIGN; // no lock is taken
                if (!granted && all.get(ValueLayout.JAVA_BYTE, at) != was) {
                    return at;
                }
            }
            return -1;
        }
    }

    /** Says what must become of each frame, and does to its own parts what is granted. */
    private static final class Judge {
        final Parts parts;
        final long partHandle;
        final long otherHandle;
        final int rails;
        long received;
        long refusals;
        boolean nonsense;

        Judge(Parts parts, long partHandle, long otherHandle, int rails) {
            this.parts = parts;
            this.partHandle = partHandle;
            this.otherHandle = otherHandle;
            this.rails = rails;
        }

        void judge(Frame frame, ByteBuffer bytes) {
            long ahead = rails == 1 ? 1 : RetransmitBuffer.FRAMES_MAX;
            boolean carries = frame.kind == FrameLayout.PUT || frame.kind == FrameLayout.ACTIVE_MESSAGE
                    || frame.kind == FrameLayout.REPLY;
            nonsense = frame.kind < FrameLayout.PUT || frame.kind > FrameLayout.ACTIVE_MESSAGE || frame.length < 0
                    || frame.length > FrameLayout.PAYLOAD_BYTES_MAX || frame.length > 0 && !carries || frame.number < 0
                    || frame.number == 0 != (frame.kind == FrameLayout.ACK) || frame.count < 0
                    || frame.number > received && frame.kind == FrameLayout.REPLY || frame.number > received + ahead;
            if (!nonsense && frame.number > received) {
                received = frame.number;
                if (isGranted(frame)) {
                    apply(frame, MemorySegment.ofBuffer(bytes).asSlice(FrameLayout.HEADER_BYTES));
                } else {
                    refusals++;
                }
            }
            refusals += nonsense ? 1 : 0;
        }

        private MemorySegment memory(Frame frame) {
            return frame.region == partHandle ? parts.part.data() : frame.region == otherHandle ? parts.other : null;
        }

        /** Of two numbers that are none Java lets the sum be either, so each of them is right. */
        void takeNaNs(MemorySegment found, Frame frame) {
            if (frame.kind != FrameLayout.ACTIVE_MESSAGE || !isGranted(frame)) {
                return;
            }
            DataType type = PartRegion.type(frame.operation);
            MemorySegment own = parts.part.data();
            for (long at = frame.offset; at < frame.offset + frame.length; at += type.bytes()) {
                if (isNaN(type, own, at) && isNaN(type, found, at)) {
                    MemorySegment.copy(found, at, own, at, type.bytes());
                }
            }
        }

        private static boolean isNaN(DataType type, MemorySegment memory, long at) {
            return switch (type) {
                case FLOAT -> Float.isNaN(memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at));
                case DOUBLE -> Double.isNaN(memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at));
                default -> false;
            };
        }

        private static boolean isInside(long offset, long length) {
            return offset >= 0 && offset <= PART_BYTES && length >= 0 && length <= PART_BYTES - offset;
        }

        private boolean isGranted(Frame frame) {
            int operation = frame.operation;
            return switch (frame.kind) {
                case FrameLayout.NEWS, FrameLayout.GOODBYE -> true;
                case FrameLayout.PUT -> memory(frame) != null && isInside(frame.offset, frame.length)
                        && (operation == 0 || (operation == 1 || operation == 2) && isInside(frame.word, 16)
                                && frame.word % 8 == 0);
                case FrameLayout.ACTIVE_MESSAGE -> {
                    int bytes = PartRegion.elementBytes(operation);
                    yield frame.region == partHandle && bytes > 0 && isInside(frame.offset, frame.length)
                            && frame.offset % bytes == 0 && frame.length % bytes == 0;
                }
                case FrameLayout.GET -> memory(frame) != null && frame.value > 0 && isInside(frame.offset, frame.value);
                case FrameLayout.ATOMIC -> {
                    int bytes = operation < 3 || operation == 6 ? 8 : 4;
                    yield memory(frame) != null && operation >= 0 && operation < 8 && isInside(frame.offset, bytes)
                            && frame.offset % bytes == 0;
                }
                default -> throw new AssertionError(frame.kind);
            };
        }

        private void apply(Frame frame, MemorySegment payload) {
            MemorySegment memory = memory(frame);
            switch (frame.kind) {
                case FrameLayout.PUT -> {
                    MemorySegment.copy(payload, 0, memory, frame.offset, frame.length);
                    if (frame.operation == WordAction.ADD.ordinal()) {
                        Words.add(memory, frame.word, frame.value);
                    } else
                        if (frame.operation == WordAction.RAISE.ordinal()
                                && Words.loadPlain(memory, frame.word) < frame.value) {
                                    Words.storePlain(memory, frame.word, frame.value);
                                    Words.storePlain(memory, frame.word + 8, frame.tag);
                                }
                }
                case FrameLayout.ACTIVE_MESSAGE -> parts.part.handler().handle(0, frame.operation, frame.value,
                        frame.tag, frame.offset, payload, 0, frame.length);
                case FrameLayout.ATOMIC -> AtomicOperation.values()[frame.operation].apply(memory, frame.offset,
                        frame.value, frame.tag);
                default -> {
                    // changes no memory
                }
            }
        }
    }

    /** Notes lost processes. */
    private static final class Listener implements FabricListener {
        final List<String> lost = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void news(int kind, long index, long value) {
            // said by a process that may say it
        }

        @Override
        public void left(int process) {
            // likewise
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            lost.add(process + ": " + reason);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldDoWhatIsGrantedAndNothingElse(int rails) throws IOException {
        Long one = Long.getLong("fuzz.seed");
        long first = one != null ? one : 1;
        long runs = one != null ? 1 : Long.getLong("fuzz.runs", 1500);
        for (long seed = first; seed < first + runs; seed++) {
            try (Arena arena = Arena.ofShared()) {
                fuzz(seed, rails, arena);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " fails with " + rails + " rails; repeat it with "
                        + "-Dfuzz.seed=" + seed, e);
            }
        }
    }

    private static void fuzz(long seed, int rails, Arena arena) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Parts parts = new Parts(arena);
        Regions regions = new Regions();
        Region part = regions.add(parts.part.data(), parts.part.handler());
        Region other = regions.add(parts.other);
        regions.add(parts.all); // whose handle nobody was told
        Listener listener = new Listener();
        AtomicLong refusals = new AtomicLong();
        Peer peer = new Peer(1, regions, listener, refusals, () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        SimulatedWire[] wires = new SimulatedWire[rails];
        Wire[] ends = new Wire[rails];
        for (int i = 0; i < rails; i++) {
            wires[i] = new SimulatedWire(random, 1 << 20);
            ends[i] = wires[i].end(0);
        }
        peer.connect(ends);
        Judge judge = new Judge(new Parts(arena), part.handle(), other.handle(), rails);
        FuzzedFrames frames =
                new FuzzedFrames(random, PART_BYTES, random.nextInt(40), part.handle(), other.handle());
        Frame frame = new Frame();
        for (int i = 0; i < 40 && !judge.nonsense; i++) {
            long received = judge.received;
            do {
                frames.next(frame, received + 1);
            } while (frame.kind == FrameLayout.ACK || frame.kind == FrameLayout.GOODBYE || frame.count > 0
                    || frame.number > received + 1 && frame.number <= received + RetransmitBuffer.FRAMES_MAX);
            ByteBuffer bytes = frames.bytes(frame);
            judge.judge(frame, bytes);
            wires[random.nextInt(rails)].end(1).write(bytes);
            peer.poll();
            if (judge.received > received) {
                judge.takeNaNs(parts.part.data(), frame);
            }
            assertThat(refusals.get()).as("refusals after frame %d", i).isEqualTo(judge.refusals);
            assertThat(peer.isGone()).as("lost after frame %d", i).isEqualTo(judge.nonsense);
        }
        assertThat(parts.firstForeign()).as("first byte that was changed without a right").isEqualTo(-1);
        assertThat(parts.all.mismatch(judge.parts.all)).as("first byte that is not what was granted").isEqualTo(-1);
        assertThat(listener.lost).hasSize(judge.nonsense ? 1 : 0)
                .allMatch(each -> each.startsWith("1: it has sent what makes no sense"));
    }

    /** A connection of a process that has proved that it knows the secret. */
    private static SocketChannel connect(TcpFabric to, byte[] secret, int rank) throws IOException {
        SocketChannel channel = SocketChannel.open(to.addresses().get(0));
        ClientHandshake handshake =
                new ClientHandshake(secret, new SecureRandom(), new Introduction(rank, 0, 1, 1, 0, 1));
        while (handshake.state() == Handshake.State.GOING_ON || handshake.toWrite().hasRemaining()) {
            if (handshake.toWrite().hasRemaining()) {
                channel.write(handshake.toWrite());
            } else {
                ByteBuffer heard = ByteBuffer.allocate(handshake.wanted());
                assertThat(channel.read(heard)).isPositive();
                handshake.read(heard.flip());
            }
        }
        assertThat(handshake.verdict()).isEqualTo(Verdict.ACCEPTED);
        return channel;
    }

    /** With real sockets, the service thread, and a good process that goes on meanwhile. */
    @Test
    void shouldServeOthersWhateverOneProcessSends() throws Exception {
        int runs = Integer.getInteger("fuzz.peers", 60);
        byte[] secret = new byte[32];
        List<TcpFabric> fabrics = new ArrayList<>();
        Listener listener = new Listener();
        Listener goodListener = new Listener();
        try (Arena arena = Arena.ofShared()) {
            for (Listener each : List.of(listener, goodListener)) {
                fabrics.add(new TcpFabric(
                        new LocalProcess(fabrics.size(), secret,
                                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                                process -> fabrics.get(process).addresses(), 20_000, 20_000),
                        2 + runs, each, false, Service.SLEEP));
            }
            TcpFabric victim = fabrics.get(0);
            TcpFabric good = fabrics.get(1);
            Parts parts = new Parts(arena);
            long part = victim.register(parts.part.data(), parts.part.handler());
            long other = victim.register(parts.other);
            MemorySegment own = arena.allocate(8192);
            long ownRegion = victim.register(own);
            long[] old = new long[1];
            for (int run = 0; run < runs; run++) {
                SplittableRandom random = new SplittableRandom(run);
                FuzzedFrames frames = new FuzzedFrames(random, PART_BYTES, 1 + run % 10, part, other);
                Frame frame = new Frame();
                long number = 0;
                ByteBuffer heard = ByteBuffer.allocate(1 << 16);
                try (SocketChannel mad = connect(victim, secret, 2 + run)) {
                    mad.configureBlocking(false);
                    for (int i = 0; i < 100; i++) {
                        frames.next(frame, ++number);
                        ByteBuffer bytes = frames.bytes(frame);
                        while (bytes.hasRemaining()) {
                            mad.write(bytes);
                            mad.read(heard.clear());
                        }
                    }
                    mad.configureBlocking(true);
                    mad.shutdownOutput();
                    while (mad.read(heard.clear()) >= 0) {
                        Thread.onSpinWait(); // until the victim has taken all in, or enough
                    }
                } catch (IOException _) {
                    continue; // it was thrown out at once
                }
                long value = run;
                MemorySegment source = MemorySegment.ofArray(new long[]{value});
                assertThat(good.put(new PutTarget().at(0, ownRegion, 64).add(0, 1), source, 0, 8, PATIENT)).isTrue();
                assertThat(good.atomic(0, ownRegion, 0, AtomicOperation.FETCH_ADD, 0, 0, old, PATIENT)).isTrue();
                assertThat(old[0]).isEqualTo(run + 1);
                MemorySegment found = arena.allocate(8);
                assertThat(good.get(0, ownRegion, 64, found, 0, 8, PATIENT)).isTrue();
                assertThat(Words.loadPlain(found, 0)).isEqualTo(value);
            }
            assertThat(parts.firstForeign()).as("first byte that was changed without a right").isEqualTo(-1);
            assertThat(victim.accessesRefused()).isGreaterThan(runs);
            assertThat(listener.lost).hasSizeBetween(runs / 2, runs) // some may have said good-bye
                    .noneMatch(each -> each.startsWith("1: ")).anyMatch(each -> each.contains("makes no sense"));
            assertThat(goodListener.lost).isEmpty();
        } finally {
            fabrics.forEach(TcpFabric::close);
        }
    }
}
