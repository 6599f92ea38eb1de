/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * Reduce-scatter on two levels. In a node it goes by index range: every rank shows all its blocks, and combines a part
 * of the blocks of all ranks, in the order of the ranks. On one node that part is its own block, and the result goes to
 * its target.
 *
 * <p>On several nodes the blocks lie node by node, those for the ranks of a node in a <i>row</i>. Each rank combines an
 * equal part of them, whole blocks, in its own window. Its last operand is in the master's window, and the result stays
 * there. The master then has, row by row, the combination of its node's ranks for each node. Subclasses say in which
 * order rows lie, and how masters exchange them.
 *
 * <p>Blocks may differ in length, because all ranks know all lengths. Then each block has room for the longest, and is
 * combined and sent by itself, without the gap after it.
 *
 * <p><b>Why nothing is overwritten.</b> Until a rank says COMBINED, no other rank reads or writes its part of any
 * window, because a rank that has shown its blocks touches only its own part. The combination may therefore replace the
 * blocks that the master has shown there. Windows belong to the operation until all ranks of the node have left it.
 */
abstract class TwoLevelReduceScatter extends EqualBlocksAlgorithm {
    static final long COMBINED = 2;

    TwoLevelReduceScatter(Description description) {
        super(Collective.REDUCE_SCATTER, description);
    }

    // ---- for subclasses

    /** Bounds the rows that arrive in a master's window, with some number of nodes; 0 with one node. */
    abstract int rowsMax(int nodes);

    /** Returns the length of the room for them in the master's window of this node, behind its own rows. */
    abstract long arrivalBytes(Team team, long bytes);

    /** Returns the next node in the order of rows; the result for the last node does not matter. */
    int next(int node, int nodes) {
        return node + 1;
    }

    /** Counts the blocks that lie before the row of a node. */
    int position(Team team, int node) {
        return team.position(node);
    }

    /** Opens, at the master, the flows from other nodes, before it waits for more than the ranks of its node. */
    abstract void openInflows(Team team, Call call, Area window);

    /**
     * Exchanges the combinations of the nodes, and brings this rank its block.
     *
     * @param window the master's window, in which the ranks of this node combine their parts; a rank has done so when
     *            it says COMBINED
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
            if (localRank != team.localRank()) { // no other rank reads this rank's own block
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

    /** Returns where a rank of this node shows its blocks. */
    private static Area shown(Team team, Call call, int localRank) {
        return team.shown(localRank, team.size() * call.bytes()); // a master's may be longer, but then both are windows
    }

    /** Combines this rank's bytes with those that others show, from rank {@code lowest} on, first with higher ranks. */
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

    /** Returns the first block of a rank's part. */
    private static int start(Team team, int localRank) {
        return (int) Partition.start(team.size(), 1, team.localSize(), localRank);
    }

    /** Waits until a block has been combined by the rank of this node that has it in its part. */
    static void awaitCombined(Team team, int block) {
        int localRank = Partition.index(team.size(), 1, team.localSize(), block);
        if (localRank != team.localRank()) {
            team.await(localRank, Team.READY, COMBINED);
        }
    }

    // ---- blocks by their index in a window

    /** Returns how many of some consecutive blocks are handled together: all if there are no gaps between, else one. */
    static int together(Call call, int from, int to) {
        return call.isUnequal() ? 1 : to - from;
    }

    /** Returns the length of such blocks. */
    final long bytes(Team team, Call call, int block, int together) {
        return call.isUnequal() ? call.blockBytes(rankOf(team, block)) : together * call.bytes();
    }

    /** Returns the rank that gets a block. */
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
