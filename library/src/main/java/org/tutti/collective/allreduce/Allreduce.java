/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;

/**
 * A way to do an allreduce.
 */
public abstract class Allreduce extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Allreduce(Description description) {
        super(description);
    }

    /**
     * Combines the ranks' elements at every rank, to the same bits.
     *
     * @param team the ranks, inside an operation
     * @param source the elements of this rank
     * @param target where the combination goes: the same as source, or apart from it
     * @param bytes the length of source and target, a multiple of the operator's unit
     * @param kernel the operator for the type
     */
    public abstract void run(Team team, Area source, Area target, long bytes, Kernel kernel);
}
