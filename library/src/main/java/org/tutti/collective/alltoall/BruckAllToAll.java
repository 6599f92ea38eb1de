/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.pattern.BruckRoute;

/**
 * Bruck's algorithm between nodes (Bruck, Ho and others 1997; Qian and Afsahi 2008, section 5.1.3), for any number of
 * nodes and ports k. A node's blocks for the node at distance d go in as many hops as d has digits other than zero to
 * base k + 1: in step j node i sends node i + z·(k+1)<sup>j</sup>, for each z from 1 to k, all blocks for distances
 * with z as their digit j. ⌈log<sub>k+1</sub> n⌉ steps of k messages each. If n is a power of k + 1, a message has the
 * blocks of n/(k+1) nodes (equation 5); for other n, the total is no greater than this formula says. It wins for short
 * blocks on many nodes.
 *
 * <p>The shifts before and after the steps, which are the paper's phases 1 and 3, need no copies: ranks write and read
 * blocks where the steps need them ({@link RoutedAllToAll}).
 */
public final class BruckAllToAll extends RoutedAllToAll {
    /**
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public BruckAllToAll(int ports) {
        super(new BruckRoute(ports),
                new Description("bruck", Order.ALWAYS, "2, n > 1: 3 + ⌈log n⌉ to base k + 1",
                        "2·b·p·n, b·p²·n·(k/(k+1)·⌈log n⌉ − 1) more at masters", "b·p²·n·k/(k+1)·⌈log n⌉",
                        "p·b a rank, 2·b·p²·n·k/(k+1)·⌈log n⌉ at masters",
                        "Bruck 1997; Qian, Afsahi 2008, section 5.1.3").withPorts(ports));
    }
}
