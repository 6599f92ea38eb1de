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
     * Returns whether this node knows that a rank has joined the job. A rank of another node may send its first message
     * earlier.
     *
     * @param rank a rank of the job
     * @return whether {@link #process} knows the process of the rank
     */
    boolean hasJoined(int rank);

    /**
     * Returns the process of a rank, which has joined.
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
