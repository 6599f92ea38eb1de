/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A wire over a TCP connection. Buffers pass through a channel of the JDK, and arrays through {@link SocketCalls} where
 * these are possible.
 *
 * <p><b>Why no call has the descriptor of another file.</b> A thread counts itself among the users before a call for an
 * array, and leaves after the call. {@link #close} adds {@link #CLOSED} to the same number. The channel is closed by
 * {@code close} if there were no users, and otherwise by the last user. A thread that comes after {@code close} finds a
 * number of at least {@code CLOSED}, and makes no call.
 */
final class SocketWire implements Wire {
    private static final System.Logger LOG = System.getLogger(SocketWire.class.getName());
    private static final int CLOSED = 1 << 30;

    private final SocketChannel channel;
    private final SocketCalls calls;
    private final AtomicInteger users = new AtomicInteger();

    /**
     * Creates the wire of a connection.
     *
     * @param channel the channel, connected and non-blocking
     */
    SocketWire(SocketChannel channel) {
        this(channel, SocketCalls.of(channel));
    }

    /** Creates the wire of a connection, with calls for arrays or null. */
    SocketWire(SocketChannel channel, SocketCalls calls) {
        this.channel = channel;
        this.calls = calls;
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
    public boolean takesArrays() {
        return calls != null;
    }

    @Override
    public int read(MemorySegment target, long offset, int bytes) throws IOException {
        enter();
        try {
            return calls.receive(target, offset, bytes);
        } finally {
            leave();
        }
    }

    @Override
    public int write(MemorySegment source, long offset, int bytes, boolean more) throws IOException {
        enter();
        try {
            return calls.send(source, offset, bytes, more);
        } finally {
            leave();
        }
    }

    private void enter() throws ClosedChannelException {
        if (users.incrementAndGet() > CLOSED) {
            leave();
            throw new ClosedChannelException();
        }
    }

    private void leave() {
        if (users.decrementAndGet() == CLOSED) {
            close(channel); // once more if a thread came too late
        }
    }

    @Override
    public void close() {
        if (users.getAndUpdate(count -> count < CLOSED ? count + CLOSED : count) == 0) {
            close(channel);
        }
    }

    static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a connection could not be closed", e);
        }
    }
}
