/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when the shared memory of a node cannot be allocated: its file system is full or too small, or its file cannot
 * be used. The message gives the number of bytes that were needed, and the number that were available.
 *
 * <p><b>Use after the exception.</b> After {@link Communicator#allocate(long)} and {@link RemoteMemory#allocateMutexes}
 * everything can still be used: all ranks get the exception, and know that no rank has the memory. Any other call that
 * throws it breaks its communicator, because other ranks may be in the middle of the call. This holds for each
 * collective, blocking, as a request, or prepared. It also holds for each call that makes groups, such as {@link
 * Communicator#split(int, int)} and {@link Communicator#duplicate}, which then breaks the communicator that it was
 * called on. Other ranks get this exception or {@link CommunicatorBrokenException}. An allocation also breaks its
 * communicator if there is no memory for the messages of the call itself: 64 KiB that a rank allocates once, at its
 * first call with more than 48 bytes.
 *
 * <p>Other communicators can still be used, so a program that must go on keeps a duplicate. Memory that is released,
 * for example by closing remote memory, stays with its process. The process uses it again only for blocks of the same
 * length, or of at least half that length.
 */
public final class NodeMemoryException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * Constructs an exception with a message and a cause.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param cause the exception of the operating system, or null
     */
    public NodeMemoryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
