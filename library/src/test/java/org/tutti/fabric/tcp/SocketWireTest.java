/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A wire over real sockets: memory of the heap and of the system, and what becomes of a descriptor that is closed. */
@Timeout(60)
class SocketWireTest {
    private static final int LONGS = 300_000;
    private static final int FROM = 5; // longs of the source that are not sent
    private static final int TO = 9; // longs of the target that are not written
    private static final int CLOSED_WIRES = 200;

    private SocketChannel near;
    private SocketChannel far;

    @BeforeEach
    void connect() throws IOException {
        connect(InetAddress.getLoopbackAddress());
    }

    private void connect(InetAddress address) throws IOException {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(address, 0))) {
            near = SocketChannel.open(server.getLocalAddress());
            far = server.accept();
        }
        near.configureBlocking(false);
        far.configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
    }

    @Test
    void shouldTakeArraysWhereNativeAccessIsAllowed() {
        assertThat(SocketCalls.arePossible()).isTrue();
        assertThat(new SocketWire(near).takesArrays()).isTrue();
        assertThat(new SocketWire(near, null).takesArrays()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void shouldPassArraysFromAnOffsetToAnother(String address) throws IOException {
        close();
        connect(InetAddress.getByName(address));
        var wire = new SocketWire(near);
        var other = new SocketWire(far);
        long[] source = new long[FROM + LONGS];
        for (int i = 0; i < source.length; i++) {
            source[i] = i * 0x9E3779B97F4A7C15L;
        }
        long[] target = new long[TO + LONGS + 1];
        long bytes = (long) LONGS * Long.BYTES;
        long sent = 0;
        long received = 0;
        while (received < bytes) {
            if (sent < bytes) {
                sent += wire.write(MemorySegment.ofArray(source), (long) FROM * Long.BYTES + sent, (int) (bytes - sent),
                        sent % 2 == 0);
            }
            received += other.read(MemorySegment.ofArray(target), (long) TO * Long.BYTES + received,
                    (int) (bytes - received));
        }
        assertThat(target).startsWith(new long[TO]);
        for (int i = 0; i < LONGS; i++) {
            assertThat(target[TO + i]).isEqualTo(source[FROM + i]);
        }
        assertThat(target[TO + LONGS]).isZero();
        assertThat(other.read(MemorySegment.ofArray(target), 0, 1)).as("nothing has arrived").isZero();
    }

    /** The other end has no calls, as a process without native access. */
    @Test
    void shouldPassTheSameBytesAsAChannel() throws IOException {
        var wire = new SocketWire(near);
        var other = new SocketWire(far, null);
        var bytes = new byte[]{1, 2, 3, 4, 5};
        MemorySegment offHeap = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        assertThat(wire.write(MemorySegment.ofArray(bytes), 1, 2, true)).isEqualTo(2);
        assertThat(wire.write(offHeap, 3, 2, false)).isEqualTo(2);
        var arrived = ByteBuffer.allocateDirect(8);
        while (arrived.position() < 4) {
            assertThat(other.read(arrived)).isNotNegative();
        }
        assertThat(other.write(arrived.flip())).isEqualTo(4);
        var target = new byte[4];
        for (int at = 0; at < target.length;) {
            at += wire.read(MemorySegment.ofArray(target), at, target.length - at);
        }
        assertThat(target).containsExactly(2, 3, 4, 5);
    }

    @Test
    void shouldTellTheEndOfTheConnection() throws IOException {
        far.close();
        assertThat(new SocketWire(near).read(MemorySegment.ofArray(new byte[1]), 0, 1)).isEqualTo(-1);
    }

    @Test
    void shouldSayWhyAConnectionFails() throws IOException {
        var wire = new SocketWire(near);
        far.setOption(StandardSocketOptions.SO_LINGER, 0); // so that closing resets the connection
        far.close();
        MemorySegment memory = MemorySegment.ofArray(new byte[1]);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> wire.read(memory, 0, 1))
                .withMessage("Connection reset by peer");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> wire.write(memory, 0, 1, false))
                .withMessage("Broken pipe");
    }

    /** A thread goes on writing while another one closes wires and opens files, which get the same descriptors. */
    @Test
    void shouldWriteToNoOtherFileAfterItIsClosed() throws Exception {
        Path file = Files.createTempFile("tutti", null);
        List<Throwable> ends = new ArrayList<>();
        try {
            for (int i = 0; i < CLOSED_WIRES; i++) {
                var wire = new SocketWire(near);
                var end = new AtomicReference<Throwable>();
                var writer = Thread.ofPlatform().start(() -> {
                    try {
                        while (true) {
                            wire.write(MemorySegment.ofArray(new byte[64]), 0, 64, false);
                        }
                    } catch (Throwable e) {
                        end.set(e);
                    }
                });
                Thread.sleep(1);
                wire.close();
                try (var opened = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
                    writer.join();
                    assertThat(opened.position()).as("bytes in the file").isZero();
                }
                ends.add(end.get());
                far.close();
                connect();
            }
        } finally {
            Files.delete(file);
        }
        assertThat(ends).hasSize(CLOSED_WIRES).allSatisfy(end -> assertThat(end)
                .isInstanceOf(ClosedChannelException.class));
    }
}
