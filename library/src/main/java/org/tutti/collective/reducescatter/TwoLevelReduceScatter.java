/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * Reduce-scatter on two levels. In a node by index range: every rank shows all its blocks, and combines a part of them
 * of all ranks, in their order. On one node that part is its own block, and goes to its target.
 *
 * <p>On several nodes the blocks lie node by node, those for the ranks of a node in a <i>row</i>. Each rank combines an
 * equal part of them, whole blocks, in its own window; with what its master shows at last, and there the combination
 * stays. So the master has row by row what its node's ranks have for each node. Subclasses say in which order rows lie,
 * and how masters exchange them.
 *
 * <p>Blocks may differ in length, as all ranks know all lengths: then each has room for the longest, and is combined
 * and sent by itself, without the hole after it.
 *
 * <p><b>Why nothing is overwritten.</b> Until a rank says COMBINED, its part of any window is read by no other rank,
 * and written by none: each has shown what it has, and then touches its own part only. So the combination may take the
 * place of what the master has shown there. Windows belong to the operation until all ranks of the node have left.
 */
abstract class TwoLevelReduceScatter extends EqualBlocksAlgorithm {
    static final long COMBINED = 2;

    TwoLevelReduceScatter(Description description) {
        super(Collective.REDUCE_SCATTER, description);
    }

    // ---- for subclasses

    /** How many rows come to a master's window at most, of as many nodes; 0 with one node. */
    abstract int rowsMax(int nodes);

    /** How long the room for them is in the master's window of this node, after its own rows. */
    abstract long arrivalBytes(Team team, long bytes);

    /** Whose row lies after that of a node; what it says of the last one does not matter. */
    int next(int node, int nodes) {
        return node + 1;
    }

    /** How many blocks lie before the row of a node. */
    int position(Team team, int node) {
        return team.position(node);
    }

    /** Opens, at the master, what comes from other nodes, before it waits for more than the ranks of its node. */
    abstract void openInflows(Team team, Call call, Area window);

    /**
     * Exchanges what nodes have combined, and lets this rank have its block.
     *
     * @param window the master's, in which the ranks of this node combine their parts: each has when it says COMBINED
     */
    abstract void exchange(Team team, Call call, Area window);

    // ---- memory

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ((long) ranks + rowsMax(nodes)) * localRanks;
    }

    @Override
    protected final long blockBytesMax(Team team) {
        return team.windowBytesMax() / ((long) (team.nodes() + rowsMax(team.nodes())) * team.ranksMax());
    }

    // ---- the operation

    @Override
    public final void run(Team team, Call call) {
        if (team.nodes() == 1) {
            combineInNode(team, call);
            return;
        }
        long bytes = call.bytes();
        Area own = team.show(team.size() * bytes + (team.isMaster() ? arrivalBytes(team, bytes) : 0));
        show(team, call, own);
        if (team.isMaster()) {
            openInflows(team, call, own);
        }
        team.post(Team.READY, SHOWN);
        team.awaitOthers(Team.READY, SHOWN);
        combineOwnPart(team, call, own);
        team.post(Team.READY, COMBINED);
        exchange(team, call, shown(team, call, Team.MASTER));
        team.noteAllAreHere(); // the result has a contribution of every rank
    }

    private static void combineInNode(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(team.size() * bytes);
        for (int localRank = 0; localRank < team.size(); localRank++) {
            if (localRank != team.localRank()) { // nobody else reads this rank's own one
                team.copy(call.source(), call.sourceAt(localRank), own, localRank * bytes, call.blockBytes(localRank));
            }
        }
        team.post(Team.READY, SHOWN);
        team.awaitOthers(Team.READY, SHOWN);
        combine(team, call, call.source(), call.sourceAt(team.rank()), team.localRank() * bytes,
                call.blockBytes(team.rank()), call.target(), 0, Team.MASTER);
    }

    private void show(Team team, Call call, Area own) {
        long at = 0;
        int node = 0;
        for (int row = 0; row < team.nodes(); row++) {
            for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                int other = team.rankAt(node, localRank);
                team.copy(call.source(), call.sourceAt(other), own, at, call.blockBytes(other));
                at += call.bytes();
            }
            node = next(node, team.nodes());
        }
    }

    /** Where a rank of this node shows its blocks. */
    private static Area shown(Team team, Call call, int localRank) {
        return team.shown(localRank, team.size() * call.bytes()); // a master's is longer, and a window just as well
    }

    /** Combines the own bytes with those that all others show, from the lowest on; with those of higher ranks first. */
    private static void combine(Team team, Call call, Area own, long from, long offset, long bytes, Area target,
            long at,
            int lowest) {
        Area accumulated = own;
        long start = from;
        for (int other = team.localRank() + 1; other < team.localSize(); other++) {
            team.combine(call.kernel(), accumulated, start, shown(team, call, other), offset, target, at, bytes);
            accumulated = target;
            start = at;
        }
        for (int other = team.localRank() - 1; other >= lowest; other--) {
            team.combine(call.kernel(), shown(team, call, other), offset, accumulated, start, target, at, bytes);
            accumulated = target;
            start = at;
        }
    }

    private void combineOwnPart(Team team, Call call, Area own) {
        int from = start(team, team.localRank());
        int to = start(team, team.localRank() + 1);
        int together = together(call, from, to);
        for (int block = from; block < to; block += together) {
            long at = block * call.bytes();
            long bytes = bytes(team, call, block, together);
            combine(team, call, own, at, at, bytes, own, at, Team.MASTER + 1);
            if (!team.isMaster()) {
                Area window = shown(team, call, Team.MASTER);
                team.combine(call.kernel(), window, at, own, at, window, at, bytes);
            }
        }
    }

    /** With which block the part of a rank begins. */
    private static int start(Team team, int localRank) {
        return (int) Partition.start(team.size(), 1, team.localSize(), localRank);
    }

    /** Waits until that rank of this node has combined a block whose part it is in. */
    static void awaitCombined(Team team, int block) {
        int localRank = Partition.index(team.size(), 1, team.localSize(), block);
        if (localRank != team.localRank()) {
            team.await(localRank, Team.READY, COMBINED);
        }
    }

    // ---- blocks by their index in a window

    /** How many of some blocks that follow each other are dealt with at once: all, if there are no holes between. */
    static int together(Call call, int from, int to) {
        return call.isUnequal() ? 1 : to - from;
    }

    /** How long such blocks are. */
    final long bytes(Team team, Call call, int block, int together) {
        return call.isUnequal() ? call.blockBytes(rankOf(team, block)) : together * call.bytes();
    }

    /** Whose block it is. */
    private int rankOf(Team team, int block) {
        int node = 0;
        int localRank = block;
        while (localRank >= team.ranksOn(node)) {
            localRank -= team.ranksOn(node);
            node = next(node, team.nodes());
        }
        return team.rankAt(node, localRank);
    }
}
