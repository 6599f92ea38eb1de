/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Counts;
import org.tutti.collective.Team;

/**
 * A barrier for wide nodes: in a node a tree of words in which every rank has up to {@value #FAN_IN} children, so that
 * no rank looks at more than {@value #FAN_IN} lines and no line is watched by more than {@value #FAN_IN} ranks. The
 * children of local rank r are {@value #FAN_IN}·r + 1 … {@value #FAN_IN}·r + {@value #FAN_IN}.
 *
 * <pre>
 *  7 ranks:        0
 *             /  /   \  \
 *            1  2     3  4        up: ARRIVED, when all children have arrived
 *           / \                   down: RELEASED, when the parent is released
 *          5   6
 * </pre>
 *
 * <p>The masters, at the tops, wait for each other in between ({@link MasterExchange}). Each rank writes two values of
 * one word and reads those of its children and its parent; nothing is reset, so nothing can be read too late.
 */
public final class TreeBarrier extends Barrier {
    private static final int FAN_IN = 4;
    private static final int ARRIVED = 1;
    private static final int RELEASED = 2;

    /** The only object that is needed. */
    public TreeBarrier() {
        super(new Description("tree", Order.ALWAYS, "2·⌈log₄(3·p+1) − 1⌉ + ⌈log₂ n⌉", "5 lines at a rank", "0",
                "none", "Tutti; between nodes SRM 2003, section 2.4"));
    }

    @Override
    public Counts counts(int nodes, int localRanks, long bytes) {
        int levels = 0;
        for (int rank = localRanks - 1; rank > 0; rank = parent(rank)) {
            levels++;
        }
        // at each level FAN_IN lines are looked at on the way up, and one is read on the way down
        return new Counts(levels * (Math.min(FAN_IN, localRanks - 1) + 1), 0, 0, MasterExchange.rounds(nodes), 0);
    }

    @Override
    public void run(Team team) {
        int rank = team.localRank();
        int first = FAN_IN * rank + 1;
        int end = Math.min(first + FAN_IN, team.localSize());
        for (int child = first; child < end; child++) {
            team.await(child, Team.READY, ARRIVED);
        }
        if (team.isMaster()) {
            MasterExchange.run(team);
        } else {
            team.post(Team.READY, ARRIVED);
            team.await(parent(rank), Team.READY, RELEASED);
        }
        if (first < end) {
            team.post(Team.READY, RELEASED);
        }
    }

    private static int parent(int rank) {
        return (rank - 1) / FAN_IN;
    }
}
