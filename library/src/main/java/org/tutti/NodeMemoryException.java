/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The memory that the ranks of a node share could not be had: the file system that holds it is full or too small, or
 * the file cannot be used. The message says how much was needed and how much was left.
 *
 * <p><b>What can still be used.</b> After {@link Communicator#allocate(long)} and {@link RemoteMemory#allocateMutexes}
 * everything: all ranks get the exception, and know that no rank has the memory. Any other call that gets it breaks the
 * communicator that it was made on, because other ranks may be in the middle of the call: each collective, blocking, as
 * a request, or prepared, and each call that makes groups, such as {@link Communicator#split(int, int)} and {@link
 * Communicator#duplicate}, which breaks the communicator that the group was to be of. Other ranks get this exception or
 * {@link CommunicatorBrokenException}. An allocation breaks its communicator, too, if there is no room for the messages
 * of the call itself: 64 KiB that a rank takes once, at its first call with more than 48 bytes.
 *
 * <p>Other communicators can still be used, so a program that wants to go on keeps a duplicate. Memory that is given
 * back, as by closing remote memory, stays its process's, for blocks of its length or down to half of that.
 */
public final class NodeMemoryException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param cause what the operating system said, or null
     */
    public NodeMemoryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
