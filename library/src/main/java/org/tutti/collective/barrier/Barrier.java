/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Team;

/**
 * A way to do a barrier.
 */
public abstract class Barrier extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Barrier(Description description) {
        super(description);
    }

    @Override
    public final long memoryBytes(int nodes, int localRanks, long bytes) {
        return 0; // words are enough
    }

    /**
     * Returns when every rank has called it.
     *
     * @param team the ranks, inside an operation
     */
    public abstract void run(Team team);
}
