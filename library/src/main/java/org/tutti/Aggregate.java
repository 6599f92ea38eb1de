/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A group of non-blocking calls on {@link RemoteMemory} that the program awaits together. The aggregate is itself a
 * request, and is done when all calls that were made through it so far are done. It may then be used again. Any number
 * of threads may use it.
 *
 * <p>Small puts to other nodes are gathered, so that one message carries many. They are sent when the send buffer is
 * full, or when a thread asks whether the aggregate is done, awaits it, fences or closes the memory, or waits for
 * another node. If one of the calls fails, the aggregate fails, and stays failed.
 */
public abstract class Aggregate implements Request {
    /**
     * Constructor for Tutti's own implementation only.
     */
    protected Aggregate() {}

    /**
     * Returns the memory of a rank for calls that belong to this aggregate. Each of these calls returns the aggregate
     * as its request.
     *
     * @param rank a rank of the communicator
     * @return the part of the remote memory that belongs to the rank
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract NonBlockingPart at(int rank);
}
