/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.pattern.BruckRoute;

/**
 * Bruck's algorithm between nodes (Bruck, Ho and others 1997; Qian and Afsahi 2008, section 5.1.3), for any number of
 * them. What a node has for the one at distance d goes in as many hops as d has digits other than zero to base k + 1:
 * in step j node i sends to i + z·(k+1)<sup>j</sup>, for each z from 1 to k, all whose j-th digit is z.
 * ⌈log<sub>k+1</sub> n⌉ steps, each of k messages, with the blocks of n/(k+1) nodes each where n is a power of k + 1
 * (equation 5), and elsewhere no more in all than so many. It wins for short blocks on many nodes.
 *
 * <p>The shifts before and after the steps, the paper's phases 1 and 3, are no copies: ranks write and read blocks
 * where the steps need them ({@link RoutedAllToAll}).
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
