/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.ExchangeRoute;

/**
 * A reduce-scatter that uses recursive halving between nodes, which is vector halving and distance doubling
 * (Rabenseifner 2004, section 4; Thakur, Rabenseifner and Gropp 2005, section 4.4). Its number of ports k is the number
 * of nodes to which a node sends in a step. A row has the blocks for the ranks of one node. Nodes are numbered to base
 * k + 1. In step j the k + 1 nodes of a group are (k+1)<sup>j</sup> apart and exchange rows. A master, the first rank
 * of its node, keeps the rows of the nodes that share its node's last j + 1 digits. It sends each other node of its
 * group the rows of the nodes that share the last j + 1 digits of that node. It combines the rows that arrive with the
 * rows that it keeps. On n nodes there are ⌈log<sub>k+1</sub> n⌉ steps. If n is a power of k + 1, b·p·(n − 1) bytes
 * leave a node with p ranks and b bytes a block.
 *
 * <pre>
 *  4 nodes, 1 port, rows 0 2 1 3:   0 ↔ 1   2 ↔ 3     0 and 2 keep 0 2, 1 and 3 keep 1 3
 *                                   0 ↔ 2   1 ↔ 3     each keeps its own
 * </pre>
 *
 * <p>In a window, rows are sorted by the digits of their nodes, the last digit first. Rows of nodes that share their
 * last digits are adjacent, so each message is one put.
 *
 * <p><b>Corrections.</b> If n is not a power of k + 1, no node is folded, and the number of steps does not grow. A node
 * that lacks a counterpart sends to the node at the counterpart's position in the group before, as {@link
 * ExchangeRoute} describes.
 *
 * <p><b>Order.</b> A row is a combination of consecutive nodes. A master takes the messages of a step in the order of
 * {@link ExchangeRoute#arrival turns}. Each message is a combination of the nodes right after the nodes of the row, or
 * right before them, and is combined as the right or left operand. For non-commutative operators the ranks of each node
 * must therefore be consecutive.
 *
 * <p><b>Why it ends.</b> A master invites all senders before it waits for anything. In step j it waits only for
 * messages of that step, and their senders wait only for messages of earlier steps.
 */
public final class HalvingReduceScatter extends MasterReduceScatter implements Ported {
    private static final Description DESCRIPTION =
            new Description("halving", Order.BLOCKS, "1, n > 1: 3 + ⌈log n⌉ to base k + 1",
                    "b·p·n·(2 − 1/p) + b·p·(n − 1)", "b·p·(n − 1), off powers of k + 1 up to twice that",
                    "p·n·b a rank, 1 to 2·b·p·(n − 1) more at masters",
                    "Rabenseifner 2004, section 4; Thakur, Rabenseifner, Gropp 2005, section 4.4");

    private static final HalvingReduceScatter ONE_PORT = new HalvingReduceScatter();
    private static final DirectReduceScatter DIRECT = new DirectReduceScatter();

    private final ExchangeRoute route;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public HalvingReduceScatter() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public HalvingReduceScatter(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private HalvingReduceScatter(int ports, Description description) {
        super(description);
        this.route = new ExchangeRoute(ports);
    }

    @Override
    public Algorithm withPorts(int count) {
        return new HalvingReduceScatter(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() ? DIRECT : Ported.used(this, route.portsMax(), ONE_PORT, shape.nodes());
    }

    @Override
    int rowsMax(int nodes) {
        return route.rowsArrivingMax(nodes);
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return blocksOnNode(nodes, ranks, localRanks, localRanks);
    }

    @Override
    public long memoryBytes(Topology topology, int node, long bytes) {
        int most = 0;
        for (int each = 0; each < topology.nodes(); each++) {
            most = Math.max(most, topology.ranksOn(each));
        }
        return blocksOnNode(topology.nodes(), topology.size(), topology.ranksOn(node), most) * bytes;
    }

    private long blocksOnNode(int nodes, long ranks, int localRanks, int ranksMax) {
        return ranks * localRanks + (long) rowsMax(nodes) * ranksMax;
    }

    @Override
    long arrivalBytes(Team team, long bytes) {
        return team.exceedsPair(blocks(team, team.node(), 0) * bytes) // later messages are shorter
                ? (long) rowsMax(team.nodes()) * team.ranksMax() * bytes : 0;
    }

    // ---- where rows lie

    @Override
    int next(int node, int nodes) {
        return route.nextDestination(node, nodes);
    }

    @Override
    int position(Team team, int node) {
        int blocks = 0;
        for (int each = 0; each != node; each = next(each, team.nodes())) {
            blocks += team.ranksOn(each);
        }
        return blocks;
    }

    /** Returns the index in a window of the first block of a message of a step. */
    private int start(Team team, int receiver, int step) {
        return position(team, route.firstDestination(receiver, team.nodes(), step));
    }

    /** Returns the number of blocks of a message of a step, which is the same for every sender. */
    private int blocks(Team team, int receiver, int step) {
        int blocks = 0;
        int node = route.firstDestination(receiver, team.nodes(), step);
        for (int row = route.rows(receiver, receiver, team.nodes(), step); row > 0; row--) {
            blocks += team.ranksOn(node);
            node = next(node, team.nodes());
        }
        return blocks;
    }

    // ---- the operation

    @Override
    void openInflows(Team team, Call call, Area window) {
        int nodes = team.nodes();
        long at = team.size() * call.bytes();
        for (int step = 0; step < route.steps(nodes); step++) {
            int blocks = blocks(team, team.node(), step);
            for (int arrival = 1; arrival <= route.arrivals(nodes); arrival++) {
                int sender = route.sender(team.node(), nodes, step, arrival);
                if (sender >= 0) {
                    openInflow(team, call, sender, blocks, window, at);
                    at += blocks * call.bytes();
                }
            }
        }
    }

    @Override
    void exchangeRows(Team team, Call call, Area window) {
        int nodes = team.nodes();
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int port = 1; port <= route.ports(nodes); port++) {
                int receiver = route.receiver(team.node(), nodes, step, port);
                if (receiver >= 0) {
                    int start = start(team, receiver, step);
                    send(team, call, window, receiver, start, start + blocks(team, receiver, step));
                }
            }
            int start = start(team, team.node(), step);
            int end = start + blocks(team, team.node(), step);
            for (int turn = 1; turn <= route.arrivals(nodes); turn++) {
                int sender = route.sender(team.node(), nodes, step, route.arrival(team.node(), nodes, step, turn));
                if (sender >= 0) {
                    combineArrived(team, call, window, sender, start, end);
                }
            }
        }
    }
}
