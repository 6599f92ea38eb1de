/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * An algorithm for allreduce: it combines the sources of all ranks in every rank's target, to the same bits.
 */
public abstract class Allreduce extends Algorithm {
    /**
     * @param description its entry in the catalogue
     */
    protected Allreduce(Description description) {
        super(Collective.ALLREDUCE, description);
    }
}
