/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Combines what other processes send with the memory of a region. It is called by whichever thread takes in what
 * arrives, perhaps by several at once, so it must be short, and it must not call the fabric.
 */
public interface Accumulator {
    /** What {@link #accumulate} returns when it can never be done. */
    long REFUSED = -1;

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
     * Combines bytes that have arrived with those of the region, from the first one on, as far as that can be done now.
     *
     * @param operation what to do
     * @param scale goes with the operation
     * @param imaginary goes with the operation, too
     * @param offset at which byte of the region
     * @param source what has arrived
     * @param sourceOffset at which byte
     * @param bytes how many
     * @return how many of them were combined: all, or fewer when somebody holds a lock for longer than this may wait;
     *         then it is called again for the rest. {@link #REFUSED} when who holds it has failed
     */
    long accumulate(int operation, long scale, long imaginary, long offset, MemorySegment source, long sourceOffset,
            long bytes);
}
