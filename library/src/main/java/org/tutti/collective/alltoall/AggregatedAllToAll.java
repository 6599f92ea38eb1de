/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.pattern.BruckRoute;
import org.tutti.pattern.Route;

/**
 * One message with all p·p blocks from each node to each other node, in one step: Bruck's algorithm with as many ports
 * as there are other nodes. {@link DirectAllToAll} sends a piece for each rank, from where that rank shows it. In
 * comparison, here are p times fewer messages and no more copies, but no message leaves before all ranks of the node
 * have arrived. b·p²·(n − 1) bytes leave a node. It wins for short blocks of many ranks on a node.
 */
public final class AggregatedAllToAll extends RoutedAllToAll {
    /** Creates the algorithm; one object serves all ranks. */
    public AggregatedAllToAll() {
        super(new BruckRoute(Route.ALL_PORTS),
                new Description("aggregated", Order.ALWAYS, "2, n > 1: 4", "2·b·p·n", "b·p²·(n − 1)",
                        "p·b a rank, 2·b·p²·(n − 1) at masters", "this project"));
    }
}
