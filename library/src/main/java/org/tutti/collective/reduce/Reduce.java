/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * A way to do a reduce: it combines the ranks' sources in the target of the root. Other targets stay as they are.
 */
public abstract class Reduce extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Reduce(Description description) {
        super(Collective.REDUCE, description);
    }
}
