/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.pattern.ExchangeRoute;

/**
 * Standard Exchange between nodes (Bokhari 1996; Qian and Afsahi 2008, section 5.1.3), for any number of ports k. In
 * step j each group of k + 1 nodes, (k+1)<sup>j</sup> apart, exchanges the blocks that its members hold for each other,
 * and for all nodes with the same last j + 1 digits to base k + 1. ⌈log<sub>k+1</sub> n⌉ steps of k messages each; if n
 * is a power of k + 1, a message has the blocks of n/(k+1) nodes. These are as many as Bruck's, but nodes near each
 * other exchange first.
 *
 * <p><b>Corrections.</b> The paper has (k+1)·⌈log n⌉ steps if n is not a power of k + 1. Here there are no more steps:
 * a node that lacks a counterpart sends to the node at the counterpart's position in the group before. That node
 * receives up to k messages more ({@link ExchangeRoute}).
 */
public final class StandardExchangeAllToAll extends RoutedAllToAll {
    /**
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public StandardExchangeAllToAll(int ports) {
        super(new ExchangeRoute(ports),
                new Description("standard-exchange", Order.ALWAYS, "2, n > 1: 3 + ⌈log n⌉ to base k + 1",
                        "2·b·p·n, b·p²·n·(k/(k+1)·⌈log n⌉ − 1) more at masters",
                        "b·p²·n·k/(k+1)·⌈log n⌉, off powers up to twice that",
                        "p·b a rank, 2 to 6·b·p²·n·k/(k+1)·⌈log n⌉ at masters",
                        "Bokhari 1996; Qian, Afsahi 2008, section 5.1.3").withPorts(ports));
    }
}
