/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.SampledRows;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/** A process with a service thread that stands still for seconds. The other side is a socket of this test. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class SlowProcessTest {
    private static final byte[] SECRET = new byte[32];
    private static final long VISIT_MILLIS = 3000;
    private static final Waiter.Check PATIENT = () -> {
    };

    private final Queue<Loss> lost = new ConcurrentLinkedQueue<>();

    private TcpFabric fabric(InetSocketAddress other, long silenceMillisMax, long standstillMillisMax) {
        return new TcpFabric(
                new LocalProcess(1, SECRET, List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        _ -> List.of(other), silenceMillisMax, standstillMillisMax),
                2, new FabricListener() {
                    @Override
                    public void news(int kind, long index, long value) {
                        throw new AssertionError("nobody tells news");
                    }

                    @Override
                    public void left(int process) {
                        throw new AssertionError("nobody leaves");
                    }

                    @Override
                    public void lost(int process, Loss loss, String reason) {
                        lost.add(loss);
                    }
                }, false, Service.SLEEP);
    }

    private static ServerSocketChannel door() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Lets the fabric in, as the process of rank 0; stands still before it reads the introduction. */
    private static SocketChannel letIn(ServerSocketChannel door, long stillMillis) throws Exception {
        SocketChannel channel = door.accept();
        ServerHandshake handshake = new ServerHandshake(SECRET, new SecureRandom());
        ByteBuffer buffer = ByteBuffer.allocate(256);
        int messages = 0;
        while (handshake.state() != Handshake.State.DONE || handshake.toWrite().hasRemaining()) {
            if (handshake.toWrite().hasRemaining()) {
                channel.write(handshake.toWrite());
                if (!handshake.toWrite().hasRemaining() && ++messages == 1) {
                    Thread.sleep(stillMillis);
                }
            } else if (handshake.state() == Handshake.State.INTRODUCED) {
                handshake.answer(Verdict.ACCEPTED);
            } else {
                buffer.clear().limit(handshake.wanted());
                assertThat(channel.read(buffer)).as("bytes of the handshake").isPositive();
                handshake.read(buffer.flip());
            }
        }
        return channel;
    }

    private static <T> FutureTask<T> meanwhile(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void shouldNotBeGivenUpOnceItMayTakeTheConnectionForOpen() throws Exception {
        try (ServerSocketChannel door = door();
                TcpFabric fabric = fabric((InetSocketAddress) door.getLocalAddress(), 60_000, 60_000)) {
            FutureTask<SocketChannel> other = meanwhile(() -> letIn(door, VISIT_MILLIS + 1000));
            MemorySegment bytes = MemorySegment.ofArray(new byte[64]);
            assertThat(fabric.put(new PutTarget().at(0, 1 << 16, 0), bytes, 0, 64, PATIENT)).isTrue();
            fabric.flush();
            try (SocketChannel channel = other.get()) {
                ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + 64);
                while (frame.hasRemaining()) {
                    assertThat(channel.read(frame)).as("bytes of the frame").isPositive();
                }
                assertThat(lost).isEmpty();
            }
        }
    }

    private Loss awaitLoss() throws InterruptedException {
        while (lost.isEmpty()) {
            Thread.sleep(1);
        }
        return lost.peek();
    }

    private static FutureTask<Boolean> put(TcpFabric fabric) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[64]);
        return meanwhile(() -> fabric.put(new PutTarget().at(0, 1 << 16, 0), bytes, 0, 64, PATIENT));
    }

    /** The kernel of its host takes connections for it; and refuses them while it leaves. */
    @ParameterizedTest
    @SampledRows({"true", "false"})
    void shouldStandStillForLongerThanAHostMayBeSilent(boolean refuses) throws Exception {
        try (ServerSocketChannel door = door();
                TcpFabric fabric = fabric((InetSocketAddress) door.getLocalAddress(), 500, 3000)) {
            FutureTask<Boolean> put = put(fabric);
            try (SocketChannel _ = letIn(door, 0)) {
                long startNanos = System.nanoTime();
                if (refuses) {
                    door.socket().close();
                }
                assertThat(put.get()).isTrue();
                assertThat(awaitLoss()).isEqualTo(Loss.STOOD_STILL);
                assertThat((System.nanoTime() - startNanos) / 1_000_000).isGreaterThan(2000);
            }
        }
    }

    /** A door at which as many wait as may drops who comes, as a host does that is down. */
    @Test
    void shouldBeLostWhenItsHostIsSilentToo() throws Exception {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel door =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
                TcpFabric fabric = fabric((InetSocketAddress) door.getLocalAddress(), 500, 60_000)) {
            FutureTask<Boolean> put = put(fabric);
            try (SocketChannel _ = letIn(door, 0)) {
                assertThat(put.get()).isTrue();
                for (int i = 0; i < 4; i++) {
                    waiting.add(SocketChannel.open());
                    waiting.getLast().configureBlocking(false);
                    waiting.getLast().connect(door.getLocalAddress());
                }
                assertThat(awaitLoss()).isEqualTo(Loss.SILENT);
            }
        } finally {
            for (SocketChannel channel : waiting) {
                channel.close();
            }
        }
    }

    /** It may be about to leave, and another process will tell that: only calls end, when they have waited for long. */
    @Tag("thorough")
    @Test
    void shouldNotBeBlamedForRefusingConnections() throws Exception {
        InetSocketAddress closed;
        try (ServerSocketChannel door = door()) {
            closed = (InetSocketAddress) door.getLocalAddress();
        }
        long silenceMillisMax = 1500;
        try (TcpFabric fabric = fabric(closed, silenceMillisMax, 60_000)) {
            for (long untilNanos = System.nanoTime() + 2 * silenceMillisMax * 1_000_000; System
                    .nanoTime() < untilNanos;) {
                assertThat(fabric.tell(0, 1, 0, 0)).isFalse();
                Thread.sleep(20);
            }
            assertThat(lost).isEmpty();
            FutureTask<Boolean> put = put(fabric);
            Thread.sleep(silenceMillisMax / 2);
            assertThat(put.isDone()).isFalse();
            assertThat(put.get()).isFalse();
            assertThat(lost).containsExactly(Loss.UNREACHABLE);
        }
    }

    /** Or what was put on a rail that has died silently would not go again before its sender has left. */
    @Test
    void shouldHaveUntilItsRailIsLostToCountFrames() throws Exception {
        long silenceMillisMax = 1000;
        try (ServerSocketChannel door = door();
                TcpFabric fabric =
                        fabric((InetSocketAddress) door.getLocalAddress(), silenceMillisMax, silenceMillisMax)) {
            FutureTask<SocketChannel> other = meanwhile(() -> letIn(door, 0));
            long startNanos = System.nanoTime();
            MemorySegment bytes = MemorySegment.ofArray(new byte[64]);
            assertThat(fabric.put(new PutTarget().at(0, 1 << 16, 0), bytes, 0, 64, PATIENT)).isTrue();
            try (SocketChannel channel = other.get()) {
                assertThat(fabric.fenceAll(1)).isFalse();
                assertThat((System.nanoTime() - startNanos) / 1_000_000).isGreaterThanOrEqualTo(silenceMillisMax / 2);
                assertThat(channel.read(ByteBuffer.allocate(1))).as("a byte of what was not counted").isOne();
            }
        }
    }
}
