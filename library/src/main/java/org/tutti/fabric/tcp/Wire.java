/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * A connection between two processes, as a rail uses it: it passes bytes in order, as many at a time as have arrived or
 * have room. A wire never waits. It is a socket, or a wire of a test.
 */
interface Wire {
    /** The wire of a rail that could not be connected; no byte passes it. */
    Wire NONE = new Wire() {
        @Override
        public int read(ByteBuffer target) throws IOException {
            throw new ClosedChannelException();
        }

        @Override
        public long read(ByteBuffer[] targets) throws IOException {
            throw new ClosedChannelException();
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            throw new ClosedChannelException();
        }

        @Override
        public long write(ByteBuffer[] sources, int count) throws IOException {
            throw new ClosedChannelException();
        }

        @Override
        public void close() {}
    };

    /**
     * Reads the bytes that have arrived.
     *
     * @return the number of bytes, 0 if there are none at present, −1 when no more will arrive
     */
    int read(ByteBuffer target) throws IOException;

    /** As {@link #read(ByteBuffer)}, into several buffers, one after the other. */
    long read(ByteBuffer[] targets) throws IOException;

    /**
     * Writes as many bytes as there is room for.
     *
     * @return the number of bytes
     */
    int write(ByteBuffer source) throws IOException;

    /** As {@link #write(ByteBuffer)}, from the first few of several buffers, one after the other. */
    long write(ByteBuffer[] sources, int count) throws IOException;

    /** Closes the wire, and throws nothing; closing it again has no effect. */
    void close();
}
