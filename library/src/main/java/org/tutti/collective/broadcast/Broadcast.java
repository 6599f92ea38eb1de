/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * An algorithm for broadcast. A broadcast copies the root's elements to every other rank.
 */
public abstract class Broadcast extends Algorithm {
    /**
     * Creates the algorithm.
     *
     * @param description the algorithm's entry in the catalogue
     */
    protected Broadcast(Description description) {
        super(Collective.BROADCAST, description);
    }
}
