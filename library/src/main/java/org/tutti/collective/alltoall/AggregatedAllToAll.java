/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.pattern.BruckRoute;
import org.tutti.pattern.Route;

/**
 * An all-to-all in which each node sends each other node one message, in one step. With p ranks on a node, the message
 * has all p·p blocks. This is Bruck's algorithm with a port for each other node, so that a node sends to all of them in
 * the same step. {@link DirectAllToAll} sends p messages instead, one for each rank, directly from the windows in which
 * the ranks show their blocks. This algorithm needs no more copies than that, but no message leaves before all ranks of
 * the node have arrived. For n nodes and b bytes a block, b·p²·(n − 1) bytes leave a node. The algorithm is fast for
 * short blocks and many ranks on a node.
 */
public final class AggregatedAllToAll extends RoutedAllToAll {
    private static final DirectAllToAll DIRECT = new DirectAllToAll();

    /** Creates the algorithm; one object serves all ranks. */
    public AggregatedAllToAll() {
        super(new BruckRoute(Route.ALL_PORTS),
                new Description("aggregated", Order.ALWAYS, "2, n > 1: 4", "2·b·p·n", "b·p²·(n − 1)",
                        "p·b a rank, 2·b·p²·(n − 1) at masters", "this project"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() && !ZeroCopyLoans.areBlocksLong(shape.blockBytes()) ? DIRECT : this;
    }
}
