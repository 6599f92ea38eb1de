/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import java.util.stream.IntStream;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;

/**
 * An allgather by Bruck's algorithm between nodes (Qian and Afsahi 2008, section 5.1.2). Its number of ports k is the
 * number of nodes to which a node sends in a step. Each step multiplies the number of blocks that a node has by k + 1.
 * Before step <i>j</i> a node has the blocks of (k+1)<sup>j</sup> nodes: its own and those of the nodes after it. In
 * step <i>j</i> it sends these blocks to the k nodes at distances −z·(k+1)<sup>j</sup>, z from 1 to k. The last step
 * sends only the blocks that the receivers lack. There are ⌈log<sub>k+1</sub> n⌉ steps, and b·p·(n − 1) bytes leave
 * each of n nodes with p ranks and b bytes a rank.
 *
 * <p>This is the paper's SMP-aware Bruck (section 5.2.2). In the memory of a node, the node's own blocks come first,
 * and the others follow in the order in which they arrive. The blocks are not rotated afterwards, because each rank
 * copies them directly to their positions in its result. In the paper, ranks copy out the blocks of their own node
 * while other blocks are in transit. Here, ranks copy out every block as soon as it has arrived.
 */
public final class BruckAllgather extends RelayedAllgather implements Ported {
    private static final Description DESCRIPTION =
            new Description("bruck", Order.ALWAYS, "1, ⌈log n⌉ to the base k+1 between nodes", "b·p·n", "b·p·(n − 1)",
                    "p·n·b at masters, b at others", "Qian, Afsahi 2008, sections 5.1.2 and 5.2.2");

    private static final RingAllgather RING = new RingAllgather();
    private static final BruckAllgather ONE_PORT = new BruckAllgather();

    private final int ports;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public BruckAllgather() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public BruckAllgather(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private BruckAllgather(int ports, Description description) {
        super(description);
        this.ports = ports;
    }

    @Override
    public Algorithm withPorts(int count) {
        return new BruckAllgather(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (shape.nodes() <= 2 && shape.isEven()) {
            return RING;
        }
        for (int fewer = 1; fewer < ports; fewer++) {
            BruckAllgather other = fewer == 1 ? ONE_PORT : new BruckAllgather(fewer);
            if (isLike(other, shape.nodes())) {
                return other;
            }
        }
        return this;
    }

    /** Returns whether another variant sends the same messages in the same order. */
    private boolean isLike(BruckAllgather other, int nodes) {
        int flows = flows(nodes);
        return flows == other.flows(nodes) && IntStream.range(0, flows)
                .allMatch(flow -> firstSlot(flow, nodes) == other.firstSlot(flow, nodes)
                        && slots(flow, nodes) == other.slots(flow, nodes));
    }

    /**
     * Returns the number of slots, each with the blocks of one node, that a node has before the step in which a flow is
     * used.
     */
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

    @Override
    long slotsBytes(Team team, int ofNode, int slots, long bytes) {
        return team.ranksOn(ofNode, slots) * bytes;
    }

    @Override
    long pieceBytes(Team team, long bytes, long message) {
        return team.messagePieceBytes(bytes, message);
    }
}
