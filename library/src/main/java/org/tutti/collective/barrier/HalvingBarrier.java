/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.HalvingTree;

/**
 * Portals' barrier (Schutt and Brightwell 2007), which is a reduce and a broadcast of no bytes on the tree of recursive
 * halving. A master, the first rank of a node, waits for a signal from each child and signals to its parent. It then
 * waits for the parent's signal, and signals to its children, the deepest subtree first. Inside the nodes the barrier
 * is a flat tree ({@link TwoLevelBarrier}).
 *
 * <p>The masters of n nodes take 2·⌊log₂ n⌋ steps and send 2·(n − 1) messages. SRM's barrier takes ⌈log₂ n⌉ steps and
 * sends n·⌈log₂ n⌉ messages, which are more messages if there are three or more nodes.
 *
 * <p>Each edge of the tree carries one signal up and one down. The two signals arrive at different nodes, so neither
 * can overwrite the other, however early it arrives. In the first operation of a group, the masters must learn that all
 * nodes have joined, and wait for each other as in {@link MasterExchange}.
 */
public final class HalvingBarrier extends TwoLevelBarrier {
    private static final NodeTree TREE = new NodeTree(HalvingTree.INSTANCE);
    private static final int TOP = 0;
    private static final SrmBarrier SRM = new SrmBarrier();

    /** Creates the algorithm; one object serves all ranks. */
    public HalvingBarrier() {
        super(new Description("halving", Order.ALWAYS, "2 + 2·⌊log₂ n⌋", "p−1 lines at a master", "0", "none",
                "Portals collectives 2007; in nodes SRM 2003, section 2.2"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() || shape.isMeeting() ? SRM : this;
    }

    @Override
    void awaitMasters(Team team) {
        if (team.isComplete()) {
            reduce(team);
            broadcast(team);
            team.noteAllAreHere();
        } else {
            MasterExchange.run(team);
        }
    }

    private static void reduce(Team team) {
        for (int index = 0; index < TREE.children(team, TOP); index++) {
            await(team, NodeTree.edge(index), TREE.child(team, TOP, index));
        }
        if (team.node() != TOP) {
            signal(team, NodeTree.PARENT, TREE.parent(team, TOP), TREE.edgeAtParent(team, TOP));
        }
    }

    private static void broadcast(Team team) {
        if (team.node() != TOP) {
            await(team, NodeTree.PARENT, TREE.parent(team, TOP));
        }
        for (int index = TREE.children(team, TOP) - 1; index >= 0; index--) { // the deepest subtree first
            signal(team, NodeTree.edge(index), TREE.child(team, TOP, index), NodeTree.PARENT);
        }
    }

    private static void await(Team team, int edge, int fromNode) {
        team.inflow(edge).openNext(fromNode, 0);
        team.inflow(edge).await();
    }

    private static void signal(Team team, int edge, int toNode, int edgeThere) {
        team.outflow(edge).openNext(toNode, edgeThere, 0);
        team.outflow(edge).signal();
    }
}
