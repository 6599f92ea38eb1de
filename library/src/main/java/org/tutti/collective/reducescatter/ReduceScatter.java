/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * A way to do a reduce-scatter: the blocks of a rank in all sources are combined in its target.
 */
public abstract class ReduceScatter extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected ReduceScatter(Description description) {
        super(Collective.REDUCE_SCATTER, description);
    }
}
