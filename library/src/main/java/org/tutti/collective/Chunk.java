/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * The chunk of a message that an operation is at. A message that is longer than the places that a rank shows goes
 * through them chunk by chunk, in turn:
 *
 * <pre>
 *  the caller's memory   | chunk 1 | chunk 2 | chunk 3 | chunk 4 | 5 |
 *  a window of 2 places  | chunk 1, 3, 5     | chunk 2, 4        |
 * </pre>
 *
 * It is moved rather than made anew, as an {@link Area} is; {@link Team#chunks} puts it before the first one.
 */
public final class Chunk {
    /** The places of a window of which one is written while others read the other one. */
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
     * Says that there are several messages of that length, one after the other.
     *
     * @param blocks how many
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
        offset = chunk <= places ? from : (chunk - 1) % places * longest; // short messages divide nothing
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

    /** {@return of which of several messages it is, from 0 on} */
    public int block() {
        return block;
    }

    /** {@return how many chunks there are; an empty message has one} */
    public int count() {
        return count;
    }

    /** {@return the length of every chunk but the last} */
    public long longest() {
        return longest;
    }

    /** {@return how many places a window has} */
    public int places() {
        return places;
    }

    /** {@return the length of a window that has all places, as every rank asks for it with {@link Team#show}} */
    public long window() {
        return Math.min(bytes, places * longest);
    }

    /** {@return at which byte of its message it begins} */
    public long from() {
        return from;
    }

    /** {@return at which byte of a window its place begins} */
    public long offset() {
        return offset;
    }

    /** {@return how many bytes it has} */
    public long length() {
        return length;
    }
}
