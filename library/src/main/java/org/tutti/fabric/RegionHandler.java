/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Handles the active messages that other processes send to a region: bytes with an operation and two arguments. The
 * owner of the region defines their meaning; an accumulate is an active message, and so is the unlock of a mutex. Any
 * thread that takes in frames calls the handler, and several threads may call it concurrently. The handler must be
 * short and must not call the fabric. A handler that cannot go on returns early, and is called again later. Until then
 * messages for its region wait, as described in {@link Transport}; other regions go on.
 */
public interface RegionHandler {
    /** The result of {@link #handle} when the message can never be handled. */
    long REFUSED = -1;

    /**
     * Returns whether a message that is about to arrive is valid.
     *
     * @param operation the operation that the sender names; any value
     * @param offset the offset of the message in the region; the region contains the message's range
     * @param bytes the length of the message, 0 or more
     * @return whether {@link #handle} may be called with it
     */
    boolean accepts(int operation, long offset, long bytes);

    /**
     * Handles bytes of a message, from the first one on, as far as possible without waiting.
     *
     * @param operation the operation
     * @param argument0 the sender's first argument
     * @param argument1 the sender's second argument
     * @param offset the offset of the bytes in the region
     * @param message the memory in which the bytes have arrived
     * @param messageOffset their offset in that memory
     * @param bytes the number of bytes
     * @return the number of bytes handled: all, or fewer if the handler cannot go on now because another thread holds a
     *            lock for longer than this method may wait. The method is then called again for the rest. {@link
     *            #REFUSED} if the message can never be handled
     */
    long handle(int operation, long argument0, long argument1, long offset, MemorySegment message, long messageOffset,
            long bytes);
}
