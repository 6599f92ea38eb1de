/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A collection of calls on {@link RemoteMemory} that are awaited together. As a request it is done when all calls are
 * done that were made through it so far; afterwards it can be used again. Any number of threads may use it.
 *
 * <p>Small puts to other nodes are gathered, and leave when the fabric's buffer is full, or when somebody asks whether
 * the aggregate is done, awaits it, fences or closes the memory, or waits for another node. When one of the calls
 * fails, so does the whole aggregate, for good.
 */
public abstract class Aggregate implements Request {
    /**
     * For Tutti's own implementation only.
     */
    protected Aggregate() {}

    /**
     * The part of a rank, whose calls are collected here: each returns this aggregate.
     *
     * @param rank a rank of the communicator
     * @return the part
     * @throws IllegalArgumentException when there is no such rank
     */
    public abstract NonBlockingPart at(int rank);
}
