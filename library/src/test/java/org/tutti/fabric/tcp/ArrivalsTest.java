/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Which of several connections a look finds. */
@Timeout(60)
class ArrivalsTest {
    private static final int CONNECTIONS = 3;
    private static final long NEVER_MILLIS = 50_000;

    private final List<SocketChannel> near = new ArrayList<>();
    private final List<SocketChannel> far = new ArrayList<>();
    private final int[] marks = new int[CONNECTIONS];
    private Arrivals arrivals;

    @BeforeEach
    void connect() throws IOException {
        arrivals = new Arrivals(Selector.open());
        try (var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < CONNECTIONS; i++) {
                int connection = i;
                near.add(SocketChannel.open(server.getLocalAddress()));
                far.add(server.accept());
                near.get(i).configureBlocking(false);
                arrivals.add(near.get(i), () -> marks[connection]++);
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        arrivals.close();
        for (SocketChannel channel : near) {
            channel.close();
        }
        for (SocketChannel channel : far) {
            channel.close();
        }
    }

    @Test
    void shouldFindNothingWhereNothingHasArrived() {
        assertThat(arrivals.look()).isTrue();
        assertThat(marks).containsExactly(0, 0, 0);
        assertThat(arrivals.await(1)).isTrue();
        assertThat(marks).containsExactly(0, 0, 0);
    }

    @Test
    void shouldFindAConnectionUntilItsBytesAreRead() throws IOException {
        far.get(1).write(ByteBuffer.allocate(2));
        assertThat(arrivals.await(NEVER_MILLIS)).isTrue();
        assertThat(marks).containsExactly(0, 1, 0);
        assertThat(near.get(1).read(ByteBuffer.allocate(1))).isEqualTo(1);
        arrivals.look();
        assertThat(marks).containsExactly(0, 2, 0);
        assertThat(near.get(1).read(ByteBuffer.allocate(2))).isEqualTo(1);
        arrivals.look();
        assertThat(marks).containsExactly(0, 2, 0);
    }

    @Test
    void shouldFindTheEndOfAConnection() throws IOException {
        far.get(2).close();
        assertThat(arrivals.await(NEVER_MILLIS)).isTrue();
        assertThat(marks).containsExactly(0, 0, 1);
        near.get(2).close();
        arrivals.look();
        assertThat(marks).containsExactly(0, 0, 1);
    }

    @Test
    void shouldLetOneThreadLookAtATime() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            near.add(SocketChannel.open(server.getLocalAddress()));
            far.add(server.accept());
        }
        near.getLast().configureBlocking(false);
        arrivals.add(near.getLast(), () -> {
            looking.countDown();
            try {
                assertThat(mayEnd.await(NEVER_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        far.getLast().write(ByteBuffer.allocate(1));
        var first = new FutureTask<>(() -> arrivals.await(NEVER_MILLIS));
        var second = new FutureTask<>(() -> arrivals.await(NEVER_MILLIS) || arrivals.look());
        try {
            Thread.ofPlatform().start(first);
            looking.await();
            Thread.ofPlatform().start(second);
            assertThat(second.get(NEVER_MILLIS, TimeUnit.MILLISECONDS)).as("beside another look").isFalse();
        } finally {
            mayEnd.countDown();
        }
        assertThat(first.get()).isTrue();
    }

    @Test
    void shouldFindNothingOnceItIsClosed() throws IOException {
        far.get(0).write(ByteBuffer.allocate(1));
        arrivals.close();
        assertThat(arrivals.look()).isFalse();
        assertThat(arrivals.await(NEVER_MILLIS)).isFalse();
        assertThat(marks).containsExactly(0, 0, 0);
    }
}
