/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.recording;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A chunk of a recording of JFR, as its header describes it. A recording is a sequence of chunks, each of which can be
 * read without the others.
 *
 * <p>A JVM writes each chunk to a file of its own. Once a second it flushes its events, and the header then counts the
 * bytes up to there. The header also says that the chunk is not finished. If the JVM is killed, these bytes are
 * therefore a readable chunk, as soon as its header says that it is finished.
 *
 * @param start the position of the chunk in its file
 * @param bytes the length that the header counts, 0 if nothing has been flushed
 * @param startNanos the time at which the chunk begins, in nanoseconds since 1970
 * @param finished whether the JVM has finished the chunk
 */
record Chunk(long start, long bytes, long startNanos, boolean finished) {
    /** The length of the header. */
    static final int HEADER_BYTES = 68;

    /** The position, in the header, of the byte that is 0 once the chunk is finished. */
    static final int STATE = 64;

    private static final int MAGIC = 'F' << 24 | 'L' << 16 | 'R' << 8;
    private static final int BYTES = 8;
    private static final int METADATA = 24;
    private static final int START_NANOS = 32;

    /**
     * Reads the header of a chunk.
     *
     * @param file a recording
     * @param start the position of the chunk
     * @return the chunk
     * @throws EOFException if the file ends before the header does
     * @throws IOException if there is no chunk, or the file cannot be read
     */
    static Chunk read(FileChannel file, long start) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        while (header.hasRemaining()) {
            if (file.read(header, start + header.position()) < 0) {
                throw new EOFException("the file ends within the header of a chunk");
            }
        }
        if (header.getInt(0) != MAGIC) {
            throw new IOException("there is no chunk of JFR at byte " + start);
        }
        boolean hasTypes = header.getLong(METADATA) != 0; // no event can be read without them
        return new Chunk(start, hasTypes ? header.getLong(BYTES) : 0, header.getLong(START_NANOS),
                header.get(STATE) == 0);
    }

    /** {@return the position after the chunk} */
    long end() {
        return start + bytes;
    }
}
