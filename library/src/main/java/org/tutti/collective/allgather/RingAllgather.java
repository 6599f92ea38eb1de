/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

/**
 * Each node sends to the next one only: first its own blocks, then what comes from the node before, n − 1 times. So it
 * talks to two nodes, however many there are, and at each step all wires carry as much.
 */
public final class RingAllgather extends RelayedAllgather {
    /** The only object that is needed. */
    public RingAllgather() {
        super(new Description("ring", Order.ALWAYS, "1, n − 1 between nodes", "b·p·n", "b·p·(n − 1)",
                "p·n·b at masters, b at others", "ring: folklore; in nodes Qian, Afsahi 2008, section 5.2.2"));
    }

    @Override
    int flows(int nodes) {
        return nodes == 1 ? 0 : 1;
    }

    @Override
    int distance(int flow, int nodes) {
        return 1;
    }

    @Override
    int firstSlot(int flow, int nodes) {
        return 1;
    }

    @Override
    int slots(int flow, int nodes) {
        return nodes - 1;
    }

    @Override
    int owner(int slot) {
        return -slot;
    }
}
