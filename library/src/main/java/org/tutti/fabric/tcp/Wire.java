/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * A connection between two processes, which passes bytes in order. No operation waits. A read takes the bytes that have
 * arrived, and a write takes as many bytes as there is room for. A wire is a socket, or a substitute in a test.
 */
interface Wire {
    /** The wire of a rail that could not be connected. It passes no byte. */
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
     * @return the number of bytes; 0 if there are none at present, −1 if no more will arrive
     */
    int read(ByteBuffer target) throws IOException;

    /**
     * Reads the bytes that have arrived into several buffers, one after the other. Returns the number of bytes, 0 if
     * there are none at present, or −1 if no more will arrive.
     */
    long read(ByteBuffer[] targets) throws IOException;

    /**
     * Writes as many bytes as there is room for.
     *
     * @return the number of bytes
     */
    int write(ByteBuffer source) throws IOException;

    /**
     * Writes the bytes of the first {@code count} buffers, one after the other, as many as there is room for. Returns
     * the number of bytes.
     */
    long write(ByteBuffer[] sources, int count) throws IOException;

    /** Closes the wire. This method throws nothing, and has no effect on a closed wire. */
    void close();
}
