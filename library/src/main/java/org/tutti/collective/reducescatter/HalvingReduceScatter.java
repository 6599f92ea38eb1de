/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.ExchangeRoute;

/**
 * Between nodes recursive halving, with vector halving and distance doubling (Rabenseifner 2004, section 4; Thakur,
 * Rabenseifner and Gropp 2005, section 4.4), for any number of ports k: in step j each group of k + 1 nodes,
 * (k+1)<sup>j</sup> apart, exchanges rows. Nodes' numbers are written to base k + 1: a master keeps the rows of those
 * nodes whose last j + 1 digits are its own, sends each other one of the group those whose digits are that one's, and
 * combines what comes with what it keeps. ⌈log<sub>k+1</sub> n⌉ steps, and b·p·(n − 1) bytes leave a node if n is a
 * power of k + 1.
 *
 * <pre>
 *  4 nodes, 1 port, rows 0 2 1 3:   0 ↔ 1   2 ↔ 3     0 and 2 keep 0 2, 1 and 3 keep 1 3
 *                                   0 ↔ 2   1 ↔ 3     each keeps its own
 * </pre>
 *
 * <p>Rows lie in the order of their nodes' digits, the last digit first: then those lie together that have their last
 * digits in common, and each message is one put.
 *
 * <p><b>Corrections.</b> If n is no power of k + 1, nobody folds, and there are no more steps: who lacks a counterpart
 * sends to the one in the group before, as {@link ExchangeRoute} says.
 *
 * <p><b>Order.</b> A row has been combined of nodes that follow each other. What comes in a step is combined on the
 * right or the left by {@link ExchangeRoute#arrival turns} in which it is of the nodes next to those. So operators that
 * do not commute need ranks in blocks.
 *
 * <p><b>Why it ends.</b> A master invites all senders before it waits for anything. So in step j it waits for messages
 * of that step only, for which their senders wait for earlier ones only.
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

    /** With which block a message of that step begins. */
    private int start(Team team, int receiver, int step) {
        return position(team, route.firstDestination(receiver, team.nodes(), step));
    }

    /** How many blocks it has, whoever sends it. */
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
