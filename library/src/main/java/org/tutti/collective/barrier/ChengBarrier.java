/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.NodeTree;

/**
 * A barrier by Cheng's two-level scheme, which "works for any global collective operation" (section 3). In each node an
 * SMP master waits for the flags of the node's ranks. One of the SMP masters is the cluster master ({@link
 * ChengMasters}). It waits for the signals of all other nodes, and then its node signals to each of them. Every rank
 * watches the word in its own node's memory that this signal raises. The barrier takes three steps, and two more if SMP
 * masters are not the first ranks of their nodes. On n nodes, n − 1 signals come to the cluster master's node and n − 1
 * leave it.
 *
 * <pre>
 *  2 nodes of 3 ranks, SMP masters 1 and 5, cluster master 1:
 *     0, 2 → 1     3, 4 → 5                       ARRIVED
 *     5 → 3 → 1                                   COLLECTED; the first rank, 3, signals for 5
 *     1 → 0, 2     1 → 0 → 3, 4, 5                COLLECTED; 0 signals for 1, and 3, 4, 5 watch one word
 * </pre>
 *
 * <p>Each node signals over its {@linkplain Team#pair pair} with the cluster master's node, so each signal has a word
 * of its own and an early one stays there. In the first operation of a group every two nodes that exchange signals must
 * meet, because the memory of the other node may not exist yet. {@link SrmBarrier} then runs instead.
 */
public final class ChengBarrier extends Barrier {
    /** The value of an SMP master's READY word after every rank and node has arrived for which it waits. */
    private static final int COLLECTED = 2;

    private static final int NO_ROOT = 0;
    private static final SrmBarrier MEETING = new SrmBarrier();
    private static final TreeBarrier TREE = new TreeBarrier();

    private final ChengMasters masters;

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param masters determines the masters of each operation
     */
    public ChengBarrier(ChengMasters masters) {
        super(new Description(masters.algorithm(), Order.ALWAYS, masters.isDrawn() ? "5, and n − 1 puts in a row"
                : "3, and n − 1 puts in a row", "p−1 lines at an SMP master", "0", "n − 1 pairs", masters.source()));
        this.masters = masters;
    }

    /** {@return the masters of each operation} */
    public ChengMasters masters() {
        return masters;
    }

    @Override
    protected boolean usesPairs() {
        return true;
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (shape.isMeeting()) {
            return MEETING;
        }
        return shape.isOnOneNode() && !masters.isDrawn() && TreeBarrier.isFlat(shape) ? TREE : this;
    }

    @Override
    public void run(Team team, Call call) {
        if (!team.isComplete()) {
            MEETING.run(team, call);
            return;
        }
        int cluster = masters.clusterNode(team, NO_ROOT);
        int smpMaster = masters.smpMaster(team, NO_ROOT);
        boolean isAtCluster = team.node() == cluster;
        if (team.localRank() == smpMaster) {
            team.awaitOthers(Team.READY, ARRIVED);
            if (isAtCluster) {
                awaitNodes(team);
            }
            team.post(Team.READY, COLLECTED);
        } else {
            team.post(Team.READY, ARRIVED);
            if (isAtCluster || team.isMaster()) {
                team.await(smpMaster, Team.READY, COLLECTED);
            }
        }
        if (team.isMaster()) {
            signal(team, cluster);
        }
        if (!isAtCluster) {
            team.inflow(NodeTree.PARENT).openNext(cluster, 0);
            team.inflow(NodeTree.PARENT).await();
        }
        team.noteAllAreHere();
    }

    /** Waits for the signal of every other node. Only the cluster master calls this method. */
    private static void awaitNodes(Team team) {
        for (int distance = 1; distance < team.nodes(); distance++) {
            int other = (team.node() + distance) % team.nodes();
            team.inflow(team.pair(other)).openPair(other, 0, 1, null, 0);
            team.inflow(team.pair(other)).await();
        }
    }

    /** Signals to the cluster master's node, or from there to each other node. Only first ranks call this method. */
    private static void signal(Team team, int cluster) {
        if (team.node() != cluster) {
            team.outflow(team.pair(cluster)).openPair(cluster, 0, 1);
            team.outflow(team.pair(cluster)).signal();
            return;
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            team.outflow(NodeTree.PARENT).openNext((team.node() + distance) % team.nodes(), NodeTree.PARENT, 0);
            team.outflow(NodeTree.PARENT).signal();
        }
    }
}
