/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.ExchangeRoute;

/**
 * Standard Exchange between nodes (Qian and Afsahi 2008, section 5.1.2), for any number of ports k: nodes exchange in
 * groups of k + 1 all that they have, and have k + 1 times as much after each step: ⌈log<sub>k+1</sub> n⌉ steps, and
 * the blocks of n − 1 nodes leave a node where n is a power of k + 1.
 *
 * <p>It is the {@linkplain ExchangeRoute route} of Standard Exchange back: what is combined of all nodes for one there
 * goes from one to all here, over the same messages, the last step first. So before the step that is the route's j-th a
 * node has the blocks of all nodes whose last j + 1 digits to base k + 1 are its own, sends them to those from which
 * they would come, and gets those of the others in its group. The first groups are far apart and the last ones
 * neighbours, other than in the paper, with as many messages and bytes. Blocks lie in the order of digits, so those of
 * a message lie together.
 *
 * <p><b>Corrections.</b> If n is no power of k + 1 there are no more steps: nodes of the last group but one that lack a
 * counterpart send to those that lack them, up to k messages more in a step; none receives more than k.
 *
 * <p>{@link GatheredAllgather} says where blocks lie. In a step a master waits for messages of that step only, for
 * which their senders wait for earlier ones only.
 */
public final class StandardExchangeAllgather extends GatheredAllgather {
    private final ExchangeRoute route;

    /**
     * @param ports from how many nodes a node receives in a step, 1 or more
     */
    public StandardExchangeAllgather(int ports) {
        super(new Description("standard-exchange", Order.ALWAYS, "3, n > 1: 3 + ⌈log n⌉ to base k + 1",
                "b·p·n, b·p·n more at masters", "b·p·(n − 1), off powers of k + 1 up to twice that",
                "p·n·b at masters", "Qian, Afsahi 2008, section 5.1.2").withPorts(ports));
        this.route = new ExchangeRoute(ports);
    }

    @Override
    int next(int node, int nodes) {
        return route.nextDestination(node, nodes);
    }

    /** Where those blocks begin that a node has before a step. */
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
