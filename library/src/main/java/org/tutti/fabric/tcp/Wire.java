/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
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

    /**
     * Returns whether this wire reads and writes memory of the Java heap where it lies. If not, the two methods below
     * are not supported.
     */
    default boolean takesArrays() {
        return false;
    }

    /**
     * Reads the bytes that have arrived into memory, which may lie in the Java heap.
     *
     * @param bytes the greatest number of bytes to read, at least 1
     * @return the number of bytes; 0 if there are none at present, −1 if no more will arrive
     */
    default int read(MemorySegment target, long offset, int bytes) throws IOException {
        throw new UnsupportedOperationException("this wire reads into buffers only");
    }

    /**
     * Writes bytes of memory, which may lie in the Java heap, as many as there is room for.
     *
     * @param bytes the number of bytes, at least 1
     * @param more whether the caller writes more bytes immediately, so that the wire may wait for them before it sends
     *            a packet that is not full
     * @return the number of bytes that were written
     */
    default int write(MemorySegment source, long offset, int bytes, boolean more) throws IOException {
        throw new UnsupportedOperationException("this wire writes from buffers only");
    }

    /** Closes the wire. This method throws nothing, and has no effect on a closed wire. */
    void close();
}
