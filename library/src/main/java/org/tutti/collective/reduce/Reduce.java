/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;

/**
 * A way to do a reduce.
 */
public abstract class Reduce extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Reduce(Description description) {
        super(description);
    }

    /**
     * Combines the ranks' elements at the root.
     *
     * @param team the ranks, inside an operation
     * @param source the elements of this rank
     * @param target where the root wants the combination: the same as source, or apart from it; unused elsewhere
     * @param bytes the length of source and target, a multiple of the operator's unit
     * @param kernel the operator for the type
     * @param root the rank that wants the combination
     */
    public abstract void run(Team team, Area source, Area target, long bytes, Kernel kernel, int root);
}
