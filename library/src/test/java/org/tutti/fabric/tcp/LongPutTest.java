/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Striping;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A put of very many bytes, and other threads that send meanwhile. */
@Timeout(60)
class LongPutTest {
    private static final int LONG_BYTES = 16 << 20;
    private static final int HOOK_BYTES = 2 << 20;
    private static final int TURN_BYTES = 1 << 20;
    private static final long MARK = 77;
    private static final Waiter.Check PATIENT = () -> {
    };

    private final Arena arena = Arena.ofShared();
    private final Regions regions = new Regions();

    @AfterEach
    void close() {
        arena.close();
    }

    /** A frame that has been written, and how many bytes were before it. */
    private record Written(long before, byte kind, long value) {}

    /** A wire that takes several buffers one after the other. */
    private abstract static class SerialWire extends SilentWire {
        @Override
        public abstract int write(ByteBuffer source);

        @Override
        public long write(ByteBuffer[] sources, int count) {
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                bytes += write(sources[i]);
            }
            return bytes;
        }
    }

    /** Takes everything, or nothing any more, and does something when it has taken so much. */
    private static class HookedWire extends SerialWire {
        final List<Written> frames = new ArrayList<>();
        final ByteBuffer said = ByteBuffer.allocate(FrameLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
        private final ByteBuffer header = ByteBuffer.allocate(FrameLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        private final int takes;
        private long total;
        private int payload;
        private Runnable hook;

        HookedWire(int takes, Runnable hook) {
            this.takes = takes;
            this.hook = hook;
        }

        @Override
        public int read(ByteBuffer target) {
            int bytes = said.remaining();
            target.put(said);
            return bytes;
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return read(targets[1]);
        }

        @Override
        public int write(ByteBuffer source) {
            int before = source.remaining();
            while (source.hasRemaining() && total < takes) {
                take(source);
            }
            if (total >= HOOK_BYTES && hook != null) {
                Runnable once = hook;
                hook = null;
                once.run();
            }
            return before - source.remaining();
        }

        private void take(ByteBuffer source) {
            int bytes = Math.min(source.remaining(), payload > 0 ? payload : header.remaining());
            if (payload > 0) {
                payload -= bytes;
                source.position(source.position() + bytes);
            } else {
                header.put(source.slice(source.position(), bytes));
                source.position(source.position() + bytes);
            }
            total += bytes;
            if (!header.hasRemaining()) {
                Frame frame = new Frame();
                FrameLayout.read(header.flip(), frame);
                header.clear();
                payload = frame.length;
                frames.add(new Written(total - FrameLayout.HEADER_BYTES, frame.kind, frame.value));
            }
        }

        private Written first(byte kind, long value) {
            return frames.stream().filter(frame -> frame.kind == kind && frame.value == value).findFirst()
                    .orElseThrow();
        }
    }

    /** Takes bytes up to a limit, and keeps them. */
    private static final class LimitedWire extends SerialWire {
        private final byte[] taken = new byte[4 * TURN_BYTES];
        private final boolean takesArrays;
        private int limit = TURN_BYTES / 3;
        private int count;

        LimitedWire(boolean takesArrays) {
            this.takesArrays = takesArrays;
        }

        @Override
        public int write(ByteBuffer source) {
            int bytes = Math.min(source.remaining(), limit - count);
            source.get(taken, count, bytes);
            count += bytes;
            return bytes;
        }

        @Override
        public boolean takesArrays() {
            return takesArrays;
        }

        @Override
        public int write(MemorySegment source, long offset, int bytes, boolean more) {
            return write(source.asSlice(offset, bytes).asByteBuffer());
        }
    }

    /** The call ends, and its caller writes to the memory, before the wire takes the rest of a long frame. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepTheRestOfAFrameThatIsGivenUp(boolean fromArray) {
        LimitedWire wire = new LimitedWire(fromArray);
        Peer peer = peer(wire);
        byte[] bytes = new byte[2 * TURN_BYTES];
        new Random(3).nextBytes(bytes);
        MemorySegment source = fromArray ? MemorySegment.ofArray(bytes.clone())
                : arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        assertThatThrownBy(() -> peer.sender().put(new PutTarget().at(0, 1 << 16, 0).raise(0, MARK, 0),
                new PutSource().add(source, 0, bytes.length), () -> cancelIf(true)))
                .isInstanceOf(CancellationException.class);
        source.fill((byte) 0);
        wire.limit = wire.taken.length;
        assertThat(putShort(peer, PATIENT)).isTrue();
        peer.pump();

        ByteBuffer taken = ByteBuffer.wrap(wire.taken, 0, wire.count).order(ByteOrder.LITTLE_ENDIAN);
        Frame frame = new Frame();
        FrameLayout.read(taken, frame);
        assertThat(frame.length).isEqualTo(TURN_BYTES);
        assertThat(Arrays.mismatch(wire.taken, taken.position(), taken.position() + TURN_BYTES, bytes, 0, TURN_BYTES))
                .as("the first byte that differs").isEqualTo(-1);
        taken.position(taken.position() + TURN_BYTES);
        FrameLayout.read(taken, frame);
        assertThat(frame.number).isEqualTo(2);
        assertThat(frame.value).isEqualTo(MARK);
        assertThat(taken.remaining()).isEqualTo(Long.BYTES);
    }

    private Peer peer(Wire wire) {
        Peer peer = new Peer(4, regions, new Deaf(), new AtomicLong(), () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        peer.connect(new Wire[]{wire});
        return peer;
    }

    private boolean putLong(Peer peer, boolean pieces, Waiter.Check check) {
        MemorySegment source = arena.allocate(LONG_BYTES);
        if (!pieces) {
            return peer.sender().put(new PutTarget().at(0, 1 << 16, 0), new PutSource().add(source, 0, LONG_BYTES),
                    check);
        }
        SectionPieces all = new SectionPieces();
        all.begin(0, source, 0, LONG_BYTES);
        return peer.sender().send(1 << 16, all, -1, 1, 0, check);
    }

    private static boolean putShort(Peer peer, Waiter.Check check) {
        return peer.sender().put(new PutTarget().at(0, 1 << 16, 0).raise(0, MARK, 0),
                new PutSource().add(MemorySegment.ofArray(new long[1]), 0, Long.BYTES), check);
    }

    private static void awaitQueued(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveOthersTheirTurn(boolean pieces) throws InterruptedException {
        Peer[] peers = new Peer[1];
        Thread other = Thread.ofPlatform().unstarted(() -> putShort(peers[0], PATIENT));
        HookedWire wire = new HookedWire(Integer.MAX_VALUE, () -> {
            other.start();
            awaitQueued(other);
        });
        peers[0] = peer(wire);
        assertThat(putLong(peers[0], pieces, PATIENT)).isTrue();
        other.join();
        peers[0].pump();
        assertThat(wire.first(FrameLayout.PUT, MARK).before).isBetween((long) HOOK_BYTES,
                (long) HOOK_BYTES + 2 * TURN_BYTES);
    }

    /** In the background of a rank that computes: the wire takes nothing now and then. */
    @Test
    void shouldGiveItsCoreAwayWhereThereIsNoRoom() {
        AtomicInteger polls = new AtomicInteger();
        AtomicInteger refusals = new AtomicInteger();
        HookedWire wire = new HookedWire(Integer.MAX_VALUE, () -> {
        }) {
            @Override
            public long write(ByteBuffer[] sources, int count) {
                return refusals.incrementAndGet() % 3 == 0 ? super.write(sources, count) : 0;
            }
        };
        Peer peer = new Peer(4, regions, new Deaf(), new AtomicLong(), () -> {
            polls.incrementAndGet();
            return false;
        }, new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        peer.connect(new Wire[]{wire});
        assertThat(putLong(peer, false, new Waiter.Check() {
            @Override
            public void check() {
                // goes on
            }

            @Override
            public long sleepNanos(long waitedNanos) {
                return 1;
            }
        })).isTrue();
        assertThat(wire.first(FrameLayout.PUT, 0).before).isZero();
        assertThat(polls.get()).as("a poll for each wait for room").isPositive().isLessThan(refusals.get());
    }

    @Test
    void shouldAnswerRequestsMeanwhile() {
        Peer[] peers = new Peer[1];
        HookedWire[] wires = new HookedWire[1];
        MemorySegment memory = arena.allocate(64);
        Frame asked = new Frame().of(FrameLayout.GET);
        asked.number = 1;
        asked.region = regions.add(memory).handle();
        asked.value = 64;
        wires[0] = new HookedWire(Integer.MAX_VALUE, () -> {
            FrameLayout.write(wires[0].said.clear(), asked);
            wires[0].said.flip();
            peers[0].poll();
        });
        peers[0] = peer(wires[0]);
        assertThat(putLong(peers[0], false, PATIENT)).isTrue();
        assertThat(wires[0].first(FrameLayout.REPLY, 64).before).isBetween((long) HOOK_BYTES,
                (long) HOOK_BYTES + 2 * TURN_BYTES);
    }

    /** A long put that does not get on: the other side does not take anything any more. */
    private final class Stuck implements AutoCloseable {
        final CountDownLatch begun = new CountDownLatch(1);
        final Peer peer = peer(new HookedWire(HOOK_BYTES, begun::countDown));
        volatile boolean ends;
        final Thread thread = Thread.ofPlatform().unstarted(() -> assertThatThrownBy(
                () -> putLong(peer, false, () -> cancelIf(ends))).isInstanceOf(CancellationException.class));

        void begin() throws InterruptedException {
            thread.start();
            begun.await();
        }

        @Override
        public void close() {
            ends = true;
            while (thread.isAlive()) {
                Thread.yield();
            }
        }
    }

    private static void cancelIf(boolean cancels) {
        if (cancels) {
            throw new CancellationException();
        }
    }

    @Test
    void shouldNotKeepOthersFromSeeingThatTheirTimeIsUp() throws InterruptedException {
        try (Stuck stuck = new Stuck()) {
            stuck.begin();
            Thread other = Thread.ofPlatform().start(() -> assertThatThrownBy(
                    () -> putShort(stuck.peer, () -> cancelIf(true))).isInstanceOf(CancellationException.class));
            assertThat(other.join(java.time.Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void shouldNotKeepOthersFromSeeingThatTheyAreInterrupted() throws InterruptedException {
        try (Stuck stuck = new Stuck()) {
            stuck.begin();
            Thread other = Thread.ofPlatform().start(() -> assertThatThrownBy(
                    () -> putShort(stuck.peer, () -> cancelIf(Thread.currentThread().isInterrupted())))
                    .isInstanceOf(CancellationException.class));
            awaitQueued(other);
            other.interrupt();
            assertThat(other.join(java.time.Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void shouldNotKeepOthersFromGivingUpWhatTheyHaveAskedFor() throws InterruptedException {
        try (Stuck stuck = new Stuck()) {
            int request = stuck.peer.requester().get(1 << 16, 0, arena.allocate(8), 0, 8, PATIENT);
            stuck.begin();
            Thread other = Thread.ofPlatform().start(() -> stuck.peer.requester().forget(request));
            assertThat(other.join(java.time.Duration.ofSeconds(10))).isTrue();
        }
    }

    /** More virtual threads than carriers wait for room; who is to make some comes from elsewhere. */
    @Test
    void shouldLeaveCarriersToOthersWhileVirtualThreadsWaitForRoom() throws InterruptedException {
        CountDownLatch waiting = new CountDownLatch(4 * Runtime.getRuntime().availableProcessors());
        CountDownLatch other = new CountDownLatch(1);
        AtomicBoolean ends = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (long i = waiting.getCount(); i > 0; i--) {
            Peer peer = peer(new HookedWire(0, null));
            int[] checks = new int[1];
            threads.add(Thread.ofVirtual().start(() -> assertThatThrownBy(() -> putLong(peer, false, () -> {
                if (checks[0]++ == 100) {
                    waiting.countDown();
                }
                cancelIf(ends.get());
            })).isInstanceOf(CancellationException.class)));
        }
        waiting.await();
        Thread.ofVirtual().start(other::countDown);
        boolean came = other.await(20, TimeUnit.SECONDS);
        ends.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(came).isTrue();
    }
}
