/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that knows the secret, and sends frames that no process would. */
class MaliciousPeerTest {
    private static final int REGION_BYTES = 4096;
    private static final int AROUND = 1024;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    /** The victim, with one region in the midst of other memory, and raw wires to it. */
    private final class Victim implements FabricListener {
        final MemorySegment all = arena.allocate(REGION_BYTES + 2 * AROUND, Words.LINE_BYTES).fill((byte) 0x33);
        final AtomicLong refusals = new AtomicLong();
        final List<String> lost = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();
        final Regions regions = new Regions();
        final Region region = regions.add(all.asSlice(AROUND, REGION_BYTES));
        final SimulatedWire[] wires;
        final Peer peer = new Peer(1, regions, this, refusals, () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);

        Victim(int rails) {
            wires = new SimulatedWire[rails];
            Wire[] ends = new Wire[rails];
            for (int i = 0; i < rails; i++) {
                wires[i] = new SimulatedWire(new SplittableRandom(i), 1 << 20);
                ends[i] = wires[i].end(0);
            }
            peer.connect(ends);
        }

        /** A put of 8 bytes that would be good, and what is to be wrong with it. */
        void send(int rail, int bytes, Consumer<Frame> change) {
            send(rail, new byte[bytes], frame -> {
                frame.length = 8;
                change.accept(frame);
            });
        }

        /** A put of these bytes. */
        void send(int rail, byte[] payload, Consumer<Frame> change) {
            Frame frame = new Frame().of(FrameLayout.PUT);
            frame.number = 1;
            frame.length = payload.length;
            frame.region = region.handle();
            change.accept(frame);
            ByteBuffer buffer =
                    ByteBuffer.allocate(FrameLayout.HEADER_BYTES + payload.length).order(ByteOrder.LITTLE_ENDIAN);
            FrameLayout.write(buffer, frame);
            buffer.put(payload).rewind();
            try {
                wires[rail].end(1).write(buffer);
            } catch (java.io.IOException e) {
                assertThat(lost).as(e.getMessage()).isNotEmpty();
            }
            poll();
        }

        void poll() {
            for (int i = 0; i < 5; i++) {
                peer.poll();
            }
        }

        boolean isUntouched() {
            MemorySegment as = arena.allocate(all.byteSize()).fill((byte) 0x33);
            return all.mismatch(as) < 0;
        }

        boolean isUntouchedAround() {
            MemorySegment as = arena.allocate(AROUND).fill((byte) 0x33);
            return all.asSlice(0, AROUND).mismatch(as) < 0 && all.asSlice(AROUND + REGION_BYTES).mismatch(as) < 0;
        }

        @Override
        public void news(int kind, long index, long value) {
            lost.add("news");
        }

        @Override
        public void left(int process) {
            lost.add("left");
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            lost.add(reason);
        }

        @Override
        public void failed(Throwable cause) {
            failures.add(cause);
        }
    }

    private void assertLost(int rails, int bytes, Consumer<Frame> change) {
        Victim victim = new Victim(rails);
        victim.send(0, bytes, change);
        assertThat(victim.lost).hasSize(1);
        assertThat(victim.lost.get(0)).startsWith("it has sent what makes no sense: ");
        assertThat(victim.peer.isGone()).isTrue();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).isTrue();
    }

    private void assertRefused(int rails, Consumer<Frame> change) {
        Victim victim = new Victim(rails);
        victim.send(0, 8, change);
        assertThat(victim.lost).isEmpty();
        assertThat(victim.peer.isGone()).isFalse();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).isTrue();
        victim.send(0, 8, frame -> frame.number = 2); // and it goes on
        assertThat(Words.load(victim.region.segment(), 0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldLoseAPeerWhoseHeadersMakeNoSense(int rails) {
        for (int kind : new int[]{0, 9, 10, 127, -1, -128}) {
            assertLost(rails, 8, frame -> frame.kind = (byte) kind);
        }
        for (int length : new int[]{-1, Integer.MIN_VALUE, Integer.MAX_VALUE, FrameLayout.DIRECT_BYTES_MAX + 1}) {
            assertLost(rails, 8, frame -> frame.length = length);
        }
        for (int length : new int[]{-1, Integer.MIN_VALUE, Integer.MAX_VALUE, FrameLayout.PAYLOAD_BYTES_MAX + 1}) {
            assertLost(rails, 8, frame -> {
                frame.flags = FrameLayout.PACKED;
                frame.length = length;
            });
            assertLost(rails, 8, frame -> {
                frame.kind = FrameLayout.REPLY;
                frame.length = length;
            });
        }
        for (byte kind : new byte[]{FrameLayout.GET, FrameLayout.ATOMIC, FrameLayout.ACK, FrameLayout.NEWS,
                FrameLayout.GOODBYE}) {
            assertLost(rails, 8, frame -> frame.kind = kind);
        }
        long limit = rails == 1 ? 1 : RetransmitBuffer.FRAMES_MAX;
        for (long number : new long[]{0, -1, Long.MIN_VALUE, limit + 1, Long.MAX_VALUE}) {
            assertLost(rails, 8, frame -> frame.number = number);
        }
        for (long count : new long[]{-1, 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertLost(rails, 8, frame -> frame.count = count);
        }
        assertLost(rails, 0, frame -> {
            frame.kind = FrameLayout.ACK;
            frame.length = 0;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldLoseAPeerThatRepliesToWhatNobodyAsked(int rails) {
        for (long word : new long[]{0, 1, 31, 32, 255, 256, -1, Long.MIN_VALUE}) {
            assertLost(rails, 8, frame -> {
                frame.kind = FrameLayout.REPLY;
                frame.word = word;
                frame.flags = FrameLayout.LAST;
            });
        }
    }

    /** An accumulator here chokes on what somebody asks it to do. */
    private record Choking(Throwable on) implements RegionHandler {
        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return true;
        }

        @Override
        public long handle(int process, int operation, long scale, long imaginary, long offset, MemorySegment source,
                long sourceOffset, long bytes) {
            if (on instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) on;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldLoseThePeerWhoseFrameCannotBeTakenInAndNobodyElse(int rails) {
        Victim victim = new Victim(rails);
        MemorySegment sums = arena.allocate(64);
        long choking = victim.regions.add(sums, new Choking(new IndexOutOfBoundsException("rank 1048576"))).handle();
        victim.send(0, 8, frame -> {
            frame.kind = FrameLayout.ACTIVE_MESSAGE;
            frame.region = choking;
        });
        assertThat(victim.lost).hasSize(1);
        assertThat(victim.lost.get(0)).startsWith("what it has sent could not be taken in: ").contains("1048576");
        assertThat(victim.peer.isGone()).isTrue();
        assertThat(victim.failures).isEmpty();
    }

    @Test
    void shouldBlameItselfForAnErrorWhileAFrameIsTakenIn() {
        Victim victim = new Victim(1);
        Error error = new LinkageError("of this process");
        long choking = victim.regions.add(arena.allocate(64), new Choking(error)).handle();
        victim.send(0, 8, frame -> {
            frame.kind = FrameLayout.ACTIVE_MESSAGE;
            frame.region = choking;
        });
        assertThat(victim.failures).containsExactly(error);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 3 * Rail.IN_BYTES})
    void shouldDropWhatIsGotIntoMemoryThatWasClosedMeanwhile(int bytes) {
        Victim victim = new Victim(1);
        Arena closed = Arena.ofShared();
        int request = victim.peer.requester().get(1, 0, closed.allocate(bytes), 0, bytes, () -> {
        });
        closed.close();
        reply(victim, 1, request, new byte[bytes]);
        assertThat(victim.peer.requester().isAnswered(request)).isTrue();
        victim.peer.requester().take(request);
        MemorySegment target = arena.allocate(8);
        int next = victim.peer.requester().get(1, 0, target, 0, 8, () -> {
        });
        reply(victim, 2, next, new byte[]{1, 2, 3, 4, 5, 6, 7, 8});
        victim.peer.requester().take(next);
        assertThat(target.get(ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN), 0))
                .isEqualTo(0x0807060504030201L);
        assertThat(victim.lost).isEmpty();
    }

    private static void reply(Victim victim, int number, int request, byte[] bytes) {
        victim.send(0, bytes, frame -> {
            frame.kind = FrameLayout.REPLY;
            frame.number = number;
            frame.count = number;
            frame.word = (long) number << 8 | request;
            frame.flags = FrameLayout.LAST;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 3 * Rail.IN_BYTES})
    void shouldRefuseAccessToARegionWhoseMemoryWasClosed(int bytes) {
        Victim victim = new Victim(1);
        Arena closed = Arena.ofShared();
        long region = victim.regions.add(closed.allocate(bytes)).handle();
        closed.close();
        victim.send(0, new byte[bytes], frame -> frame.region = region);
        victim.send(0, new byte[0], frame -> {
            frame.kind = FrameLayout.GET;
            frame.number = 2;
            frame.region = region;
            frame.value = bytes;
        });
        assertThat(victim.lost).isEmpty();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.wires[0].written(0)).as("a refusal").isEqualTo(FrameLayout.HEADER_BYTES);
        assertThat(victim.isUntouched()).isTrue();
    }

    @Test
    void shouldLoseAPeerThatRepliesOutsideOfWhatWasAskedFor() {
        for (long offset : new long[]{-1, 93, 101, Long.MAX_VALUE, Long.MIN_VALUE}) {
            Victim victim = new Victim(1);
            MemorySegment target = arena.allocate(200);
            assertThat(victim.peer.requester().get(1, 0, target, 50, 100, () -> {
            })).isZero();
            victim.send(0, 8, frame -> {
                frame.kind = FrameLayout.REPLY;
                frame.word = 256;
                frame.offset = offset;
            });
            assertThat(victim.lost).hasSize(1);
            assertThat(target.mismatch(arena.allocate(200))).isEqualTo(-1);
            assertThat(victim.isUntouched()).isTrue();
        }
    }

    @Test
    void shouldWriteNoReplyAfterTheLastOne() {
        Victim victim = new Victim(2);
        MemorySegment target = arena.allocate(200);
        victim.peer.requester().get(1, 0, target, 0, 200, () -> {
        });
        Consumer<Frame> reply = frame -> {
            frame.kind = FrameLayout.REPLY;
            frame.word = 256;
            frame.length = 100;
        };
        victim.send(1, 0, reply.andThen(frame -> frame.number = 2)); // its bytes are still to come
        victim.send(0, 0, reply.andThen(frame -> {
            frame.flags = FrameLayout.LAST;
            frame.length = 0;
        }));
        target.fill((byte) 1); // it has been answered, so the memory is the caller's
        victim.send(1, 100, _ -> {
        });
        assertThat(target.mismatch(arena.allocate(200).fill((byte) 1))).isEqualTo(-1);
        assertThat(victim.lost).hasSize(1);
    }

    @Test
    void shouldWriteNothingMoreOfAFrameThatHasComeOnAnotherRail() {
        Victim victim = new Victim(2);
        victim.send(0, 0, _ -> {
        }); // its bytes are still to come
        victim.send(1, 8, _ -> {
        });
        assertThat(Words.load(victim.region.segment(), 0)).isZero();
        Words.store(victim.region.segment(), 0, 5); // newer than the copy
        victim.send(0, 8, _ -> {
        });
        assertThat(Words.load(victim.region.segment(), 0)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRefuseAPutThatIsOutsideOfARegion(int rails) {
        for (long offset : new long[]{-1, -8, REGION_BYTES - 7, REGION_BYTES, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertRefused(rails, frame -> frame.offset = offset);
        }
        for (int operation : new int[]{-1, 3, Short.MAX_VALUE, Short.MIN_VALUE}) {
            assertRefused(rails, frame -> frame.operation = (short) operation);
        }
        for (long word : new long[]{-8, -1, 4, REGION_BYTES - 8, REGION_BYTES, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
            assertRefused(rails, frame -> {
                frame.operation = 1;
                frame.word = word;
            });
            assertRefused(rails, frame -> {
                frame.operation = 2;
                frame.word = word;
            });
        }
        for (long change : new long[]{1, 1 << 16, -1, Long.MIN_VALUE}) {
            assertRefused(rails, frame -> frame.region += change);
        }
    }

    /** The region of a put takes none; another one takes multiples of 8 at multiples of 8, and one operation. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRefuseAnAccumulateThatMakesNoSense(int rails) {
        assertRefused(rails, frame -> frame.kind = FrameLayout.ACTIVE_MESSAGE);
        for (long offset : new long[]{-8, 4, REGION_BYTES, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
            assertAccumulateRefused(rails, frame -> frame.offset = offset);
        }
        for (int operation : new int[]{-1, 1, Short.MAX_VALUE, Short.MIN_VALUE}) {
            assertAccumulateRefused(rails, frame -> frame.operation = (short) operation);
        }
        assertAccumulateRefused(rails, frame -> frame.region++);
    }

    /** A handler can refuse a message that names another process. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTellTheHandlerWhichProcessHasSentAMessage(int rails) {
        Victim victim = new Victim(rails);
        List<Integer> senders = new ArrayList<>();
        Region region = victim.regions.add(victim.region.segment(), new RegionHandler() {
            @Override
            public boolean accepts(int operation, long offset, long bytes) {
                return true;
            }

            @Override
            public long handle(int process, int operation, long scale, long imaginary, long offset,
                    MemorySegment source, long sourceOffset, long bytes) {
                senders.add(process);
                return process == imaginary ? bytes : REFUSED;
            }
        });
        for (int i = 1; i <= 3; i++) {
            long number = i;
            victim.send(0, 8, frame -> {
                frame.kind = FrameLayout.ACTIVE_MESSAGE;
                frame.region = region.handle();
                frame.number = number;
                frame.tag = number - 1; // it says that it is process 0, 1 or 2
            });
        }
        assertThat(senders).containsExactly(1, 1, 1);
        assertThat(victim.refusals.get()).isEqualTo(2);
        assertThat(victim.lost).isEmpty();
    }

    private void assertAccumulateRefused(int rails, Consumer<Frame> change) {
        assertAccumulateRefused(rails, new byte[8], change);
    }

    private void assertAccumulateRefused(int rails, byte[] payload, Consumer<Frame> change) {
        Victim victim = new Victim(rails);
        Region region = victim.regions.add(victim.region.segment(), new RegionHandler() {
            @Override
            public boolean accepts(int operation, long offset, long bytes) {
                return operation == 0 && offset % Long.BYTES == 0 && bytes % Long.BYTES == 0;
            }

            @Override
            public long handle(int process, int operation, long scale, long imaginary, long offset,
                    MemorySegment source,
                    long sourceOffset, long bytes) {
                Words.add(victim.region.segment(), offset, 1);
                return bytes;
            }
        });
        Consumer<Frame> accumulate = frame -> {
            frame.kind = FrameLayout.ACTIVE_MESSAGE;
            frame.region = region.handle();
        };
        victim.send(0, payload, accumulate.andThen(change));
        assertThat(victim.lost).isEmpty();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).isTrue();
        victim.send(0, 8, accumulate.andThen(frame -> frame.number = 2));
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).as("what is good is done").isFalse();
    }

    // ---- packed runs

    private static final Consumer<Frame> PACKED_PUT = frame -> frame.flags = FrameLayout.PACKED;
    private static final Consumer<Frame> PACKED_GET = frame -> {
        frame.kind = FrameLayout.GET;
        frame.flags = FrameLayout.PACKED;
        frame.value = 16;
    };

    /** Numbers of a description, and zeros after them, so many bytes in all. */
    private static byte[] payload(int bytes, long... numbers) {
        ByteBuffer buffer = ByteBuffer.allocate(Math.max(bytes, numbers.length * Long.BYTES))
                .order(ByteOrder.nativeOrder());
        for (long number : numbers) {
            buffer.putLong(number);
        }
        return Arrays.copyOf(buffer.array(), bytes);
    }

    /** A run of a list. */
    private static long run(long offset, long bytes) {
        return offset << 17 | bytes;
    }

    private void assertPackedLost(byte[] payload, Consumer<Frame> frame) {
        for (int rails : new int[]{1, 2}) {
            Victim victim = new Victim(rails);
            Victim other = new Victim(rails);
            victim.send(0, payload, frame);
            assertThat(victim.lost).hasSize(1);
            assertThat(victim.lost.get(0)).startsWith("it has sent what makes no sense: ");
            assertThat(victim.refusals.get()).isEqualTo(1);
            assertThat(victim.isUntouched()).isTrue();
            other.send(0, payload(24, -1, run(8, 8)), PACKED_PUT);
            assertThat(Words.load(other.region.segment(), 8)).as("another peer goes on").isZero();
        }
    }

    /** The first number, too, is nonsense by itself, or in front of these bytes. */
    @Test
    void shouldLoseAPeerThatDescribesRunsWithoutSense() {
        List<byte[]> nonsense = List.of(payload(0), payload(7, -1), payload(8, -1), payload(8, 0), payload(32, 8),
                payload(32, -2), payload(32, Long.MAX_VALUE), payload(32, Long.MIN_VALUE),
                payload(24, 0, 0, 8), // no bytes
                payload(200, 7, 0, 8, 2, 16, 2), // zeros for counts
                payload(64, 1, 0, 0, 2, 16), payload(64, 1, 0, -8, 2, 16), payload(64, 1, 0, Long.MIN_VALUE, 2, 16),
                payload(64, 1, 0, 24, 0, 32), payload(64, 1, 0, 24, -1, 32), payload(64, 1, 0, 24, 2, -1),
                payload(64, 1, -1, 24, 2, 32), payload(64, 1, 25, 24, 2, 32), payload(64, 1, Long.MAX_VALUE, 24, 2, 32),
                payload(64, 1, 0, 11, 2, 32), payload(64, 1, 0, 24, 1L << 62, 1L << 62),
                payload(64, 1, 0, Long.MAX_VALUE, 2, 0), payload(64, 1, 0, 1, Long.MAX_VALUE, 2),
                payload(16, -1, run(0, 8)), payload(24, -1, run(0, 7)), payload(24, -1, run(0, 9)),
                payload(24, -1, run(0, 0)), payload(24, -1, -1), payload(28, -1, run(0, 8)),
                payload(48, -1, run(0, 8), 0, run(8, 0)));
        for (byte[] payload : nonsense) {
            assertPackedLost(payload, PACKED_PUT);
        }
        assertPackedLost(payload(24, -1, run(0, 8)), PACKED_PUT.andThen(frame -> frame.operation = 1));
        for (byte[] payload : List.of(payload(0), payload(8, -1), payload(16, -1, run(0, 8)),
                payload(24, -1, run(0, 8), run(8, 9)), payload(24, -1, run(0, 16), run(8, 8)),
                payload(20, -1, run(0, 16)), payload(32, 0, 0, 16), payload(24, 0, 0, 15), payload(24, 0, 1, 16),
                payload(40, 1, 9, 8, 3, 16), payload(FrameLayout.REQUEST_BYTES_MAX + 8, -1))) {
            assertPackedLost(payload, PACKED_GET);
        }
        for (long bytes : new long[]{0, -1, FrameLayout.PAYLOAD_BYTES_MAX + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertPackedLost(payload(24, 0, 0, 1L << 40), PACKED_GET.andThen(frame -> frame.value = bytes));
        }
        assertPackedLost(payload(24, 0, 0, 16), PACKED_GET.andThen(frame -> frame.word = Requests.ENTRIES));
    }

    /** No run of a frame is written when one of them is not inside. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRefusePackedRunsOfWhichOneIsOutsideOfARegion(int rails) {
        byte[] good = payload(72, -1, run(0, 16), 0, 0, run(64, 32));
        for (byte[] payload : List.of(payload(40, -1, run(0, 8), 0, run(REGION_BYTES - 7, 8)),
                payload(40, -1, run(0, 8), 0, run(1L << 45, 8)), payload(64, 1, 0, 12, 2, REGION_BYTES - 11),
                payload(64, 1, 0, 12, 2, Long.MAX_VALUE - 12), payload(56, 1, 8, 8, 3, 4088))) {
            assertPackedRefused(rails, payload, PACKED_PUT);
        }
        for (long offset : new long[]{-1, REGION_BYTES - 95, REGION_BYTES, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertPackedRefused(rails, good, PACKED_PUT.andThen(frame -> frame.offset = offset));
        }
        assertPackedRefused(rails, good, PACKED_PUT.andThen(frame -> frame.region++));
        assertPackedRefused(rails, good, PACKED_PUT.andThen(frame -> frame.kind = FrameLayout.ACTIVE_MESSAGE));
    }

    private void assertPackedRefused(int rails, byte[] payload, Consumer<Frame> change) {
        Victim victim = new Victim(rails);
        victim.send(0, payload, change);
        assertThat(victim.lost).isEmpty();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).isTrue();
        victim.send(0, payload(72, -1, run(0, 16), 0, 0, run(64, 32)),
                PACKED_PUT.andThen(frame -> frame.number = 2)); // and it goes on
        assertThat(Words.load(victim.region.segment(), 64)).isZero();
        assertThat(victim.isUntouchedAround()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRefusePackedAccumulatesOfWhichOneRunMakesNoSense(int rails) {
        assertAccumulateRefused(rails, payload(40, -1, run(0, 8), 0, run(12, 8)), PACKED_PUT);
        assertAccumulateRefused(rails, payload(40, -1, run(0, 8), 0, run(REGION_BYTES, 8)), PACKED_PUT);
        assertAccumulateRefused(rails, payload(40, -1, run(0, 8), 0, run(16, 8)),
                PACKED_PUT.andThen(frame -> frame.operation = 1));
    }

    @Test
    void shouldRefuseRequestsForPackedRunsOfWhichOneIsOutsideOfARegion() {
        for (byte[] payload : List.of(payload(24, -1, run(0, 8), run(REGION_BYTES - 7, 8)),
                payload(40, 1, 0, 8, 2, REGION_BYTES - 7), payload(40, 1, 0, 8, 2, Long.MAX_VALUE - 8))) {
            Victim victim = new Victim(1);
            victim.send(0, payload, PACKED_GET);
            assertThat(victim.lost).isEmpty();
            assertThat(victim.refusals.get()).isEqualTo(1);
            assertThat(victim.wires[0].written(0)).as("says so, with no bytes").isEqualTo(FrameLayout.HEADER_BYTES);
            victim.send(0, payload(24, -1, run(0, 8), run(REGION_BYTES - 8, 8)),
                    PACKED_GET.andThen(frame -> frame.number = 2));
            assertThat(victim.wires[0].written(0)).as("what is good is sent")
                    .isEqualTo(2 * FrameLayout.HEADER_BYTES + 16);
        }
    }

    /** What is asked for without a payload. */
    private void assertRequestRefused(Consumer<Frame> change) {
        Victim victim = new Victim(1);
        victim.send(0, 0, change.andThen(frame -> frame.length = 0));
        assertThat(victim.lost).isEmpty();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).isTrue();
        assertThat(victim.wires[0].written(0)).isEqualTo(FrameLayout.HEADER_BYTES); // says so, with no bytes
    }

    @Test
    void shouldRefuseRequestsThatAreOutsideOfARegion() {
        for (long bytes : new long[]{0, -1, REGION_BYTES + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertRequestRefused(frame -> {
                frame.kind = FrameLayout.GET;
                frame.value = bytes;
            });
        }
        for (long offset : new long[]{-1, -8, 4, REGION_BYTES - 4, REGION_BYTES, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertRequestRefused(frame -> {
                frame.kind = FrameLayout.ATOMIC;
                frame.offset = offset;
            });
        }
        for (int operation : new int[]{-1, AtomicOperation.values().length, Short.MAX_VALUE, Short.MIN_VALUE}) {
            assertRequestRefused(frame -> {
                frame.kind = FrameLayout.ATOMIC;
                frame.operation = (short) operation;
            });
        }
    }

    @Test
    void shouldLoseAPeerThatAsksTooMuchAtOnce() {
        Victim victim = new Victim(2);
        for (int number = Requests.ENTRIES + 1; number >= 1; number--) { // all take effect with the first one
            int next = number;
            victim.send(0, 0, frame -> {
                frame.kind = FrameLayout.GET;
                frame.length = 0;
                frame.value = 8;
                frame.number = next;
            });
        }
        assertThat(victim.lost).hasSize(1);
        assertThat(victim.lost.get(0)).contains("more than " + Requests.ENTRIES + " unanswered requests");
        assertThat(victim.isUntouched()).isTrue();
    }

    @Test
    void shouldSurviveAnyDescription() {
        SplittableRandom random = new SplittableRandom(8);
        for (int i = 0; i < 3000; i++) {
            Victim victim = new Victim(1);
            long[] numbers = random.longs(10).map(number -> number >> random.nextInt(64)).toArray();
            numbers[0] = random.nextInt(-2, 9);
            Consumer<Frame> frame = random.nextBoolean() ? PACKED_PUT
                    : PACKED_GET.andThen(get -> get.value = random.nextInt(100));
            victim.send(0, payload(random.nextInt(120), numbers), frame);
            assertThat(victim.isUntouchedAround()).isTrue();
        }
    }

    @Test
    void shouldSurviveAnyHeaderAndAnyBytes() {
        SplittableRandom random = new SplittableRandom(7);
        for (int run = 0; run < 2000; run++) {
            Victim victim = new Victim(1);
            for (int i = 0; i < 5; i++) {
                int number = i + 1;
                victim.send(0, 8, frame -> {
                    frame.number = number;
                    frame.kind = (byte) random.nextInt(-1, 10);
                    frame.flags = (byte) random.nextInt();
                    frame.operation = (short) random.nextInt(-2, 5);
                    frame.length = random.nextInt(4) == 0 ? random.nextInt(16) : 8;
                    frame.offset = random.nextLong() >> random.nextInt(64);
                    frame.word = random.nextLong() >> random.nextInt(64) & -8;
                    frame.value = random.nextLong() >> random.nextInt(64);
                    frame.tag = random.nextLong();
                });
            }
            assertThat(victim.lost.stream().filter(reason -> reason.startsWith("it has sent")).count()).isLessThan(2);
            assertThat(victim.isUntouchedAround()).isTrue();
        }
    }
}
