/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

/**
 * Finds the ranks of a job from one of its nodes.
 */
public interface RankAddresses {
    /**
     * Returns whether a rank shares the memory of this node.
     *
     * @param rank a rank of the job
     * @return whether the rank is on this node
     */
    boolean isHere(int rank);

    /**
     * Returns the process of a rank.
     *
     * @param rank a rank of the job
     * @return the first rank of its process
     */
    int process(int rank);

    /**
     * Returns the handle of the region through which a rank receives messages of other nodes.
     *
     * @param rank a rank of the job
     * @return the handle, which only processes of the job can compute
     */
    long region(int rank);
}
