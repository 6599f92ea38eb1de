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

    /**
     * Returns the variant of a ported algorithm that uses all its ports, because a node exchanges with no more
     * nodes than there are.
     *
     * @param <A> the class of the algorithm
     * @param algorithm the algorithm
     * @param ports its number of ports
     * @param ofOnePort the algorithm with one port and no number in its name
     * @param nodes the number of nodes
     * @return the variant; the algorithm itself if it uses all its ports
     */
    static <A extends Algorithm & Ported> Algorithm used(A algorithm, int ports, A ofOnePort, int nodes) {
        int used = Math.min(ports, Math.max(1, nodes - 1));
        return used == ports ? algorithm : used == 1 ? ofOnePort : algorithm.withPorts(used);
    }
}
