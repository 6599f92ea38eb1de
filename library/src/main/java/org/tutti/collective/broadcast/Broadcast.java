/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Area;
import org.tutti.collective.Team;

/**
 * A way to do a broadcast.
 */
public abstract class Broadcast extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Broadcast(Description description) {
        super(description);
    }

    /**
     * Copies the root's bytes to every rank.
     *
     * @param team the ranks, inside an operation
     * @param data the bytes of this rank
     * @param bytes how many, the same at every rank
     * @param root the rank that has them
     */
    public abstract void run(Team team, Area data, long bytes, int root);
}
