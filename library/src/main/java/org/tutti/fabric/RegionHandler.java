/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Handles the active messages that other processes send to a region: bytes with an operation and two arguments, which
 * mean what the owner of the region wants. An accumulate is one, and so is the unlock of a mutex. The handler is called
 * by any thread that takes in what arrives, perhaps by several at once, so it must be short, and it must not call the
 * fabric. A handler that cannot go on says so and is called again later; until then its region waits, as {@link
 * Transport} says, but no other one.
 */
public interface RegionHandler {
    /** What {@link #handle} returns when the message can never be handled. */
    long REFUSED = -1;

    /**
     * Tells whether a message that is about to arrive makes sense.
     *
     * @param operation what is to be done, as the sender says; anything
     * @param offset at which byte of the region, which has the range
     * @param bytes how many bytes the message has, 0 or more
     * @return whether {@link #handle} may be called with it
     */
    boolean accepts(int operation, long offset, long bytes);

    /**
     * Handles the bytes of a message, from the first one on, as far as that can be done now.
     *
     * @param operation what to do
     * @param argument0 what the sender gave with the operation
     * @param argument1 what the sender gave with the operation
     * @param offset at which byte of the region
     * @param message what has arrived
     * @param messageOffset at which byte
     * @param bytes how many
     * @return how many of them were handled: all, or fewer when that cannot go on now, because another thread holds a
     *         lock for longer than this may wait; then it is called again for the rest. {@link #REFUSED} when it can
     *         never go on
     */
    long handle(int operation, long argument0, long argument1, long offset, MemorySegment message, long messageOffset,
            long bytes);
}
