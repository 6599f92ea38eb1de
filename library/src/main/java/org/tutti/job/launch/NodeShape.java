/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import org.tutti.JobStartException;

/**
 * The name and size of a job, and a node's part of it.
 *
 * @param job the job's name, the same on all its nodes
 * @param size the number of ranks of the job
 * @param node the number of the node, unique in the job; engines and launchers may leave gaps
 * @param nodes the number of nodes of the job
 * @param nodeRanks the number of the job's ranks on the node, 1 or more
 */
public record NodeShape(String job, int size, int node, int nodes, int nodeRanks) {
    /**
     * Checks that there can be a node with these numbers.
     *
     * @throws JobStartException if the numbers contradict each other
     */
    public NodeShape {
        if (nodes < 1 || nodes > size || node < 0 || nodeRanks < 1
                || nodeRanks > size - nodes + 1 || nodes == 1 && nodeRanks != size) {
            throw new JobStartException("a job of " + size + " ranks on " + nodes + " nodes cannot have a node "
                    + node + " with " + nodeRanks + " ranks; nodes are numbered from 0, each has a rank or more, and "
                    + "together they have all ranks");
        }
    }

    /**
     * Returns the shape of a job of one node.
     *
     * @param job the job's name
     * @param size the number of ranks of the job
     * @return the shape
     */
    public static NodeShape single(String job, int size) {
        return new NodeShape(job, size, 0, 1, size);
    }
}
