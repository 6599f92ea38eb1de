/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

/**
 * Bruck's algorithm with k ports (Qian and Afsahi, section 5.1.2): at step <i>j</i> each node has the blocks of (k+1)^j
 * nodes, itself and those after it, and sends them to the k nodes at distances −z·(k+1)^j, z from 1 to k, which then
 * have k+1 times as many; the last step sends as many as are missing. ⌈log n⌉ steps to the base of k+1.
 *
 * <p>It is their SMP-aware Bruck (section 5.2.2). Blocks lie at each node in the order in which they come, its own
 * first; they are not rotated, but each rank copies them from there straight to where they belong. Other than in the
 * paper not only what the own node has is copied out while the rest is under way, but each block when it has come.
 */
public final class BruckAllgather extends RelayedAllgather {
    private final int ports;

    /**
     * @param ports to how many nodes one sends in a step, 1 or more
     */
    public BruckAllgather(int ports) {
        super(new Description("bruck", Order.ALWAYS, "1, ⌈log n⌉ to the base k+1 between nodes", "b·p·n", "b·p·(n − 1)",
                "p·n·b at masters, b at others", "Qian, Afsahi 2008, sections 5.1.2 and 5.2.2").withPorts(ports));
        this.ports = ports;
    }

    /** How many slots there are before the step of a flow. */
    private int before(int flow) {
        int have = 1;
        for (int i = flow / ports; i > 0; i--) {
            have *= ports + 1;
        }
        return have;
    }

    @Override
    int flows(int nodes) {
        int flows = 0;
        while (firstSlot(flows, nodes) < nodes) {
            flows++;
        }
        return flows;
    }

    @Override
    int distance(int flow, int nodes) {
        return -firstSlot(flow, nodes);
    }

    @Override
    int firstSlot(int flow, int nodes) {
        return (flow % ports + 1) * before(flow);
    }

    @Override
    int slots(int flow, int nodes) {
        return Math.min(before(flow), nodes - firstSlot(flow, nodes));
    }

    @Override
    int owner(int slot) {
        return slot;
    }
}
