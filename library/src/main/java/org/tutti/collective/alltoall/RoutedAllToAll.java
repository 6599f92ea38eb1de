/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Route;

/**
 * An all-to-all in which masters, the first ranks of their nodes, forward blocks along a {@link Route}, a plan of hops
 * from node to node. There are therefore fewer messages than one for every two nodes. A subclass chooses the route.
 *
 * <p>In a node every rank copies its blocks for the other ranks to its window, and these ranks copy them from there.
 * The master's window also holds each message that leaves the node. Every rank copies its blocks for other nodes
 * directly into these messages, so the master need not gather them. A message consists of rows. Each row has the blocks
 * for the ranks of one node, sorted by their source. The first row is for the receiving node. The ranks there copy
 * their blocks from the memory in which the message has arrived. The receiving master copies every other row into a
 * message that leaves later. A row needs only one copy, because its sources are consecutive.
 *
 * <p>A message is the only piece that is sent over the {@linkplain Team#pair pair} of its two nodes in that direction.
 * If it fits into the pair's eager buffer, it arrives there, otherwise in a part of the receiving master's window that
 * is reserved for it.
 *
 * <p><b>Why nothing is overwritten.</b> Each message has memory of its own at its sender and at its receiver, until all
 * ranks of the node have left the operation. A rank writes to its master's window after the master has shown it. The
 * master sends after all ranks have posted GATHERED, when they have written there. Before it sends the messages of step
 * j + 1, it has copied into them the rows that arrived until step j.
 *
 * <p><b>Why it ends.</b> A master invites all senders before it waits for anything. It waits for the ranks of its node,
 * which wait only for each other. In step j it waits only for messages of that step, and their senders wait only for
 * messages of earlier steps.
 */
abstract class RoutedAllToAll extends EqualBlocksAlgorithm {
    private static final long GATHERED = 2;

    final Route route;

    /**
     * Creates the algorithm.
     *
     * @param route the route of the blocks from node to node
     * @param description the algorithm's entry in the catalogue
     */
    RoutedAllToAll(Route route, Description description) {
        super(Collective.ALL_TO_ALL, description);
        this.route = route;
    }

    // ---- memory

    @Override
    protected final long blocksOnNode(int nodes, int ranks, int localRanks) {
        return blocksOnNode(nodes, localRanks, (long) localRanks * localRanks);
    }

    @Override
    public final long memoryBytes(Topology topology, int node, long bytes) {
        long most = 0;
        for (int each = 0; each < topology.nodes(); each++) {
            most = Math.max(most, topology.ranksOn(each));
        }
        return blocksOnNode(topology.nodes(), topology.ranksOn(node), most * most) * bytes;
    }

    private long blocksOnNode(int nodes, long localRanks, long item) {
        return localRanks * localRanks + passing(nodes) * item;
    }

    @Override
    protected final long blockBytesMax(Team team) {
        long most = team.ranksMax();
        return team.windowBytesMax() / (most + passing(team.nodes()) * most * most);
    }

    /**
     * Returns the greatest number of items that leave a node and arrive at it in an operation. An item consists of all
     * blocks of one node for another node.
     */
    private long passing(int nodes) {
        return nodes == 1 ? 0
                : departures(nodes, route.steps(nodes), 1) + arrivals(nodes, route.steps(nodes), 1);
    }

    /**
     * Returns the greatest number of items, blocks of one node for another, that a node sends before it sends the
     * message of a port in a step.
     */
    private long departures(int nodes, int step, int port) {
        return before(nodes, route.ports(nodes), step, port);
    }

    /**
     * Returns the greatest number of items, blocks of one node for another, that arrive at a node before a given
     * message of a step.
     */
    private long arrivals(int nodes, int step, int arrival) {
        return before(nodes, route.arrivals(nodes), step, arrival);
    }

    private long before(int nodes, int inStep, int step, int index) {
        long before = 0;
        for (int each = 0; each <= step; each++) {
            for (int i = 1; i <= inStep && (each < step || i < index); i++) {
                before += route.blocksMax(nodes, each, i);
            }
        }
        return before;
    }

    // ---- positions in windows

    /**
     * Returns the number of bytes that a window reserves for an item, all blocks of one node for another. It is the
     * same for all nodes.
     */
    private static long itemBytes(Team team, long bytes) {
        return (long) team.ranksMax() * team.ranksMax() * bytes;
    }

    private static long localBytes(Team team, long bytes) {
        return team.localSize() * bytes;
    }

    private boolean invitesAny(Team team, long bytes) {
        long longest = 0;
        for (int arrival = 1; arrival <= route.arrivals(team.nodes()); arrival++) {
            for (int step = 0; step < route.steps(team.nodes()); step++) {
                longest = Math.max(longest, route.blocksMax(team.nodes(), step, arrival));
            }
        }
        return team.exceedsPair(longest * itemBytes(team, bytes));
    }

    /**
     * Returns the length of a rank's window in bytes. A master's window also holds the messages that leave the node,
     * and the messages for which it invites their senders.
     */
    private long shownBytes(Team team, int localRank, long bytes) {
        if (localRank != Team.MASTER || team.nodes() == 1) {
            return localBytes(team, bytes);
        }
        int nodes = team.nodes();
        long items = invitesAny(team, bytes) ? passing(nodes) : departures(nodes, route.steps(nodes), 1);
        return localBytes(team, bytes) + items * itemBytes(team, bytes);
    }

    /** Returns the number of ranks on {@code count} consecutive nodes. Node 0 follows the last node. */
    private static long ranksOn(Team team, int first, int count) {
        int end = first + count;
        return end <= team.nodes() ? team.position(end) - team.position(first)
                : team.size() - team.position(first) + team.position(end - team.nodes());
    }

    /** Returns the length in bytes of the row that node {@code holder} has for a destination in a step. */
    private long rowBytes(Team team, int holder, int destination, int step, long bytes) {
        int first = route.firstSource(holder, destination, team.nodes(), step);
        return ranksOn(team, first, route.sources(holder, destination, team.nodes(), step))
                * team.ranksOn(destination) * bytes;
    }

    /**
     * Returns the offset of the blocks of a source in the row that node {@code holder} has for a destination in a step.
     */
    private long inRow(Team team, int holder, int destination, int step, int source, long bytes) {
        int first = route.firstSource(holder, destination, team.nodes(), step);
        return ranksOn(team, first, Math.floorMod(source - first, team.nodes())) * team.ranksOn(destination) * bytes;
    }

    /** Returns the length in bytes of the rows before a row in a message, which is the offset of that row. */
    private long rowsBytes(Team team, int sender, int receiver, int step, int row, long bytes) {
        long length = 0;
        for (int each = 0; each < row; each++) {
            length += rowBytes(team, sender, route.destination(receiver, team.nodes(), step, each), step, bytes);
        }
        return length;
    }

    private long messageBytes(Team team, int sender, int receiver, int step, long bytes) {
        return rowsBytes(team, sender, receiver, step, route.rows(sender, receiver, team.nodes(), step), bytes);
    }

    // ---- the operation

    @Override
    public final void run(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(shownBytes(team, team.localRank(), bytes));
        for (int localRank = 0; localRank < team.localSize(); localRank++) {
            if (localRank != team.localRank()) {
                team.copy(call.source(), call.block(team.rankAt(team.node(), localRank)), own, localRank * bytes,
                        bytes);
            }
        }
        if (team.isMaster()) {
            openInflows(team, own, bytes);
        }
        team.post(Team.READY, SHOWN);
        if (team.nodes() > 1) {
            gather(team, call, own);
        }
        if (!call.isInPlace()) {
            team.copy(call.source(), call.block(team.rank()), call.target(), call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int localRank = (team.localRank() + distance) % team.localSize();
            team.await(localRank, Team.READY, SHOWN);
            team.copy(team.shown(localRank, shownBytes(team, localRank, bytes)), team.localRank() * bytes,
                    call.target(), call.block(team.rankAt(team.node(), localRank)), bytes);
        }
        for (int step = 0; step < route.steps(team.nodes()); step++) {
            if (team.isMaster()) {
                passOn(team, own, step, bytes);
                send(team, own, step + 1, bytes);
            }
            take(team, call, step);
        }
        team.noteAllAreHere(); // this rank has a block of every rank
    }

    private void openInflows(Team team, Area window, long bytes) {
        int nodes = team.nodes();
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int arrival = 1; arrival <= route.arrivals(nodes); arrival++) {
                int sender = route.sender(team.node(), nodes, step, arrival);
                if (sender >= 0) {
                    long items = departures(nodes, route.steps(nodes), 1) + arrivals(nodes, step, arrival);
                    team.inflow(team.pair(sender)).openPair(sender,
                            messageBytes(team, sender, team.node(), step, bytes), 1, window,
                            localBytes(team, bytes) + items * itemBytes(team, bytes));
                }
            }
        }
    }

    /**
     * Copies this rank's blocks for other nodes into the messages of this node, in the master's window. The master then
     * sends the messages of the first step.
     */
    private void gather(Team team, Call call, Area own) {
        Area window = own;
        if (!team.isMaster()) {
            team.await(Team.MASTER, Team.READY, SHOWN);
            window = team.shown(Team.MASTER, shownBytes(team, Team.MASTER, call.bytes()));
            openInflows(team, window, call.bytes());
        }
        int nodes = team.nodes();
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int port = 1; port <= route.ports(nodes); port++) {
                int receiver = route.receiver(team.node(), nodes, step, port);
                if (receiver >= 0) {
                    gather(team, call, window, step, port, receiver);
                }
            }
        }
        team.post(Team.READY, GATHERED);
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, GATHERED);
            send(team, own, 0, call.bytes());
        }
    }

    private void gather(Team team, Call call, Area window, int step, int port, int receiver) {
        long bytes = call.bytes();
        long row = messageAt(team, step, port, bytes);
        for (int index = 0; index < route.rows(team.node(), receiver, team.nodes(), step); index++) {
            int destination = route.destination(receiver, team.nodes(), step, index);
            long at = row + inRow(team, team.node(), destination, step, team.node(), bytes)
                    + team.localRank() * team.ranksOn(destination) * bytes;
            for (int localRank = 0; localRank < team.ranksOn(destination); localRank++) {
                team.copy(call.source(), call.block(team.rankAt(destination, localRank)), window,
                        at + localRank * bytes, bytes);
            }
            row += rowBytes(team, team.node(), destination, step, bytes);
        }
    }

    /** Returns the offset of a message in its sender's window. */
    private long messageAt(Team team, int step, int port, long bytes) {
        return localBytes(team, bytes) + departures(team.nodes(), step, port) * itemBytes(team, bytes);
    }

    private void send(Team team, Area own, int step, long bytes) {
        for (int port = 1; step < route.steps(team.nodes()) && port <= route.ports(team.nodes()); port++) {
            int receiver = route.receiver(team.node(), team.nodes(), step, port);
            if (receiver >= 0) {
                long length = messageBytes(team, team.node(), receiver, step, bytes);
                Outflow out = team.outflow(team.pair(receiver));
                out.openPair(receiver, length, 1);
                out.send(own, messageAt(team, step, port, bytes), length);
            }
        }
    }

    /**
     * Copies the rows that have arrived in a step into the messages that leave this node later. The first row of each
     * message is for this node and is not copied.
     */
    private void passOn(Team team, Area own, int step, long bytes) {
        int nodes = team.nodes();
        for (int arrival = 1; arrival <= route.arrivals(nodes); arrival++) {
            int sender = route.sender(team.node(), nodes, step, arrival);
            if (sender >= 0) {
                Area message = arrived(team, sender);
                long at = rowBytes(team, sender, team.node(), step, bytes);
                for (int row = 1; row < route.rows(sender, team.node(), nodes, step); row++) {
                    int destination = route.destination(team.node(), nodes, step, row);
                    long length = rowBytes(team, sender, destination, step, bytes);
                    team.copy(message, at, own, onwardAt(team, sender, destination, step, bytes), length);
                    at += length;
                }
            }
        }
    }

    /**
     * Returns the offset in this master's window to which a row that has arrived from a sender is copied. It lies in
     * the message that carries the row on.
     */
    private long onwardAt(Team team, int sender, int destination, int step, long bytes) {
        int nodes = team.nodes();
        int node = team.node();
        int next = route.stepTowards(node, destination, nodes);
        int port = route.portTowards(node, destination, nodes, next);
        int receiver = route.receiver(node, nodes, next, port);
        int row = 0;
        while (route.destination(receiver, nodes, next, row) != destination) {
            row++;
        }
        return messageAt(team, next, port, bytes) + rowsBytes(team, node, receiver, next, row, bytes)
                + inRow(team, node, destination, next, route.firstSource(sender, destination, nodes, step), bytes);
    }

    private static Area arrived(Team team, int sender) {
        Inflow in = team.inflow(team.pair(sender));
        return in.await(1);
    }

    /** Copies this rank's blocks from the first rows of the messages of a step to the target. */
    private void take(Team team, Call call, int step) {
        int nodes = team.nodes();
        long bytes = call.bytes();
        for (int arrival = 1; arrival <= route.arrivals(nodes); arrival++) {
            int sender = route.sender(team.node(), nodes, step, arrival);
            if (sender >= 0) {
                Area message = arrived(team, sender);
                long at = team.localRank() * bytes;
                int first = route.firstSource(sender, team.node(), nodes, step);
                for (int i = 0; i < route.sources(sender, team.node(), nodes, step); i++) {
                    int source = (first + i) % nodes;
                    for (int localRank = 0; localRank < team.ranksOn(source); localRank++) {
                        team.copy(message, at, call.target(), call.block(team.rankAt(source, localRank)), bytes);
                        at += localBytes(team, bytes);
                    }
                }
            }
        }
    }
}
