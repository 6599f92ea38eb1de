/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.pattern.LevelTree;

/**
 * A barrier for nodes with many ranks. The ranks of a node form a tree that follows the node's levels, such as caches
 * and sockets ({@link LevelTree}). In each of the smallest groups, such as the ranks that share a cache, the first rank
 * waits for the others. In each group of the next level, the first rank waits for the first ranks of the smaller groups
 * in it, and so on for all levels. Few words therefore move between caches and sockets, and no rank reads many cache
 * lines. If no levels are known, groups of 4, 16, 64, … ranks are used.
 *
 * <pre>
 *  8 ranks, groups of 4:        0
 *                            / / \ \
 *                           1 2  3  4        up: ARRIVED, when all children have arrived
 *                                  /|\       down: RELEASED, when the parent is released
 *                                 5 6 7
 * </pre>
 *
 * <p>The masters, the top ranks of the nodes' trees, wait for each other ({@link MasterExchange}) between the way up
 * and the way down. Each rank writes two values of one word, and reads the words of its children and its parent. No
 * word is reset, so no rank can miss a value.
 */
public final class TreeBarrier extends Barrier {
    private static final int GROUP = 4;
    private static final LevelTree FOURS = new LevelTree(GROUP, 16, 64, 256, 1024, 4096);
    private static final int RELEASED = 2;

    /** Creates the algorithm; one object serves all ranks. */
    public TreeBarrier() {
        super(new Description("tree", Order.ALWAYS, "2·⌈log₄ p⌉, or 2 a level, + ⌈log₂ n⌉",
                "a line for each other in the group, at each level", "0", "none",
                "Tutti; between nodes SRM 2003, section 2.4"));
    }

    /** Returns whether the first rank of each node waits for all its other ranks itself. */
    static boolean isFlat(CallShape shape) {
        return !shape.topology().hasLevels() && shape.ranksMax() <= GROUP;
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
            team.await(tree.parent(rank, Team.MASTER, team.localSize()), Team.READY, RELEASED);
        }
        if (children > 0) {
            team.post(Team.READY, RELEASED);
        }
    }
}
