/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.pattern.LevelTree;

/**
 * A barrier for wide nodes: in a node, a tree of words that nests over the node's levels ({@link LevelTree}). In each
 * group, such as the ranks of a shared cache, one rank waits for the others; in each greater group one rank waits for
 * the first ranks of its groups; and so on. Few words cross between caches and sockets, and no rank looks at many
 * lines. If no levels are known, groups of 4, 16, 64, … ranks take their place.
 *
 * <pre>
 *  8 ranks, groups of 4:        0
 *                            / / \ \
 *                           1 2  3  4        up: ARRIVED, when all children have arrived
 *                                  /|\       down: RELEASED, when the parent is released
 *                                 5 6 7
 * </pre>
 *
 * <p>The masters, at the tops, wait for each other ({@link MasterExchange}) between the way up and the way down. Each
 * rank writes two values of one word, and reads the words of its children and its parent. Nothing is reset, so nothing
 * can be read too late.
 */
public final class TreeBarrier extends Barrier {
    private static final LevelTree FOURS = new LevelTree(4, 16, 64, 256, 1024, 4096);
    private static final int RELEASED = 2;

    /** Creates the algorithm; one object serves all ranks. */
    public TreeBarrier() {
        super(new Description("tree", Order.ALWAYS, "2·⌈log₄ p⌉, or 2 a level, + ⌈log₂ n⌉",
                "a line for each other in the group, at each level", "0", "none",
                "Tutti; between nodes SRM 2003, section 2.4"));
    }

    @Override
    public void run(Team team, Call call) {
        LevelTree tree = team.levelTree().isFlat() ? FOURS : team.levelTree();
        int rank = team.localRank();
        int children = tree.children(rank, Team.MASTER, team.localSize());
        for (int index = 0; index < children; index++) {
            team.await(tree.child(rank, index, Team.MASTER, team.localSize()), Team.READY, ARRIVED);
        }
        if (team.isMaster()) {
            MasterExchange.run(team);
        } else {
            team.post(Team.READY, ARRIVED);
            team.await(tree.parent(rank, Team.MASTER), Team.READY, RELEASED);
        }
        if (children > 0) {
            team.post(Team.READY, RELEASED);
        }
    }
}
