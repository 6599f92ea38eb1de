/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;

/**
 * The roles of ranks in a {@link BlockExchange}. Sources are the ranks that have something for others; in a scatter
 * this is the root. Readers are the ranks that get something; in a gather this is the root. In an allgather all readers
 * get the same, so they count as one reader of a section.
 */
final class BlockRoles {
    /** Whether all readers of a source get the same. */
    final boolean sameForAll;

    /** The roles of this rank in the current operation. */
    boolean isSource;
    boolean isReader;

    private final Team team;
    private final boolean toRoot;
    private final boolean fromRoot;
    private int root;

    /**
     * @param team the ranks
     * @param collective a gather, a scatter, an allgather or an all-to-all
     */
    BlockRoles(Team team, Collective collective) {
        this.team = team;
        this.toRoot = collective == Collective.GATHER;
        this.fromRoot = collective == Collective.SCATTER;
        this.sameForAll = collective == Collective.ALLGATHER;
    }

    void begin(int newRoot) {
        root = newRoot;
        isSource = !fromRoot || root == team.rank();
        isReader = !toRoot || root == team.rank();
    }

    // ---- sources

    /** Returns the greatest number of sources on a node. */
    int sourcesMax() {
        return fromRoot ? 1 : team.ranksMax();
    }

    int sources(int node) {
        return !fromRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    int source(int node, int index) {
        return fromRoot ? root : team.rankAt(node, index);
    }

    /** Returns the local rank of a source of this node. */
    int sourceLocalRank(int index) {
        return fromRoot ? team.localRankOf(root) : index;
    }

    // ---- readers

    /** Returns the greatest number of readers of a section. */
    int readersMax() {
        return toRoot || sameForAll ? 1 : team.ranksMax();
    }

    /** Counts the readers of all nodes for which a source has first sections. */
    int readersOfAllNodes() {
        return toRoot || sameForAll ? 1 : team.size();
    }

    /** Counts the readers of a section for a node. */
    int readers(int node) {
        return sameForAll ? 1 : !toRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    /** Counts the readers of a section for this node. */
    int readersHere() {
        return readers(team.node());
    }

    int reader(int node, int index) {
        return toRoot ? root : team.rankAt(node, index);
    }

    /** Returns this rank's index among the readers of its node. */
    int ownIndex() {
        return toRoot || sameForAll ? 0 : team.localRank();
    }

    /**
     * Tells whether this rank takes part in the sections from another node, either to read them or to give places back.
     */
    boolean takesFrom(int node) {
        return node != team.node() && sources(node) > 0 && readersHere() > 0 && (isReader || team.isMaster());
    }

    /** Says to a flow which ranks of this node read from it. */
    void read(Inflow in) {
        if (toRoot) {
            in.readBy(team.localRankOf(root));
        } else {
            in.readByAll();
        }
    }

    /** Waits until all other readers of this node have said DONE. */
    void awaitReaders(long step) {
        if (!toRoot) {
            team.awaitOthers(Team.DONE, step);
        } else if (team.localRankOf(root) != team.localRank()) {
            team.await(team.localRankOf(root), Team.DONE, step);
        }
    }
}
