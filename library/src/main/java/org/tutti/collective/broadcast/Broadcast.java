/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * An algorithm for broadcast: it copies the root's elements to every other rank.
 */
public abstract class Broadcast extends Algorithm {
    /**
     * @param description its entry in the catalogue
     */
    protected Broadcast(Description description) {
        super(Collective.BROADCAST, description);
    }
}
