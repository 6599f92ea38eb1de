/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.ExchangeRoute;

/**
 * Reduce-scatter with recursive halving between nodes, which is vector halving and distance doubling (Rabenseifner
 * 2004, section 4; Thakur, Rabenseifner and Gropp 2005, section 4.4), for any number of ports k. A row has the blocks
 * for the ranks of one node. In step j each group of k + 1 nodes, (k+1)<sup>j</sup> apart, exchanges rows. Numbers of
 * nodes are written to base k + 1: a master keeps the rows of the nodes that share its last j + 1 digits, sends each
 * other node of its group the rows of the nodes that share the digits of that one, and combines the rows that arrive
 * with the rows that it keeps. ⌈log<sub>k+1</sub> n⌉ steps; b·p·(n − 1) bytes leave a node if n is a power of k + 1.
 *
 * <pre>
 *  4 nodes, 1 port, rows 0 2 1 3:   0 ↔ 1   2 ↔ 3     0 and 2 keep 0 2, 1 and 3 keep 1 3
 *                                   0 ↔ 2   1 ↔ 3     each keeps its own
 * </pre>
 *
 * <p>Rows lie in the order of their nodes' digits, the last digit first. Rows of nodes that share their last digits lie
 * together, so each message is one put.
 *
 * <p><b>Corrections.</b> If n is not a power of k + 1, no node is folded, and there are no more steps: a node that
 * lacks a counterpart sends to the node at the counterpart's position in the group before, as {@link ExchangeRoute}
 * says.
 *
 * <p><b>Order.</b> A row is a combination of consecutive nodes. The messages of a step are taken in {@link
 * ExchangeRoute#arrival turns}: each is a combination of the nodes right after these, or right before, and is combined
 * on that side. Therefore non-commutative operators need ranks in blocks.
 *
 * <p><b>Why it ends.</b> A master invites all senders before it waits for anything. In step j it waits only for
 * messages of that step, and their senders wait only for messages of earlier steps.
 */
public final class HalvingReduceScatter extends MasterReduceScatter {
    private final ExchangeRoute route;

    /**
     * @param ports the number of nodes to which a node sends in a step, 1 or more
     */
    public HalvingReduceScatter(int ports) {
        super(new Description("halving", Order.BLOCKS, "1, n > 1: 3 + ⌈log n⌉ to base k + 1",
                "b·p·n·(2 − 1/p) + b·p·(n − 1)", "b·p·(n − 1), off powers of k + 1 up to twice that",
                "p·n·b a rank, 1 to 2·b·p·(n − 1) more at masters",
                "Rabenseifner 2004, section 4; Thakur, Rabenseifner, Gropp 2005, section 4.4").withPorts(ports));
        this.route = new ExchangeRoute(ports);
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

    /** Returns the first block of a message of a step. */
    private int start(Team team, int receiver, int step) {
        return position(team, route.firstDestination(receiver, team.nodes(), step));
    }

    /** Counts the blocks of such a message, which are the same for every sender. */
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
