/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Team;

/**
 * A flat tree in each node ({@link TwoLevelBarrier}), and the masters wait for each other in groups of k + 1 ({@link
 * MasterExchange}): with one port in pairs, which is SRM's barrier (paper: sections 2.2, "Shared Memory Barrier", and
 * 2.4, "Barrier"). ⌈log n⌉ steps to the base of k + 1, in which a master sends k signals each.
 */
public final class ExchangeBarrier extends TwoLevelBarrier {
    private static final Description SRM = new Description("srm", Order.ALWAYS, "2 + ⌈log₂ n⌉",
            "p−1 lines at a master", "0", "none", "SRM 2003, sections 2.2 and 2.4");
    private static final Description EXCHANGE = new Description("recursive-exchange", Order.ALWAYS,
            "2 + ⌈log n⌉ to base k + 1", "p−1 lines at a master", "0", "none",
            "Tutti; in nodes SRM 2003, section 2.2");

    private final MasterExchange masters;

    /**
     * @param ports how many others a master signals in a step, 1 to 4
     */
    public ExchangeBarrier(int ports) {
        super(ports == 1 ? SRM : EXCHANGE.withPorts(ports));
        this.masters = new MasterExchange(ports);
    }

    @Override
    int steps(int nodes) {
        return masters.steps(nodes);
    }

    @Override
    int furtherSignals(int nodes) {
        return masters.signals(nodes) - masters.steps(nodes);
    }

    @Override
    void awaitMasters(Team team) {
        masters.run(team);
    }
}
