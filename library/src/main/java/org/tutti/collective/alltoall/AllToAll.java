/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;

/**
 * A way to do an all-to-all: the block of each rank's source that is another one's comes to the block of that rank's
 * target that is the first one's.
 */
public abstract class AllToAll extends Algorithm {
    /**
     * @param description what the catalogue says of it
     */
    protected AllToAll(Description description) {
        super(Collective.ALL_TO_ALL, description);
    }
}
