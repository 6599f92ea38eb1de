/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Ported;
import org.tutti.collective.layout.CallShape;
import org.tutti.pattern.BruckRoute;

/**
 * An all-to-all by Bruck's algorithm between nodes (Bruck, Ho and others 1997; Qian and Afsahi 2008, section 5.1.3),
 * for any number n of nodes. Its number of ports k is the number of nodes to which a node sends in a step. Distances
 * between nodes are written to base k + 1. In step j node i sends node i + z·(k+1)<sup>j</sup>, for each z from 1 to k,
 * all its blocks for which the remaining distance has digit z at position j. A block for the node at distance d is
 * therefore sent once for each digit of d that is not zero. There are ⌈log<sub>k+1</sub> n⌉ steps of k messages each.
 * If n is a power of k + 1, a message has the blocks of n/(k+1) nodes (equation 5). For another n, the total of all
 * messages is at most the value of this formula. The algorithm is fast for short blocks on many nodes.
 *
 * <p>The paper's phases 1 and 3 shift the blocks before and after the steps. Here the shifts need no copies, because
 * ranks write and read blocks at the positions that the steps use ({@link RoutedAllToAll}).
 */
public final class BruckAllToAll extends RoutedAllToAll implements Ported {
    private static final Description DESCRIPTION =
            new Description("bruck", Order.ALWAYS, "2, n > 1: 3 + ⌈log n⌉ to base k + 1",
                    "2·b·p·n, b·p²·n·(k/(k+1)·⌈log n⌉ − 1) more at masters", "b·p²·n·k/(k+1)·⌈log n⌉",
                    "p·b a rank, 2·b·p²·n·k/(k+1)·⌈log n⌉ at masters",
                    "Bruck 1997; Qian, Afsahi 2008, section 5.1.3");

    private static final AggregatedAllToAll AGGREGATED = new AggregatedAllToAll();

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public BruckAllToAll() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public BruckAllToAll(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private BruckAllToAll(int ports, Description description) {
        super(new BruckRoute(ports), description);
    }

    @Override
    public Algorithm withPorts(int count) {
        return new BruckAllToAll(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return route.portsMax() >= shape.nodes() - 1 ? AGGREGATED : this;
    }
}
