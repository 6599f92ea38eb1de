/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A group of calls on {@link RemoteMemory} that are awaited together. As a request, it is done when all calls made
 * through it so far are done. It may then be used again. Any number of threads may use it.
 *
 * <p>Small puts to other nodes are gathered. They are sent when the fabric's buffer is full, or when a thread asks
 * whether the aggregate is done, awaits it, fences or closes the memory, or waits for another node. If one of the calls
 * fails, the aggregate fails, and stays failed.
 */
public abstract class Aggregate implements Request {
    /**
     * Constructor for Tutti's own implementation only.
     */
    protected Aggregate() {}

    /**
     * Returns the part of a rank for calls through this aggregate, each of which returns the aggregate.
     *
     * @param rank a rank of the communicator
     * @return the part
     * @throws IllegalArgumentException if there is no such rank
     */
    public abstract NonBlockingPart at(int rank);
}
