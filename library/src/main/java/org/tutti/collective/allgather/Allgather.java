/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * A way to do an allgather: the source of each rank comes to its block of every rank's target.
 */
public abstract class Allgather extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Allgather(Description description) {
        super(Collective.ALLGATHER, description);
    }
}
