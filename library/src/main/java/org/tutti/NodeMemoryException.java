/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when memory that the ranks of a node share cannot be allocated. The reason is that its file system is full or
 * too small, or that its file cannot be used. The message gives the number of bytes that were needed, and the number
 * that were available.
 *
 * <p><b>Use after the exception.</b> After {@link Communicator#allocate(long)} and {@link RemoteMemory#allocateMutexes}
 * everything can still be used, because all ranks get the exception and none has the memory. Any other call that throws
 * it breaks its communicator, because other ranks may be in the middle of the call. This holds for each blocking,
 * non-blocking or prepared collective. It also holds for each call that makes groups, such as
 * {@link Communicator#split(int, int)} and {@link Communicator#duplicate}, which then breaks the communicator on which
 * it was called. Other ranks get this exception or {@link CommunicatorBrokenException}. There is one exception to the
 * first sentence. The allocating call itself needs memory for its messages, 64 KiB that a rank allocates once, at its
 * first call with more than 48 bytes. If that memory is missing, an allocation breaks its communicator, too.
 *
 * <p>Communicators that are not broken can still be used. Therefore a program that must go on after the exception
 * should keep a duplicate. Memory that is released, for example by closing remote memory, stays with its process. The
 * process uses it again only for blocks of the same length, or of at least half that length.
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
