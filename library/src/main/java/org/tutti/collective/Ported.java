/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * An {@link Algorithm} in which a node exchanges data with k other nodes at the same time, over k ports (Qian and
 * Afsahi 2008, section 3.2). Users can choose k: {@code bruck@2-ports} is the algorithm {@code bruck} with two ports.
 * Without a number in the name, k is the number of rails of the job, the connections between two processes. All ranks
 * must use the same k. It is part of the algorithm's name, and ranks compare the names.
 */
public interface Ported {
    /** The greatest number of ports. */
    int PORTS_MAX = 4;

    /**
     * Returns a variant of this algorithm with a number of ports.
     *
     * @param ports k, the number of nodes with which a node exchanges data at the same time, 1 to {@link #PORTS_MAX}
     * @return the algorithm, with k in its name; this algorithm if its number of ports is fixed
     */
    Algorithm withPorts(int ports);
}
