/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * A reduce-scatter on two levels, inside the nodes and between them. In a node every rank shows all its blocks in its
 * window, memory that the other ranks read. It combines one part of the blocks of all ranks, in the order of the ranks.
 * If there is only one node, this part is the rank's own block, and the rank writes the result to its target.
 *
 * <p>On several nodes, the blocks for the ranks of one node form a <i>row</i> in the window. Each rank combines an
 * equal number of whole blocks. It combines them in its own window. Only its last operand is in the window of the
 * master, the node's first rank, to which it writes the result. The master's window then holds a row for each node,
 * combined over the ranks of the master's node. A subclass chooses the order of the rows, and the exchange between
 * masters.
 *
 * <p>Blocks may differ in length, because all ranks know all lengths. The window then reserves the length of the
 * longest block for each block. Each block is combined and sent separately, without the gap after it.
 *
 * <p><b>Why nothing is overwritten.</b> Until a rank has posted COMBINED, no other rank reads or writes that rank's
 * part of any window, because a rank that has shown its blocks accesses only its own part. The result may therefore
 * overwrite the blocks that the master has shown in this part. Windows belong to the operation until all ranks of the
 * node have left it.
 */
abstract class TwoLevelReduceScatter extends EqualBlocksAlgorithm {
    static final long COMBINED = 2;

    TwoLevelReduceScatter(Description description) {
        super(Collective.REDUCE_SCATTER, description);
    }

    // ---- for subclasses

    /**
     * Returns the greatest number of rows from other nodes for which a master's window needs room. It is 0 if there is
     * one node.
     */
    abstract int rowsMax(int nodes);

    /**
     * Returns the number of bytes that the window of this node's master reserves for rows from other masters, behind
     * its own rows.
     */
    abstract long arrivalBytes(Team team, long bytes);

    /**
     * Returns the node whose row follows the row of {@code node} in a window. The result for the last node does not
     * matter.
     */
    int next(int node, int nodes) {
        return node + 1;
    }

    /** Returns the number of blocks before the row of a node in a window. */
    int position(Team team, int node) {
        return team.position(node);
    }

    /** Opens the flows from other nodes. A master calls this method before it waits for other masters. */
    abstract void openInflows(Team team, Call call, Area window);

    /**
     * Exchanges the combined rows between nodes, and writes this rank's block to its target. All ranks of the node call
     * this method.
     *
     * @param window the master's window, in which each rank of this node combines its part. A part is complete once its
     *            rank has posted COMBINED.
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

    /** Returns the area in which a rank of this node shows its blocks. */
    private static Area shown(Team team, Call call, int localRank) {
        return team.shown(localRank, team.size() * call.bytes()); // a master's is longer, but a window at both lengths
    }

    /**
     * Combines this rank's elements with the elements that other ranks of the node show, in the order of the ranks, and
     * writes the result to {@code target}. This rank's elements are first combined with those of the higher ranks.
     * Ranks lower than {@code lowest} are omitted.
     */
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

    /** Returns the index of the first block of a rank's part. */
    private static int start(Team team, int localRank) {
        return (int) Partition.start(team.size(), 1, team.localSize(), localRank);
    }

    /** Waits until a block has been combined by the rank of this node that has the block in its part. */
    static void awaitCombined(Team team, int block) {
        int localRank = Partition.index(team.size(), 1, team.localSize(), block);
        if (localRank != team.localRank()) {
            team.await(localRank, Team.READY, COMBINED);
        }
    }

    // ---- blocks by their index in a window

    /**
     * Returns how many of the blocks {@code from} to {@code to} − 1 are combined or sent together. If all blocks have
     * the same length, these are all of them. Otherwise it is one block, because there are gaps between blocks.
     */
    static int together(Call call, int from, int to) {
        return call.isUnequal() ? 1 : to - from;
    }

    /** Returns the length in bytes of {@code together} consecutive blocks, from index {@code block} on. */
    final long bytes(Team team, Call call, int block, int together) {
        return call.isUnequal() ? call.blockBytes(rankOf(team, block)) : together * call.bytes();
    }

    /** Returns the rank to which the block of an index belongs. */
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
