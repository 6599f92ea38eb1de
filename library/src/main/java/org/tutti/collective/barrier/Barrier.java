/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * An algorithm for barrier. A call of a barrier returns at each rank once every rank has called it.
 */
public abstract class Barrier extends Algorithm {
    /** The value of a rank's READY word that tells other ranks that the rank has arrived. */
    static final int ARRIVED = 1;

    /**
     * Creates the algorithm.
     *
     * @param description the algorithm's entry in the catalogue
     */
    protected Barrier(Description description) {
        super(Collective.BARRIER, description);
    }

    @Override
    public final long memoryBytes(int nodes, int localRanks, long bytes) {
        return 0; // a barrier needs words only
    }
}
