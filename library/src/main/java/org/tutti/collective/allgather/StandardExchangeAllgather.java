/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.ExchangeRoute;

/**
 * An allgather by Standard Exchange between nodes (Qian and Afsahi 2008, section 5.1.2). Its number of ports k is the
 * number of nodes from which a node receives in a step. In each step the nodes of each group of k + 1 exchange all
 * blocks that they have, so each node then has k + 1 times as many blocks. On n nodes there are ⌈log<sub>k+1</sub> n⌉
 * steps. If n is a power of k + 1, the blocks of n − 1 nodes leave a node.
 *
 * <p>The algorithm follows the {@linkplain ExchangeRoute route} of Standard Exchange backwards, from the last step to
 * the first. On the route, blocks from all nodes come to one node. Backwards over the same messages, the blocks of one
 * node come to all nodes. Nodes are numbered to base k + 1. Before the step that is step j of the route, a node has the
 * blocks of all nodes that share its last j + 1 digits. It sends these blocks to the nodes from which the node would
 * receive on the route, and receives the blocks of the other nodes of its group. The nodes of a group are far apart in
 * the first step, and neighbours in the last. The paper uses the opposite order, with the same number of messages and
 * bytes. In a window, blocks are sorted by the digits of their nodes, so the blocks of a message are adjacent.
 *
 * <p><b>Corrections.</b> If n is not a power of k + 1, the number of steps does not grow. The last group of a step may
 * then lack a node, and the node at the same position in the group before sends instead of that node. A node therefore
 * sends up to k more messages in a step. No node receives more than k messages.
 *
 * <p>{@link GatheredAllgather} describes the positions of the blocks.
 *
 * <p><b>Why it ends.</b> In a step a master waits only for messages of that step, and their senders wait only for
 * messages of earlier steps.
 */
public final class StandardExchangeAllgather extends GatheredAllgather implements Ported {
    private static final Description DESCRIPTION =
            new Description("standard-exchange", Order.ALWAYS, "3, n > 1: 3 + ⌈log n⌉ to base k + 1",
                    "b·p·n, b·p·n more at masters", "b·p·(n − 1), off powers of k + 1 up to twice that",
                    "p·n·b at masters", "Qian, Afsahi 2008, section 5.1.2");

    private static final StandardExchangeAllgather ONE_PORT = new StandardExchangeAllgather();

    private final ExchangeRoute route;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public StandardExchangeAllgather() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports the number of nodes from which a node receives in a step, 1 or more
     */
    public StandardExchangeAllgather(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private StandardExchangeAllgather(int ports, Description description) {
        super(description);
        this.route = new ExchangeRoute(ports);
    }

    @Override
    public Algorithm withPorts(int count) {
        return new StandardExchangeAllgather(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return Ported.used(this, route.portsMax(), ONE_PORT, shape.nodes());
    }

    @Override
    int next(int node, int nodes) {
        return route.nextDestination(node, nodes);
    }

    /** Returns the offset in the window of the blocks that a node has before a step. */
    private long at(Team team, int node, int step, long bytes) {
        return at(team, route.firstDestination(node, team.nodes(), step), bytes);
    }

    private long length(Team team, int node, int step, long bytes) {
        int nodes = team.nodes();
        long ranks = 0;
        int each = route.firstDestination(node, nodes, step);
        for (int row = route.rows(node, node, nodes, step); row > 0; row--) {
            ranks += team.ranksOn(each);
            each = next(each, nodes);
        }
        return ranks * bytes;
    }

    @Override
    void open(Team team, Area window, long bytes) {
        int nodes = team.nodes();
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int port = 1; port <= route.ports(nodes); port++) {
                int sender = route.receiver(team.node(), nodes, step, port);
                if (sender >= 0) {
                    openInflow(team, sender, window, at(team, sender, step, bytes), length(team, sender, step, bytes));
                }
            }
        }
    }

    @Override
    void exchange(Team team, Area window, long bytes) {
        int nodes = team.nodes();
        for (int step = route.steps(nodes) - 1; step >= 0; step--) {
            for (int arrival = 1; arrival <= route.arrivals(nodes); arrival++) {
                int receiver = route.sender(team.node(), nodes, step, arrival);
                if (receiver >= 0) {
                    send(team, receiver, window, at(team, team.node(), step, bytes),
                            length(team, team.node(), step, bytes));
                }
            }
            for (int port = 1; port <= route.ports(nodes); port++) {
                int sender = route.receiver(team.node(), nodes, step, port);
                if (sender >= 0) {
                    arrive(team, sender, window, at(team, sender, step, bytes), length(team, sender, step, bytes));
                }
            }
        }
    }
}
