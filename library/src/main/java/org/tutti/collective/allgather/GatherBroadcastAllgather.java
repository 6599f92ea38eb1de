/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.SubtreeAlgorithm.Shape;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.NomialTree;
import org.tutti.pattern.StarTree;
import org.tutti.pattern.Tree;

/**
 * An allgather that consists of a gather and a broadcast on the same tree of nodes. Each node sends its parent the
 * blocks of its subtree, and then receives all other blocks from its parent. This is the SMP-aware Gather and Broadcast
 * of Qian and Afsahi 2008 (section 5.2.1). Phase 1 is the gather in each node's shared memory. Phase 2 is the gather
 * among the masters, the first ranks of the nodes. It is direct or uses a tree, such as the (k+1)-nomial tree for k
 * ports, the nodes with which a node exchanges data at the same time. Phase 3 is the broadcast to all ranks, which goes
 * down the same tree. The paper uses a broadcast in the network's hardware instead. On the tree of recursive halving
 * the algorithm is Portals' allgather (Schutt and Brightwell 2007).
 *
 * <p>On n nodes there are 2·⌈log<sub>k+1</sub> n⌉ steps on the (k+1)-nomial tree, 2·⌊log₂ n⌋ on the tree of recursive
 * halving, and two if direct. There are 2·(n − 1) messages. Other algorithms take ⌈log n⌉ steps or send n·(n − 1)
 * messages. The root's node receives the blocks of n − 1 nodes, those of (n − 1)/k nodes over each port (equation 1).
 * No block is sent to a node twice. The algorithm suits short blocks, as both papers say, because the root sends nearly
 * all blocks to each of its children.
 *
 * <p>A subtree covers consecutive nodes. A node therefore receives the blocks that its subtree lacks in two parts: the
 * blocks before those of the subtree, and the blocks after them.
 *
 * <p>{@link GatheredAllgather} describes the positions of the blocks.
 *
 * <p><b>Why it ends.</b> A master first waits for its children, which send before they wait for it. Then it waits for
 * its parent. A leaf has no children, and the root has no parent.
 */
public final class GatherBroadcastAllgather extends GatheredAllgather implements Ported {
    /** Portals' allgather, on the tree of recursive halving. */
    public static final GatherBroadcastAllgather HALVING = new GatherBroadcastAllgather(Shape.HALVING, "⌊log₂ n⌋");

    /**
     * The direct variant (section 5.1.1). The masters of all nodes send to the root's node, which sends to all nodes.
     */
    public static final GatherBroadcastAllgather DIRECT = new GatherBroadcastAllgather(
            new Shape("gather-and-broadcast@direct", StarTree.INSTANCE, 1, "Qian, Afsahi 2008, section 5.2.1"), "1");

    private static final int TOP = 0;
    private static final StandardExchangeAllgather EXCHANGE = new StandardExchangeAllgather();
    private static final GatherBroadcastAllgather ONE_PORT = new GatherBroadcastAllgather();

    private final Tree tree;

    /** Creates Gather and Broadcast on the binomial tree; one object serves all ranks. */
    public GatherBroadcastAllgather() {
        this("gather-and-broadcast", 1);
    }

    /**
     * Creates Gather and Broadcast on the (k+1)-nomial tree, with k in its name; one object serves all ranks.
     *
     * @param ports k, the number of children with which a node exchanges data at the same time, 1 or more
     */
    public GatherBroadcastAllgather(int ports) {
        this("gather-and-broadcast@" + ports + "-ports", ports);
    }

    private GatherBroadcastAllgather(String name, int ports) {
        this(new Shape(name, new NomialTree(ports), ports, "Qian, Afsahi 2008, section 5.2.1"),
                "⌈log n⌉ to base k + 1");
    }

    private GatherBroadcastAllgather(Shape shape, String height) {
        super(new Description(shape.name(), Order.ALWAYS, "3, n > 1: 3 + 2·" + height, "b·p·n, b·p·n more at masters",
                "b·p·n for each child of rank 0's node", "p·n·b at masters", shape.source()));
        this.tree = shape.tree();
    }

    @Override
    public Algorithm withPorts(int count) {
        return tree instanceof NomialTree ? new GatherBroadcastAllgather(count) : this;
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (shape.isOnOneNode()) {
            return EXCHANGE;
        }
        int ports = NomialTree.portsOf(tree, shape.nodes(), PORTS_MAX);
        return ports == 0 ? this : ports == 1 ? ONE_PORT : new GatherBroadcastAllgather(ports);
    }

    /**
     * {@return the tree of nodes}
     */
    public Tree tree() {
        return tree;
    }

    private int end(Team team, int node) {
        return tree.end(node, team.nodes());
    }

    private static long position(Team team, int node, long bytes) {
        return team.position(node) * bytes;
    }

    private long subtreeBytes(Team team, int node, long bytes) {
        return position(team, end(team, node), bytes) - position(team, node, bytes);
    }

    /**
     * Returns the number of parts, 1 or 2, in which a node receives the blocks that its subtree lacks, if they are put
     * to their places in its window.
     */
    private int parts(Team team, int node) {
        return end(team, node) == team.nodes() ? 1 : 2;
    }

    /** Returns whether all blocks fit into the eager buffer of a pair. The blocks for a child are then one message. */
    private static boolean areShort(Team team, long bytes) {
        return !team.exceedsPair(team.size() * bytes);
    }

    @Override
    void open(Team team, Area window, long bytes) {
        for (int index = 0; index < tree.children(team.node(), team.nodes()); index++) {
            int child = tree.child(team.node(), index, team.nodes());
            openInflow(team, child, window, position(team, child, bytes), subtreeBytes(team, child, bytes));
        }
        if (team.node() != TOP) {
            int parent = tree.parent(team.node(), team.nodes());
            long others = team.size() * bytes - subtreeBytes(team, team.node(), bytes);
            if (areShort(team, bytes)) {
                team.inflow(team.pair(parent)).openMessage(parent, bytes, others, null, 0);
            } else {
                openInflow(team, parent, window, 0, team.size() * bytes);
                team.inflow(team.pair(parent)).inParts(parts(team, team.node()));
            }
        }
    }

    @Override
    void exchange(Team team, Area window, long bytes) {
        gather(team, window, bytes);
        if (team.node() != TOP) {
            takeOthers(team, window, bytes);
        }
        for (int index = tree.children(team.node(), team.nodes()) - 1; index >= 0; index--) { // deepest subtree first
            sendOthers(team, window, tree.child(team.node(), index, team.nodes()), bytes);
        }
    }

    private void gather(Team team, Area window, long bytes) {
        for (int index = 0; index < tree.children(team.node(), team.nodes()); index++) {
            int child = tree.child(team.node(), index, team.nodes());
            arrive(team, child, window, position(team, child, bytes), subtreeBytes(team, child, bytes));
        }
        if (team.node() != TOP) {
            send(team, tree.parent(team.node(), team.nodes()), window, position(team, team.node(), bytes),
                    subtreeBytes(team, team.node(), bytes));
        }
    }

    private void sendOthers(Team team, Area window, int child, long bytes) {
        long before = position(team, child, bytes);
        long behind = position(team, end(team, child), bytes);
        long all = team.size() * bytes;
        Outflow out = team.outflow(team.pair(child));
        if (areShort(team, bytes)) {
            out.openMessage(child, bytes, all - behind + before);
            out.add(window, 0, before);
            out.add(window, behind, all - behind);
            return;
        }
        out.openPair(child, all, 1);
        out.inParts(parts(team, child));
        out.send(window, 0, before);
        if (parts(team, child) > 1) {
            out.send(window, behind, behind, all - behind);
        }
    }

    private void takeOthers(Team team, Area window, long bytes) {
        long before = position(team, team.node(), bytes);
        long behind = position(team, end(team, team.node()), bytes);
        long after = team.size() * bytes - behind;
        Inflow in = team.inflow(team.pair(tree.parent(team.node(), team.nodes())));
        if (areShort(team, bytes)) {
            Area arrived = in.awaitBytes(0, before + after);
            team.copy(arrived, 0, window, 0, before);
            team.copy(arrived, before, window, behind, after);
        } else {
            in.await(parts(team, team.node())); // they are in their places
        }
    }
}
