/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Ported;
import org.tutti.collective.layout.CallShape;
import org.tutti.pattern.ExchangeRoute;

/**
 * An all-to-all by Standard Exchange between nodes (Bokhari 1996; Qian and Afsahi 2008, section 5.1.3). Its number of
 * ports k is the number of nodes to which a node sends in a step. Nodes are numbered to base k + 1. In step j the k + 1
 * nodes of a group are (k+1)<sup>j</sup> apart. Each member sends each other member the blocks for all nodes that have
 * the same last j + 1 digits as the receiver. On n nodes there are ⌈log<sub>k+1</sub> n⌉ steps of k messages each. If n
 * is a power of k + 1, a message has the blocks of n/(k+1) nodes. Bruck's algorithm sends as many messages with as many
 * blocks, but here nodes near each other exchange first.
 *
 * <p><b>Corrections.</b> The paper needs (k+1)·⌈log n⌉ steps if n is not a power of k + 1. Here the number of steps
 * does not grow. If a node lacks a counterpart, it sends to the node at the counterpart's position in the group before.
 * That node receives up to k more messages ({@link ExchangeRoute}).
 */
public final class StandardExchangeAllToAll extends RoutedAllToAll implements Ported {
    private static final Description DESCRIPTION =
            new Description("standard-exchange", Order.ALWAYS, "2, n > 1: 3 + ⌈log n⌉ to base k + 1",
                    "2·b·p·n, b·p²·n·(k/(k+1)·⌈log n⌉ − 1) more at masters",
                    "b·p²·n·k/(k+1)·⌈log n⌉, off powers up to twice that",
                    "p·b a rank, 2 to 6·b·p²·n·k/(k+1)·⌈log n⌉ at masters",
                    "Bokhari 1996; Qian, Afsahi 2008, section 5.1.3");

    private static final AggregatedAllToAll AGGREGATED = new AggregatedAllToAll();
    private static final StandardExchangeAllToAll ONE_PORT = new StandardExchangeAllToAll();

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public StandardExchangeAllToAll() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public StandardExchangeAllToAll(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private StandardExchangeAllToAll(int ports, Description description) {
        super(new ExchangeRoute(ports), description);
    }

    @Override
    public Algorithm withPorts(int count) {
        return new StandardExchangeAllToAll(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.nodes() <= 2 ? AGGREGATED : Ported.used(this, route.portsMax(), ONE_PORT, shape.nodes());
    }
}
