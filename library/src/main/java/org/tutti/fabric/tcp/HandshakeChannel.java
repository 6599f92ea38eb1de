/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A connection during its handshake. It writes and reads the bytes of the handshake without blocking, whenever the
 * selector of the service thread reports that the connection is ready.
 *
 * @param <H> the side of the handshake that this process plays
 */
final class HandshakeChannel<H extends Handshake> {
    private final SocketChannel channel;
    private final H handshake;
    private final ByteBuffer buffer;
    private SelectionKey key;

    /**
     * Creates the channel of a handshake.
     *
     * @param buffer a buffer into which bytes are read, which all handshakes of this process share
     */
    HandshakeChannel(SocketChannel channel, H handshake, ByteBuffer buffer) {
        this.channel = channel;
        this.handshake = handshake;
        this.buffer = buffer;
    }

    static SocketChannel prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    /**
     * Registers the connection with a selector, which then runs an action whenever the connection is ready.
     *
     * @param operations the operations for which the connection is to become ready
     * @param whenReady the action to run when it is ready
     */
    void register(Selector selector, int operations, Runnable whenReady) throws IOException {
        key = channel.register(selector, operations, whenReady);
    }

    SocketChannel channel() {
        return channel;
    }

    H handshake() {
        return handshake;
    }

    /**
     * Continues the handshake as far as possible without waiting.
     *
     * @throws IOException if the handshake has failed
     */
    void advance() throws IOException {
        boolean moved = true;
        while (moved) {
            moved = false;
            if (handshake.toWrite().hasRemaining()) {
                moved = channel.write(handshake.toWrite()) > 0;
            } else if (handshake.wanted() > 0) {
                buffer.clear().limit(Math.min(handshake.wanted(), buffer.capacity()));
                int bytes = channel.read(buffer);
                if (bytes < 0) {
                    handshake.closed();
                    throw new EOFException(handshake.refusal());
                } else if (bytes > 0) {
                    handshake.read(buffer.flip());
                    moved = true;
                }
            }
            if (handshake.state() == Handshake.State.REFUSED) {
                channel.write(handshake.toWrite());
                throw new IOException(handshake.refusal());
            }
            moved &= handshake.state() == Handshake.State.GOING_ON;
        }
        key.interestOps(handshake.toWrite().hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }

    /** Stops reading, because the bytes after the handshake belong to another reader. */
    void pause() {
        key.interestOps(0);
    }

    void close() {
        SocketWire.close(channel);
    }
}
