/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.collective.Area;
import org.tutti.collective.Cost;
import org.tutti.collective.Leaders;
import org.tutti.collective.Team;

/**
 * Allgather by several {@linkplain Leaders leaders} of each node: the blocks of a node lie together in its master's
 * window, as {@link GatheredAllgather} says, and leader j sends the j-th part of them to the j-th leader of each other
 * node, all at once, as in {@link DirectAllgather} (Qian and Afsahi 2008, section 5.1.2). At step i that is the one at
 * distance i, wrapping around.
 *
 * <pre>
 *  3 nodes of 2 ranks, 2 leaders, blocks A B | C D | E F:     0 –A→ 2, 4    2 –C→ 4, 0    4 –E→ 0, 2
 *                                                             1 –B→ 3, 5    3 –D→ 5, 1    5 –F→ 1, 3
 * </pre>
 *
 * <p>Parts are cut by bytes, not by blocks, so all are equally long. They land where they belong, or if they are short
 * in the landing place of a pair, of which every two nodes have one for each leader. A leader waits for one message of
 * each counterpart, which waits for nothing to send it but an invitation, given before.
 */
public final class MultiLeaderAllgather extends GatheredAllgather {
    /**
     * @param leaders how many ranks of a node exchange with other nodes, 2 to 4
     */
    public MultiLeaderAllgather(int leaders) {
        super(new Description("multi-leader", Order.ALWAYS, "3, n > 1: 4", "b·p·n, b more", "b·p·(n − 1)",
                "p·n·b at masters", "Tutti, after Qian, Afsahi 2008, section 5.1.2").withLeaders(leaders));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        int others = nodes - 1;
        return new Cost(waits(localRanks), copiedBytes(nodes, localRanks, bytes), 0, Math.min(1, others),
                (double) others * localRanks * bytes).withFurtherPuts(Math.max(0, others - 1));
    }

    private static long start(Team team, int node, long bytes, int leader) {
        return Leaders.start(team, 1, team.ranksOn(node) * bytes, leader);
    }

    private static long length(Team team, int node, long bytes) {
        return start(team, node, bytes, team.localRank() + 1) - start(team, node, bytes, team.localRank());
    }

    /** Where this leader's part of the blocks of a node begins in the window. */
    private long part(Team team, int node, long bytes) {
        return at(team, node, bytes) + start(team, node, bytes, team.localRank());
    }

    private static int node(Team team, int distance) {
        return Math.floorMod(team.node() + distance, team.nodes());
    }

    @Override
    void open(Team team, Area window, long bytes) {
        for (int distance = 1; distance < team.nodes(); distance++) {
            int sender = node(team, -distance);
            openInflow(team, sender, window, part(team, sender, bytes), length(team, sender, bytes));
        }
    }

    @Override
    void exchange(Team team, Area window, long bytes) {
        int own = team.node();
        for (int distance = 1; distance < team.nodes(); distance++) {
            send(team, node(team, distance), window, part(team, own, bytes), length(team, own, bytes));
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            int sender = node(team, -distance);
            arrive(team, sender, window, part(team, sender, bytes), length(team, sender, bytes));
        }
    }
}
