/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/** The thread that revokes a region waits for the threads that use the region, and for no others. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class RevokeTest {
    private static final int SENDER = 0;
    private static final int SLOW = 1;
    private static final int BYTES = 64 << 10;
    private static final long LASTING_NANOS = 500_000_000;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final Arena arena = Arena.ofShared();
    private final List<TcpFabric> fabrics = new ArrayList<>();
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goesOn.countDown();
        fabrics.forEach(TcpFabric::close);
        arena.close();
    }

    /** A handler that handles no message before it may, so that its process soon reads nothing more. */
    private final class Slow implements RegionHandler {
        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return true;
        }

        @Override
        public long handle(int process, int operation, long argument0, long argument1, long offset,
                MemorySegment message,
                long messageOffset, long bytes) {
            return goesOn.getCount() > 0 ? 0 : bytes;
        }
    }

    private void start(int rails) {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        for (int self = 0; self < 2; self++) {
            fabrics.add(new TcpFabric(new LocalProcess(self, new byte[32], Collections.nCopies(rails, address),
                    of -> fabrics.get(of).addresses(), 60_000, 60_000), 2, new Deaf(), false, Service.SLEEP));
        }
    }

    /** Sends messages until the other process has taken in all that it may defer, and the sockets are full. */
    private Thread fill(long slowRegion, MemorySegment source, CountDownLatch waits) {
        return Thread.ofPlatform().start(() -> {
            while (goesOn.getCount() > 0) {
                SectionPieces pieces = new SectionPieces();
                pieces.begin(0, source, 0, BYTES);
                long sinceNanos = System.nanoTime();
                fabrics.get(SENDER).send(SLOW, slowRegion, pieces, 5, 0, 0, () -> {
                    if (System.nanoTime() - sinceNanos > LASTING_NANOS) {
                        waits.countDown();
                    }
                });
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "2, true"})
    void shouldNotAwaitAThreadThatWaitsForRoom(int rails, boolean isNative) throws InterruptedException {
        start(rails);
        long revoked = fabrics.get(SENDER).register(arena.allocate(BYTES));
        long slowRegion = fabrics.get(SLOW).register(arena.allocate(BYTES), new Slow());
        CountDownLatch waits = new CountDownLatch(1);
        Thread sender =
                fill(slowRegion, isNative ? arena.allocate(BYTES) : MemorySegment.ofArray(new byte[BYTES]), waits);
        waits.await();
        Thread revoking = Thread.ofPlatform().start(() -> fabrics.get(SENDER).revoke(revoked));
        assertThat(revoking.join(LONG)).as("the region is revoked").isTrue();
        assertThat(sender.isAlive()).as("the sender still waits").isTrue();
        goesOn.countDown();
        sender.join();
    }

    // ---- one peer, with a wire of this test

    private static void pass(CountDownLatch begun, CountDownLatch goesOn) {
        begun.countDown();
        try {
            goesOn.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A wire that brings one frame, and takes bytes only when it may. */
    private record SlowWire(ByteBuffer arriving, CountDownLatch begun, CountDownLatch goesOn) implements Wire {
        @Override
        public int read(ByteBuffer target) {
            int bytes = arriving.remaining();
            target.put(arriving);
            return bytes;
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return 0;
        }

        @Override
        public int write(ByteBuffer source) {
            return (int) write(new ByteBuffer[]{source}, 1);
        }

        @Override
        public long write(ByteBuffer[] sources, int count) {
            pass(begun, goesOn);
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                bytes += sources[i].remaining();
                sources[i].position(sources[i].limit());
            }
            return bytes;
        }

        @Override
        public void close() {}
    }

    /** A handler that goes on with a message only when it may. */
    private record SlowHandler(CountDownLatch begun, CountDownLatch goesOn) implements RegionHandler {
        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return true;
        }

        @Override
        public long handle(int process, int operation, long argument0, long argument1, long offset,
                MemorySegment message,
                long messageOffset, long bytes) {
            pass(begun, goesOn);
            return bytes;
        }
    }

    /** A request for bytes, which are written from where they lie; or a message, which is handled. */
    @ParameterizedTest
    @ValueSource(bytes = {FrameLayout.GET, FrameLayout.ACTIVE_MESSAGE})
    void shouldAwaitAThreadThatUsesTheRegion(byte kind) throws InterruptedException {
        Regions regions = new Regions();
        CountDownLatch begun = new CountDownLatch(1);
        Region region = regions.add(arena.allocate(BYTES), new SlowHandler(begun, goesOn));
        Frame frame = new Frame().of(kind);
        frame.number = 1;
        frame.region = region.handle();
        frame.value = BYTES;
        ByteBuffer arriving = ByteBuffer.allocate(FrameLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        FrameLayout.write(arriving, frame);
        Peer peer = new Peer(4, regions, new Deaf(), new AtomicLong(), () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        peer.connect(new Wire[]{new SlowWire(arriving.rewind(), begun, goesOn)});
        Thread using = Thread.ofPlatform().start(peer::poll);
        begun.await();
        Thread revoking = Thread.ofPlatform().start(() -> {
            regions.remove(region.handle());
            peer.settle();
        });
        assertThat(revoking.join(SHORT)).as("the region is revoked while a thread uses it").isFalse();
        goesOn.countDown();
        using.join();
        assertThat(revoking.join(LONG)).as("the region is revoked").isTrue();
    }
}
