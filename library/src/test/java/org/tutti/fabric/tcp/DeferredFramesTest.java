/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Service;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A handler that says "not now" holds up its own region, and nothing else. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class DeferredFramesTest {
    private static final int SENDER = 0;
    private static final int OWNER = 1;
    private static final int BYTES = 8 << 10;
    private static final long SILENCE_MILLIS_MAX = 400;
    private static final long WORD = 64;
    private static final int POLLS = 20_000; // in much less time than passes between two heartbeats

    /** Counts the bytes of its messages and notes their arguments, once it may. */
    private static final class Gate implements RegionHandler {
        final Queue<Long> arguments = new ConcurrentLinkedQueue<>();
        volatile boolean open;
        volatile long bytesMax = Long.MAX_VALUE; // at a time
        final AtomicLong handled = new AtomicLong();

        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return true;
        }

        @Override
        public long handle(int process, int operation, long argument0, long argument1, long offset,
                MemorySegment message,
                long messageOffset, long bytes) {
            if (!open) {
                return 0;
            }
            long done = Math.min(bytes, bytesMax);
            if (done == bytes) {
                arguments.add(argument0);
            }
            handled.addAndGet(done);
            return done;
        }
    }

    private final Arena arena = Arena.ofShared();
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final List<TcpFabric> fabrics = new ArrayList<>();
    private final Gate gate = new Gate();
    private final MemorySegment gated = arena.allocate(BYTES, Words.LINE_BYTES);
    private final MemorySegment other = arena.allocate(BYTES, Words.LINE_BYTES);
    private final MemorySegment source = arena.allocate(BYTES, Words.LINE_BYTES);
    private long gatedRegion;
    private long otherRegion;

    private void start(int rails) {
        start(2, rails, SILENCE_MILLIS_MAX);
    }

    private void start(int processes, int rails, long silenceMillisMax) {
        for (int self = 0; self < processes; self++) {
            InetSocketAddress[] addresses = new InetSocketAddress[rails];
            Arrays.fill(addresses, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            fabrics.add(new TcpFabric(new LocalProcess(self, new byte[32], List.of(addresses),
                    of -> fabrics.get(of).addresses(), silenceMillisMax, silenceMillisMax), processes,
                    new FabricListener() {
                        @Override
                        public void news(int kind, long index, long value) {
                            heard.add("news");
                        }

                        @Override
                        public void left(int process) {
                            heard.add(process + " has left after " + gate.handled.get() + " bytes");
                        }

                        @Override
                        public void lost(int process, Loss loss, String reason) {
                            heard.add(process + " is lost: " + reason);
                        }
                    }, false, Service.SLEEP));
        }
        gatedRegion = fabrics.get(OWNER).register(gated, gate);
        otherRegion = fabrics.get(OWNER).register(other);
    }

    @AfterEach
    void close() {
        gate.open = true;
        fabrics.forEach(TcpFabric::close);
        arena.close();
    }

    private static Waiter.Check patience(long millis) {
        long untilNanos = System.nanoTime() + millis * 1_000_000;
        return () -> {
            if (System.nanoTime() - untilNanos > 0) {
                throw new IllegalStateException("no patience left");
            }
        };
    }

    private void send(long argument, int bytes) {
        SectionPieces pieces = new SectionPieces();
        pieces.begin(0, source, 0, bytes);
        assertThat(fabrics.get(SENDER).send(OWNER, gatedRegion, pieces, 5, argument, 0, patience(10_000))).isTrue();
    }

    private void putWord(long region, long value) {
        assertThat(fabrics.get(SENDER).put(new PutTarget().at(OWNER, region, 1024).raise(WORD, value, 0), source, 0, 8,
                patience(10_000))).isTrue();
        fabrics.get(SENDER).flush();
    }

    private static void awaitWord(MemorySegment memory, long value) {
        Waiter.Check check = patience(10_000);
        while (Words.load(memory, WORD) < value) {
            check.check();
            Thread.onSpinWait();
        }
    }

    private void fence(long millis) {
        assertThat(fabrics.get(SENDER).fence(OWNER, patience(millis))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldServeOtherRegionsOfTheConnectionAndKeepTheOrderOfTheirOwn(int rails) {
        start(rails);
        send(1, 256);
        putWord(gatedRegion, 7);
        putWord(otherRegion, 3);
        awaitWord(other, 3);
        long[] old = new long[1];
        assertThat(fabrics.get(SENDER).atomic(OWNER, otherRegion, WORD, AtomicOperation.FETCH_ADD, 2, 0, old,
                patience(10_000))).isTrue();
        assertThat(old[0]).isEqualTo(3);
        assertThat(fabrics.get(SENDER).get(OWNER, otherRegion, WORD, source, 0, 8, patience(10_000))).isTrue();
        assertThat(source.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(5);
        assertThat(Words.load(gated, WORD)).as("a word behind what is deferred").isZero();
        assertThat(gate.handled.get()).isZero();
        gate.open = true;
        awaitWord(gated, 7);
        assertThat(gate.handled.get()).isEqualTo(256);
        assertThat(heard).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldEndAFenceOnlyWhenWhatIsDeferredIsHandled(int rails) {
        start(rails);
        fence(10_000);
        send(1, 640);
        putWord(otherRegion, 1);
        assertThatThrownBy(() -> fence(100)).hasMessage("no patience left");
        assertThat(Words.load(other, WORD)).isEqualTo(1);
        gate.bytesMax = 8;
        gate.open = true;
        fence(10_000);
        assertThat(gate.handled.get()).isEqualTo(640);
    }

    @Test
    void shouldAnswerRequestsOfARegionAfterWhatIsDeferredThere() {
        start(1);
        send(1, 64);
        long[] old = new long[1];
        assertThatThrownBy(() -> fabrics.get(SENDER).atomic(OWNER, gatedRegion, 0, AtomicOperation.FETCH_ADD, 1, 0, old,
                patience(100))).hasMessage("no patience left");
        gate.open = true;
        assertThat(fabrics.get(SENDER).atomic(OWNER, gatedRegion, 0, AtomicOperation.FETCH_ADD, 1, 0, old,
                patience(10_000))).isTrue();
        assertThat(old[0]).as("the first one was done, too").isEqualTo(1);
    }

    @Test
    void shouldHandleTheMessagesOfARegionInTheirOrder() {
        start(1);
        for (long i = 0; i < 100; i++) {
            send(i, 8 + 8 * (int) i);
        }
        fabrics.get(SENDER).flush();
        gate.bytesMax = 264; // whole longs
        gate.open = true;
        fence(10_000);
        assertThat(gate.arguments).containsExactlyElementsOf(LongStream.range(0, 100).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTakeInMoreThanItDefersWhenTheHandlerGoesOn(int rails) throws InterruptedException {
        start(rails);
        int messages = 4 * DeferredFrames.BYTES_MAX / BYTES;
        Thread sender = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < messages; i++) {
                send(i, BYTES);
                if (i % 2 == 0) {
                    putWord(gatedRegion, i + 1L);
                }
            }
        });
        sender.join(100);
        assertThat(gate.handled.get()).isZero();
        gate.open = true;
        sender.join();
        fence(10_000);
        assertThat(gate.handled.get()).isEqualTo((long) messages * BYTES);
        assertThat(Set.copyOf(gate.arguments)).hasSize(messages); // of two rails each takes a part
        assertThat(Words.load(gated, WORD)).isEqualTo(messages - 1L);
        assertThat(heard).isEmpty();
    }

    /** With several connections a poll reads only those with bytes, and the bytes of a held frame have been read. */
    @Test
    void shouldTryAFrameAgainThatIsHeldBehindAllThatAreDeferred() {
        start(3, 1, 60_000);
        assertThat(fabrics.get(2).put(new PutTarget().at(OWNER, otherRegion, 0), source, 0, 8, patience(10_000)))
                .isTrue();
        assertThat(fabrics.get(2).fence(OWNER, patience(10_000))).isTrue();
        TcpFabric owner = fabrics.get(OWNER);
        owner.beginPolling(); // so that no other thread reads
        int messages = DeferredFrames.FRAMES_MAX + 40;
        for (int i = 0; i < messages; i++) {
            send(i, 8);
        }
        fabrics.get(SENDER).flush();
        for (int poll = 0; poll < POLLS; poll++) {
            owner.poll();
        }
        assertThat(gate.handled.get()).isZero();
        gate.open = true;
        for (int poll = 0; poll < POLLS && gate.handled.get() < 8L * messages; poll++) {
            owner.poll();
        }
        assertThat(gate.handled.get()).isEqualTo(8L * messages);
        owner.endPolling(false);
        fence(10_000);
        assertThat(heard).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldHearAGoodbyeAfterWhatIsDeferred(int rails) {
        start(rails);
        send(1, 256);
        putWord(otherRegion, 1);
        awaitWord(other, 1);
        fabrics.get(SENDER).close();
        assertThat(heard).isEmpty();
        gate.open = true;
        Waiter.Check check = patience(10_000);
        while (heard.isEmpty()) {
            check.check();
            Thread.onSpinWait();
        }
        assertThat(heard).containsExactly("0 has left after 256 bytes");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldDropWhatIsDeferredForARegionThatIsRevoked(int rails) {
        start(rails);
        send(1, 256);
        putWord(gatedRegion, 7);
        putWord(otherRegion, 1);
        awaitWord(other, 1);
        fabrics.get(OWNER).revoke(gatedRegion);
        gate.open = true;
        fence(10_000);
        assertThat(gate.handled.get()).isZero();
        assertThat(Words.load(gated, WORD)).isZero();
    }
}
