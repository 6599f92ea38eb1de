/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scatter;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * A way to do a scatter: each block of the root's source comes to the target of its rank.
 */
public abstract class Scatter extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected Scatter(Description description) {
        super(Collective.SCATTER, description);
    }
}
