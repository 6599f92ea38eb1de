/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A connection of two processes as a rail sees it: bytes in order, as many at a time as there are or as there is room
 * for. It never waits. A socket, or a test's own.
 */
interface Wire {
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
