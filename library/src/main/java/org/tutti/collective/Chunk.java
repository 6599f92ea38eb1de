/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * The current chunk of a message. A message that is longer than the places in a rank's window goes through them chunk
 * by chunk, in turn:
 *
 * <pre>
 *  the caller's memory   | chunk 1 | chunk 2 | chunk 3 | chunk 4 | 5 |
 *  a window of 2 places  | chunk 1, 3, 5     | chunk 2, 4        |
 * </pre>
 *
 * A team has one chunk object, which {@link Team#chunks} puts before the first chunk of a message. Like an {@link Area}
 * it is set again and again, so that operations allocate nothing.
 */
public final class Chunk {
    /** The number of places in a window in which one is written while others read the other one. */
    public static final int HALVES = 2;

    private long bytes;
    private long longest;
    private int places;
    private int count;
    private int chunksOfBlock;
    private int number;
    private int block;
    private long from;
    private long offset;
    private long length;

    Chunk() {}

    Chunk begin(long messageBytes, long chunkBytes, int placesInWindow) {
        bytes = messageBytes;
        longest = Math.min(messageBytes, chunkBytes);
        places = placesInWindow;
        count = messageBytes <= chunkBytes ? 1 : Partition.chunks(messageBytes, chunkBytes);
        chunksOfBlock = count;
        block = 0;
        number = 0;
        return this;
    }

    /**
     * Sets the number of messages of that length, which follow each other.
     *
     * @param blocks the number of messages
     * @return this
     */
    public Chunk ofBlocks(int blocks) {
        count = blocks * chunksOfBlock;
        return this;
    }

    /**
     * Moves on to the next chunk.
     *
     * @return whether there is one
     */
    public boolean next() {
        if (number == count) {
            return false;
        }
        moveTo(number + 1);
        return true;
    }

    /**
     * Moves to any chunk.
     *
     * @param chunk its number; with 0, the {@linkplain #next next} one is the first
     */
    public void moveTo(int chunk) {
        assert chunk >= 0 && chunk <= count : "chunk " + chunk + " of " + count;
        number = chunk;
        from = (chunk - 1) * longest;
        offset = chunk <= places ? from : (chunk - 1) % places * longest; // a short message needs no division
        block = 0;
        if (chunk > chunksOfBlock) {
            block = (chunk - 1) / chunksOfBlock;
            from -= block * chunksOfBlock * longest;
        }
        length = Math.min(longest, bytes - from);
        assert length >= 0 && (chunk == 0 || offset + length <= places * longest) : "chunk " + chunk + " of " + count
                + " has " + length + " bytes at " + offset + " of " + places + " places of " + longest;
    }

    /** {@return its number: 1, 2, 3, …} */
    public int number() {
        return number;
    }

    /** {@return the index of the message that the chunk is part of, from 0} */
    public int block() {
        return block;
    }

    /** {@return the number of chunks; an empty message has one} */
    public int count() {
        return count;
    }

    /** {@return the length of every chunk except the last} */
    public long longest() {
        return longest;
    }

    /** {@return the number of places in a window} */
    public int places() {
        return places;
    }

    /** {@return the length of a window that has all places; every rank passes it to {@link Team#show}} */
    public long window() {
        return Math.min(bytes, places * longest);
    }

    /** {@return its offset in its message} */
    public long from() {
        return from;
    }

    /** {@return the offset of its place in a window} */
    public long offset() {
        return offset;
    }

    /** {@return its length in bytes} */
    public long length() {
        return length;
    }
}
