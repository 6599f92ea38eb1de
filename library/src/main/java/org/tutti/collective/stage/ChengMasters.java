/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Team;
import org.tutti.collective.layout.Fingerprint;

/**
 * Determines the masters of Cheng's two-level operations (section 3). Each node has an SMP master, the rank that
 * collects the contributions of the node's ranks in shared memory. One of the SMP masters is also the cluster master,
 * the rank that collects the contributions of the nodes.
 *
 * <p>In the paper an SMP master is a randomly chosen processor of its node, and the cluster master is one of the SMP
 * masters, again chosen at random. {@link #DRAWN} chooses in this way, anew for each operation. Each rank computes the
 * same masters from the number of the operation, so the choice needs no message. {@link #FIXED} is for comparison, and
 * saves steps in a node.
 *
 * <p><b>SMP master and first rank.</b> The first rank of a node, {@link Team#MASTER}, exchanges data with other nodes
 * for all ranks of its node. If another rank is the SMP master, the first rank forwards for it: it sends from the SMP
 * master's window, the memory that the SMP master shows to its node. Data from other nodes arrive in shared memory, so
 * an SMP master awaits and reads them itself. A sum therefore takes one wait more in each node whose SMP master is not
 * the first rank.
 */
public enum ChengMasters {
    /**
     * The cluster master is the root, or rank 0 in a collective without a root. The SMP master of each other node is
     * the node's first rank.
     */
    FIXED("cheng", "Cheng, section 3"),

    /** All masters are drawn pseudorandomly for each operation, each rank of a node with equal probability. */
    DRAWN("cheng-random", "Cheng, section 3: masters drawn for each operation");

    private final String algorithm;
    private final String source;

    ChengMasters(String algorithm, String source) {
        this.algorithm = algorithm;
        this.source = source;
    }

    /** {@return the name of the algorithms with these masters} */
    public String algorithm() {
        return algorithm;
    }

    /** {@return the section of the paper, for the description of an algorithm} */
    public String source() {
        return source;
    }

    /** {@return whether the masters are drawn, so that an SMP master need not be the first rank of its node} */
    public boolean isDrawn() {
        return this == DRAWN;
    }

    /**
     * Returns the node of the cluster master.
     *
     * @param team the team of the calling rank, inside an operation
     * @param root the root, or 0 if the collective has none
     * @return the node, the same at every rank
     */
    public int clusterNode(Team team, int root) {
        return this == FIXED ? team.nodeOf(root) : draw(team.operation(), 0, team.nodes());
    }

    /**
     * Returns the SMP master of the calling rank's node. On the {@linkplain #clusterNode cluster master's node} this
     * rank is the cluster master.
     *
     * @param team the team of the calling rank, inside an operation
     * @param root the root, or 0 if the collective has none
     * @return the local rank of the SMP master, its index among the ranks of the node; the same at every rank of the
     *         node
     */
    public int smpMaster(Team team, int root) {
        if (this == DRAWN) {
            return draw(team.operation(), 1 + team.node(), team.localSize());
        }
        return team.node() == team.nodeOf(root) ? team.localRankHere(root) : Team.MASTER;
    }

    /** Draws a number from 0 to count − 1. Draws of one operation with different indices are independent. */
    static int draw(long operation, int index, int count) {
        return (int) Long.remainderUnsigned(Fingerprint.mix(operation, index), count);
    }
}
