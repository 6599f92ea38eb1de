/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;

/**
 * Tells which ranks are sources and readers in a {@link BlockExchange}. Sources are the ranks that have data for
 * others. In a scatter only the root is a source. Readers are the ranks that get data. In a gather only the root is a
 * reader. A section has the data of a source for the readers of a node. In an allgather all readers get the same data,
 * so they count as one reader of a section.
 */
final class BlockRoles {
    /** Whether a source has the same data for all readers. */
    final boolean sameForAll;

    /** The roles of this rank in the current operation. */
    boolean isSource;
    boolean isReader;

    private final Team team;
    private final boolean toRoot;
    private final boolean fromRoot;
    private int root;

    /**
     * Creates the object that tells the roles of ranks in the operations of a collective.
     *
     * @param team the team of the calling rank
     * @param collective a gather, a scatter, an allgather or an all-to-all
     */
    BlockRoles(Team team, Collective collective) {
        this.team = team;
        this.toRoot = collective == Collective.GATHER;
        this.fromRoot = collective == Collective.SCATTER;
        this.sameForAll = collective == Collective.ALLGATHER;
    }

    /** Sets the roles for an operation with a root. If the collective has no root, the root is ignored. */
    void begin(int newRoot) {
        root = newRoot;
        isSource = !fromRoot || root == team.rank();
        isReader = !toRoot || root == team.rank();
    }

    // ---- sources

    /** Returns the greatest number of sources on one node. */
    int sourcesMax() {
        return fromRoot ? 1 : team.ranksMax();
    }

    /** Returns the number of sources on a node. */
    int sources(int node) {
        return !fromRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    /** Returns the rank of the source with an index on a node. */
    int source(int node, int index) {
        return fromRoot ? root : team.rankAt(node, index);
    }

    /** Returns the local rank of this node's source with an index. */
    int sourceLocalRank(int index) {
        return fromRoot ? team.localRankOf(root) : index;
    }

    /** Returns the number of lengths that a reader shows to its node, if the first round does not bring them there. */
    int lengthsShown() {
        return sameForAll ? 0 : fromRoot ? 1 : team.size();
    }

    /** Returns the index of a source among the lengths that a reader shows. */
    int lengthIndex(int source) {
        return fromRoot ? 0 : source;
    }

    // ---- readers

    /** Returns the greatest number of readers that a section can have. */
    int readersMax() {
        return toRoot || sameForAll ? 1 : team.ranksMax();
    }

    /** Returns the number of readers for which a source has first sections, on all nodes together. */
    int readersOfAllNodes() {
        return toRoot || sameForAll ? 1 : team.size();
    }

    /** Returns the number of readers of a section for a node. */
    int readers(int node) {
        return sameForAll ? 1 : !toRoot ? team.ranksOn(node) : node == team.nodeOf(root) ? 1 : 0;
    }

    /** Returns the number of readers of a section for this node. */
    int readersHere() {
        return readers(team.node());
    }

    /** Returns the rank of the reader with an index on a node. */
    int reader(int node, int index) {
        return toRoot ? root : team.rankAt(node, index);
    }

    /** Returns the local rank of this node's reader with an index. */
    int readerLocalRank(int index) {
        return toRoot ? team.localRankOf(root) : index;
    }

    /** Returns this rank's index among the readers of its node. */
    int ownIndex() {
        return toRoot || sameForAll ? 0 : team.localRank();
    }

    /**
     * Returns whether this rank handles sections that come from a node. A reader reads them, and the master releases
     * the memory in which they have arrived. The result is false for this node itself.
     */
    boolean takesFrom(int node) {
        return node != team.node() && sources(node) > 0 && readersHere() > 0 && (isReader || team.isMaster());
    }

    /** Declares which ranks of this node read from a flow. */
    void read(Inflow in) {
        if (toRoot) {
            in.readBy(team.localRankOf(root));
        } else {
            in.readByAll();
        }
    }

    /** Waits until DONE of all other readers of this node has reached a step. */
    void awaitReaders(long step) {
        if (!toRoot) {
            team.awaitOthers(Team.DONE, step);
        } else if (team.localRankOf(root) != team.localRank()) {
            team.await(team.localRankOf(root), Team.DONE, step);
        }
    }
}
