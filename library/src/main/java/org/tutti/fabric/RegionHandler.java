/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Handles the active messages that other processes send to a region. An active message consists of bytes, an operation
 * and two arguments, and the owner of the region defines its meaning. For example, an accumulate and the unlock of a
 * mutex are active messages. Any thread that takes in frames calls the handler, and several threads may call it
 * concurrently. The handler must return quickly and must not call the fabric. If a handler cannot go on, it returns
 * early and is called again later. Until then, later messages of the same sender for this region wait, while messages
 * for other regions are handled.
 */
public interface RegionHandler {
    /** The result of {@link #handle} if the message can never be handled. */
    long REFUSED = -1;

    /**
     * Returns whether the region accepts an active message that is about to arrive.
     *
     * @param operation the operation that the sender names; it may have any value
     * @param offset the offset of the message in the region; the region contains the range of the message
     * @param bytes the length of the message in bytes, 0 or more
     * @return whether {@link #handle} may be called with the message
     */
    boolean accepts(int operation, long offset, long bytes);

    /**
     * Handles bytes of an active message in their order, as many as possible without waiting.
     *
     * @param process the process that has sent the message, named by its first rank. The message itself may name any
     * @param operation the operation that the sender names, which {@link #accepts} has accepted
     * @param argument0 the first argument that the sender has passed
     * @param argument1 the second argument that the sender has passed
     * @param offset the offset in the region at which the bytes are to take effect
     * @param message the memory in which the bytes have arrived
     * @param messageOffset the offset of the bytes in that memory
     * @param bytes the number of bytes
     * @return the number of bytes handled, or {@link #REFUSED} if the message can never be handled. The number is
     *            smaller than {@code bytes} if another thread holds a lock for longer than this method may wait. This
     *            method is then called again for the rest
     */
    long handle(int process, int operation, long argument0, long argument1, long offset, MemorySegment message,
            long messageOffset,
            long bytes);
}
