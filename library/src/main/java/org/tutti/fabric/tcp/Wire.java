/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * A connection of two processes as a rail sees it: bytes in order, as many at a time as there are or as there is room
 * for. It never waits. A socket, or a test's own.
 */
interface Wire {
    /** What a rail has that could not be connected: nothing passes it. */
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
     * Reads what is there.
     *
     * @return how many bytes, 0 when there are none now, −1 when no more will come
     */
    int read(ByteBuffer target) throws IOException;

    /** As {@link #read(ByteBuffer)}, into several buffers, one after the other. */
    long read(ByteBuffer[] targets) throws IOException;

    /**
     * Writes as much as there is room for.
     *
     * @return how many bytes
     */
    int write(ByteBuffer source) throws IOException;

    /** As {@link #write(ByteBuffer)}, from the first few of several buffers, one after the other. */
    long write(ByteBuffer[] sources, int count) throws IOException;

    /** Closes it, and throws nothing; again has no effect. */
    void close();
}
