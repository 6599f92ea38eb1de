/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.Accumulator;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
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
        final Regions regions = new Regions();
        final Region region = regions.add(all.asSlice(AROUND, REGION_BYTES));
        final SimulatedWire[] wires;
        final Peer peer = new Peer(1, regions, this, refusals, () -> false, arena);

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
            Frame frame = new Frame().of(FrameLayout.PUT);
            frame.number = 1;
            frame.length = 8;
            frame.region = region.handle();
            change.accept(frame);
            ByteBuffer buffer = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + bytes).order(ByteOrder.LITTLE_ENDIAN);
            FrameLayout.write(buffer, frame);
            buffer.rewind();
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
        public void lost(int process, String reason) {
            lost.add(reason);
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
        for (int length : new int[]{-1, Integer.MIN_VALUE, Integer.MAX_VALUE, FrameLayout.PAYLOAD_BYTES_MAX + 1}) {
            assertLost(rails, 8, frame -> frame.length = length);
            assertLost(rails, 8, frame -> {
                frame.kind = FrameLayout.REPLY;
                frame.length = length;
            });
        }
        for (byte kind : new byte[]{FrameLayout.GET, FrameLayout.ATOMIC, FrameLayout.COUNT, FrameLayout.NEWS,
                FrameLayout.GOODBYE}) {
            assertLost(rails, 8, frame -> frame.kind = kind);
        }
        long limit = rails == 1 ? 1 : Retention.FRAMES_MAX;
        for (long number : new long[]{0, -1, Long.MIN_VALUE, limit + 1, Long.MAX_VALUE}) {
            assertLost(rails, 8, frame -> frame.number = number);
        }
        for (long count : new long[]{-1, 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertLost(rails, 8, frame -> frame.count = count);
        }
        assertLost(rails, 0, frame -> {
            frame.kind = FrameLayout.COUNT;
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

    @Test
    void shouldLoseAPeerThatRepliesOutsideOfWhatWasAskedFor() {
        for (long offset : new long[]{-1, 93, 101, Long.MAX_VALUE, Long.MIN_VALUE}) {
            Victim victim = new Victim(1);
            MemorySegment target = arena.allocate(200);
            assertThat(victim.peer.get(1, 0, target, 50, 100, () -> {
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
        victim.peer.get(1, 0, target, 0, 200, () -> {
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
        assertRefused(rails, frame -> frame.kind = FrameLayout.ACCUMULATE);
        for (long offset : new long[]{-8, 4, REGION_BYTES, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
            assertAccumulateRefused(rails, frame -> frame.offset = offset);
        }
        for (int operation : new int[]{-1, 1, Short.MAX_VALUE, Short.MIN_VALUE}) {
            assertAccumulateRefused(rails, frame -> frame.operation = (short) operation);
        }
        assertAccumulateRefused(rails, frame -> frame.region++);
    }

    private void assertAccumulateRefused(int rails, Consumer<Frame> change) {
        Victim victim = new Victim(rails);
        Region region = victim.regions.add(victim.region.segment(), new Accumulator() {
            @Override
            public boolean accepts(int operation, long offset, long bytes) {
                return operation == 0 && offset % Long.BYTES == 0 && bytes % Long.BYTES == 0;
            }

            @Override
            public boolean accumulate(int operation, long scale, long offset, MemorySegment source, long sourceOffset,
                    long bytes) {
                Words.add(victim.region.segment(), offset, 1);
                return true;
            }
        });
        Consumer<Frame> accumulate = frame -> {
            frame.kind = FrameLayout.ACCUMULATE;
            frame.region = region.handle();
        };
        victim.send(0, 8, accumulate.andThen(change));
        assertThat(victim.lost).isEmpty();
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).isTrue();
        victim.send(0, 8, accumulate.andThen(frame -> frame.number = 2));
        assertThat(victim.refusals.get()).isEqualTo(1);
        assertThat(victim.isUntouched()).as("what is good is done").isFalse();
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
        for (int number = Requests.PLACES + 1; number >= 1; number--) { // all take effect with the first one
            int next = number;
            victim.send(0, 0, frame -> {
                frame.kind = FrameLayout.GET;
                frame.length = 0;
                frame.value = 8;
                frame.number = next;
            });
        }
        assertThat(victim.lost).hasSize(1);
        assertThat(victim.lost.get(0)).contains("more than " + Requests.PLACES + " unanswered requests");
        assertThat(victim.isUntouched()).isTrue();
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
