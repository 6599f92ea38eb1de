/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.pattern.ExchangeRoute;

/**
 * Standard Exchange between nodes (Bokhari 1996; Qian and Afsahi 2008, section 5.1.3). In step j each group of k + 1
 * nodes, (k+1)<sup>j</sup> apart, exchanges what its members hold for each other, and for all whose last j + 1 digits
 * to base k + 1 are the same. ⌈log<sub>k+1</sub> n⌉ steps, each of k messages of n/(k+1) nodes' blocks where n is a
 * power of k + 1: as many as Bruck's, but between nodes near each other first.
 *
 * <p><b>Corrections.</b> The paper has (k+1)·⌈log n⌉ steps if n is no power. Here there are no more steps: who lacks a
 * counterpart sends to the one in the group before, which gets up to k messages more ({@link ExchangeRoute}).
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
