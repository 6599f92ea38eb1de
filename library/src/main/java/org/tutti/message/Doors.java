/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.memory.Words;

/**
 * The layout of the doors of a node. The memory of the node has a door of one line for each rank of the job, at which
 * senders publish the channels that they have made for the rank.
 *
 * <pre>
 *  +0 OPENED: the number of channels (many add)
 *  +8 NEWEST: the address of the channel that was published last, or 0 (many compare and set)
 * </pre>
 *
 * <p>Each channel has the address of the channel before it. A sender writes its channel, replaces NEWEST, and then
 * raises OPENED. A receiver that finds OPENED raised therefore finds the channel in the list that begins at NEWEST.
 */
public final class Doors {
    static final long OPENED = 0;
    static final long NEWEST = 8;

    private Doors() {}

    /**
     * Returns the length of the doors of a node.
     *
     * @param size the number of ranks of the job
     * @return the length in bytes
     */
    public static long bytes(int size) {
        return door(size);
    }

    /** Returns the offset of the door of a rank. */
    static long door(int rank) {
        return (long) rank * Words.LINE_BYTES;
    }
}
