/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.collective.Area;
import org.tutti.collective.Cost;
import org.tutti.collective.Inflow;
import org.tutti.collective.Outflow;
import org.tutti.collective.Team;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.Tree;

/**
 * Portals' allgather (Schutt and Brightwell 2007): a gather and a broadcast on one tree, that of recursive halving, in
 * which subtrees are consecutive nodes. Each node sends its parent the blocks of its subtree, and gets from it all
 * others, in two parts: those before the subtree's, and those behind. 2·⌊log₂ n⌋ steps and 2·(n − 1) messages, where
 * others have ⌈log₂ n⌉ steps or n·(n − 1) messages. As the paper says, it does not scale to long blocks: the root sends
 * nearly everything to each of its children.
 *
 * <p>{@link GatheredAllgather} says where blocks lie. A master waits for its children, and then for its parent, which
 * waits for its children first.
 */
public final class HalvingAllgather extends GatheredAllgather {
    private static final Tree TREE = HalvingTree.INSTANCE;
    private static final int TOP = 0;

    /** The only object that is needed. */
    public HalvingAllgather() {
        super(new Description("halving", Order.ALWAYS, "3, n > 1: 3 + 2·⌊log₂ n⌋", "b·p·n, b·p·n more at masters",
                "b·p·n·⌈log₂ n⌉ at rank 0's node", "p·n·b at masters", "Portals collectives 2007"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        double others = (nodes - 1.0) * localRanks * bytes;
        int children = TREE.children(TOP, nodes);
        double down = (double) children * nodes * localRanks * bytes - others; // each lacks all but its subtree's
        int steps = 2 * (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(nodes));
        return new Cost(waits(localRanks), copiedBytes(nodes, localRanks, bytes), 0, steps, others + down)
                .withFurtherPuts(Math.max(0, 2 * children - steps));
    }

    private static int end(Team team, int node) {
        return TREE.end(node, team.nodes());
    }

    private static long position(Team team, int node, long bytes) {
        return team.position(node) * bytes;
    }

    private static long subtreeBytes(Team team, int node, long bytes) {
        return position(team, end(team, node), bytes) - position(team, node, bytes);
    }

    /** In how many parts a subtree gets what it has not. */
    private static int parts(Team team, int node) {
        return end(team, node) == team.nodes() ? 1 : 2;
    }

    @Override
    void open(Team team, Area window, long bytes) {
        for (int index = 0; index < TREE.children(team.node(), team.nodes()); index++) {
            int child = TREE.child(team.node(), index, team.nodes());
            openInflow(team, child, window, position(team, child, bytes), subtreeBytes(team, child, bytes));
        }
        if (team.node() != TOP) {
            int parent = TREE.parent(team.node(), team.nodes());
            openInflow(team, parent, window, 0, team.size() * bytes);
            team.inflow(team.pair(parent)).inParts(parts(team, team.node()));
        }
    }

    @Override
    void exchange(Team team, Area window, long bytes) {
        gather(team, window, bytes);
        if (team.node() != TOP) {
            takeOthers(team, window, bytes);
        }
        for (int index = TREE.children(team.node(), team.nodes()) - 1; index >= 0; index--) { // the deepest first
            sendOthers(team, window, TREE.child(team.node(), index, team.nodes()), bytes);
        }
    }

    private static void gather(Team team, Area window, long bytes) {
        for (int index = 0; index < TREE.children(team.node(), team.nodes()); index++) {
            int child = TREE.child(team.node(), index, team.nodes());
            arrive(team, child, window, position(team, child, bytes), subtreeBytes(team, child, bytes));
        }
        if (team.node() != TOP) {
            send(team, TREE.parent(team.node(), team.nodes()), window, position(team, team.node(), bytes),
                    subtreeBytes(team, team.node(), bytes));
        }
    }

    private static void sendOthers(Team team, Area window, int child, long bytes) {
        Outflow out = team.outflow(team.pair(child));
        out.openPair(child, team.size() * bytes, 1);
        out.inParts(parts(team, child));
        out.send(window, 0, position(team, child, bytes));
        if (parts(team, child) > 1) {
            long behind = position(team, end(team, child), bytes);
            out.send(window, behind, behind, team.size() * bytes - behind);
        }
    }

    private static void takeOthers(Team team, Area window, long bytes) {
        Inflow in = team.inflow(team.pair(TREE.parent(team.node(), team.nodes())));
        boolean isInPlace = team.exceedsPair(team.size() * bytes);
        Area arrived = in.await();
        if (!isInPlace) {
            team.copy(arrived, 0, window, 0, position(team, team.node(), bytes));
        }
        if (parts(team, team.node()) > 1) {
            long behind = position(team, end(team, team.node()), bytes);
            arrived = in.await();
            if (!isInPlace) {
                team.copy(arrived, behind, window, behind, team.size() * bytes - behind);
            }
        }
    }
}
