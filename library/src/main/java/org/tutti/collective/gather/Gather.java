/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.gather;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * A way to do a gather: the source of each rank comes to its block of the root's target.
 */
public abstract class Gather extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Gather(Description description) {
        super(Collective.GATHER, description);
    }
}
