/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * A cursor over the chunks of a message. A message that is longer than a rank's window, the memory in which the rank
 * shows data to its node, goes through the window chunk by chunk. A window has a few places, buffers for one chunk
 * each, which the chunks use in turn:
 *
 * <pre>
 *  the caller's memory   | chunk 1 | chunk 2 | chunk 3 | chunk 4 | 5 |
 *  a window of 2 places  | chunk 1, 3, 5     | chunk 2, 4        |
 * </pre>
 *
 * A team has one chunk object. {@link Team#chunks} sets it before the first chunk of a message. Like an {@link Area},
 * the object is set again and again, so that operations allocate nothing.
 */
public final class Chunk {
    /**
     * The number of places of a window that a rank fills while other ranks read it. The rank writes one place while the
     * others read the other place.
     */
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
     * Makes this cursor pass over several messages of the same length, one after the other.
     *
     * @param blocks the number of messages, 1 or more
     * @return this
     */
    public Chunk ofBlocks(int blocks) {
        count = blocks * chunksOfBlock;
        return this;
    }

    /**
     * Moves on to the next chunk.
     *
     * @return whether there was a next chunk
     */
    public boolean next() {
        if (number == count) {
            return false;
        }
        moveTo(number + 1);
        return true;
    }

    /**
     * Moves to a chunk given by its number.
     *
     * @param chunk the number of the chunk, from 1; after 0, {@link #next} moves to the first chunk
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

    /** {@return the number of the chunk: 1, 2, 3, …} */
    public int number() {
        return number;
    }

    /** {@return the index of the message that the chunk is part of, from 0} */
    public int block() {
        return block;
    }

    /** {@return the number of chunks of all messages; an empty message has one empty chunk} */
    public int count() {
        return count;
    }

    /** {@return the length of a chunk in bytes} The last chunk of a message may be shorter. */
    public long longest() {
        return longest;
    }

    /** {@return the number of places in a window} */
    public int places() {
        return places;
    }

    /**
     * {@return the length in bytes of a window with room for all places} Every rank passes this length to {@link
     * Team#show}.
     */
    public long window() {
        return Math.min(bytes, places * longest);
    }

    /** {@return the offset of the chunk in its message, in bytes} */
    public long from() {
        return from;
    }

    /** {@return the offset of the chunk's place in a window, in bytes} */
    public long offset() {
        return offset;
    }

    /** {@return the length of the chunk, in bytes} */
    public long length() {
        return length;
    }
}
