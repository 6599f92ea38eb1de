/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;

/**
 * Who has blocks for whom in a {@link BlockExchange}. Sources are the ranks that have something for others: in a
 * scatter the root. Readers are those that get something: in a gather the root. In an allgather all readers get the
 * same, so they count as one reader of a section.
 */
final class BlockRoles {
    /** Whether all readers of a source get the same. */
    final boolean sameForAll;

    /** What this rank is in the current operation. */
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

    /** How many sources a node has at most. */
    int sourcesMax() {
        return fromRoot ? 1 : team.ranksMax();
    }

    int sources(int node) {
        return !fromRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    int source(int node, int index) {
        return fromRoot ? root : team.rankAt(node, index);
    }

    /** The place of a source of this node. */
    int sourceLocalRank(int index) {
        return fromRoot ? team.localRankOf(root) : index;
    }

    // ---- readers

    /** For how many readers a section is at most. */
    int readersMax() {
        return toRoot || sameForAll ? 1 : team.ranksMax();
    }

    /** For how many readers of all nodes a source has first sections. */
    int readersOfAllNodes() {
        return toRoot || sameForAll ? 1 : team.size();
    }

    /** For how many readers of a node a section is. */
    int readers(int node) {
        return sameForAll ? 1 : !toRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    /** How many of them are on this node. */
    int readersHere() {
        return readers(team.node());
    }

    int reader(int node, int index) {
        return toRoot ? root : team.rankAt(node, index);
    }

    /** This rank's index among the readers of its node. */
    int ownIndex() {
        return toRoot || sameForAll ? 0 : team.localRank();
    }

    /** Whether this rank takes part in what another node has for this one: to read it, or to give places back. */
    boolean takesFrom(int node) {
        return node != team.node() && sources(node) > 0 && readersHere() > 0 && (isReader || team.isMaster());
    }

    /** Says at an end of a flow that this node's readers read what comes. */
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
