/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/** How the masters of two or more nodes combine the elements of their nodes, round by round. */
interface Exchange {
    /**
     * Opens the flows to and from other masters, before all rounds.
     *
     * @param bytes the length of the message
     * @param chunk the bytes of the first round, which is the longest
     * @param rounds the number of rounds
     */
    void open(Team team, Kernel kernel, long bytes, long chunk, int rounds);

    /**
     * Combines the nodes' elements of a round: afterwards every master has the same bits. This node's elements are sent
     * and combined from {@code own}; the exchange alone brings them to {@code work}.
     *
     * @param own this node's elements
     * @param work the area for the result, perhaps the same
     * @param at the offset in both areas, in bytes
     * @param length the bytes of the round
     */
    void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length);
}
