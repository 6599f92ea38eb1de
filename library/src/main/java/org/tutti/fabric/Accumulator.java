/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Combines what other processes send with the memory of a region. It is called by whichever thread takes in what
 * arrives, perhaps by several at once, so it must be short, and it must not call the fabric.
 */
public interface Accumulator {
    /**
     * Tells whether something that is about to arrive makes sense.
     *
     * @param operation what is to be done, as the sender says; anything
     * @param offset at which byte of the region, which has the range
     * @param bytes how many, 0 or more
     * @return whether {@link #accumulate} may be called with it
     */
    boolean accepts(int operation, long offset, long bytes);

    /**
     * Combines bytes that have arrived with those of the region.
     *
     * @param operation what to do
     * @param scale goes with the operation
     * @param imaginary goes with the operation, too
     * @param offset at which byte of the region
     * @param source what has arrived
     * @param sourceOffset at which byte
     * @param bytes how many
     * @return whether that was done; not when somebody who holds a lock has failed
     */
    boolean accumulate(int operation, long scale, long imaginary, long offset, MemorySegment source, long sourceOffset,
            long bytes);
}
