/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.memory.Words;

/**
 * The layout of the doors of a node. The memory of the node has a door of one line for each rank of the job, at which
 * senders publish the channels that they have made for the rank, and at which they ring while it waits for any rank.
 *
 * <pre>
 *  +0 OPENED: the number of channels (many add)
 *  +8 NEWEST: the address of the channel that was published last, or 0 (many compare and set)
 *  +16 WAITERS: the number of the rank's threads that wait for a message of any rank (they add)
 *  +24 RINGS: grows with each message that is sent meanwhile (many add)
 * </pre>
 *
 * <p>Each channel has the address of the channel before it. A sender writes its channel, replaces NEWEST, and then
 * raises OPENED. A receiver that finds OPENED raised therefore finds the channel in the list that begins at NEWEST.
 *
 * <p><b>The bell.</b> A message of any rank may come through any channel, and a thread can sleep at one word only. A
 * thread that waits for any rank raises WAITERS, then reads RINGS and all channels, and then waits for RINGS. A sender
 * writes its message, and raises RINGS if it finds WAITERS above 0. A thread that matches such a receive raises RINGS,
 * too, whether a thread waits or not, because the other thread may have looked for its match and not wait yet. No fence
 * of the sender orders its load after its store, because a fence takes as long as the rest of the send. The sender may
 * therefore miss a waiter that begins at this moment. The waiter polls its channels for a millisecond before it sleeps,
 * and the store is visible long before.
 */
public final class Doors {
    static final long OPENED = 0;
    static final long NEWEST = 8;
    static final long WAITERS = 16;
    static final long RINGS = 24;

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
