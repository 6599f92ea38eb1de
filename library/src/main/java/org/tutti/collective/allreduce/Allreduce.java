/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * An algorithm for allreduce. An allreduce combines the sources of all ranks and writes the result to every rank's
 * target. All ranks get the same bits.
 */
public abstract class Allreduce extends Algorithm {
    /**
     * Creates the algorithm.
     *
     * @param description the algorithm's entry in the catalogue
     */
    protected Allreduce(Description description) {
        super(Collective.ALLREDUCE, description);
    }
}
