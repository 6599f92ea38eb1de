/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SocketChannel;

/**
 * A wire over a TCP connection.
 */
final class SocketWire implements Wire {
    private static final System.Logger LOG = System.getLogger(SocketWire.class.getName());

    private final SocketChannel channel;

    /**
     * Creates the wire of a connection.
     *
     * @param channel the channel, connected and non-blocking
     */
    SocketWire(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return channel.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets) throws IOException {
        return channel.read(targets);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return channel.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int count) throws IOException {
        return channel.write(sources, 0, count);
    }

    @Override
    public void close() {
        close(channel);
    }

    static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a connection could not be closed", e);
        }
    }
}
