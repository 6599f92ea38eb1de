/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/**
 * Combines the elements of two or more nodes, round by round. The masters, the first ranks of the nodes, call its
 * methods. In each round a master first combines the elements of its node.
 */
interface Exchange {
    /**
     * Returns the number of shares into which a master divides its inbox, the memory to which it invites other masters.
     *
     * @param nodes the number of nodes
     * @param bytes the length of the message in bytes
     * @return the number; 0 if the pieces arrive in eager buffers, which need no invitation
     */
    int shares(int nodes, long bytes);

    /**
     * Opens the flows to and from other masters. A flow is a stream of pieces from one master to another. A master
     * calls this method once in an operation, before the first round.
     *
     * @param bytes the length of the message in bytes
     * @param chunk the length in bytes of the first round, which is the longest
     * @param rounds the number of rounds
     */
    void open(Team team, Kernel kernel, long bytes, long chunk, int rounds);

    /**
     * Combines the elements of all nodes in a round, and writes the result to {@code work}. The result has the same
     * bits at every master. The caller need not copy this node's elements to {@code work}, because the exchange reads
     * them from {@code own}.
     *
     * @param own the area that holds this node's elements
     * @param work the area for the result, which may be {@code own}
     * @param at the offset of the round's elements in both areas, in bytes
     * @param length the length of the round in bytes
     */
    void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length);
}
