/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.pattern.BruckRoute;
import org.tutti.pattern.Route;

/**
 * One message of all p·p blocks from each node to each other one: Bruck's algorithm with as many ports as there are
 * other nodes, so that everything goes straight, in one step. Against {@link DirectAllToAll}, which sends a piece for
 * each rank from where that shows it, these are p times fewer messages, and no more copies; but none leaves before all
 * ranks of the node have come. It wins for short blocks of many ranks on a node.
 */
public final class AggregatedAllToAll extends RoutedAllToAll {
    /** Creates the algorithm; one object serves all ranks. */
    public AggregatedAllToAll() {
        super(new BruckRoute(Route.ALL_PORTS),
                new Description("aggregated", Order.ALWAYS, "2, n > 1: 4", "2·b·p·n", "b·p²·(n − 1)",
                        "p·b a rank, 2·b·p²·(n − 1) at masters", "this project"));
    }
}
