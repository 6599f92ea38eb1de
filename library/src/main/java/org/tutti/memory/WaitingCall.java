/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

/**
 * Describes a call of a rank that waits for another rank, for reports of where a rank is stuck.
 *
 * @param job the job of the call, one of the jobs in this process; jobs are compared by identity
 * @param rank the calling rank, a rank of the job
 * @param name the name of the call, such as "allreduce"
 * @param communicator the name of the call's communicator, as messages show it
 * @param number the number of the operation on that communicator, from 1; 0 if its operations are not numbered
 * @param awaited the rank of the job for which the call waits, or {@link #ANYBODY}, or {@link #UNKNOWN}
 * @param algorithm the name of the algorithm that runs the call; empty if the call has none
 * @param bytes the length of the vector, or of one block, in bytes; {@link #UNKNOWN} if the call has none
 */
public record WaitingCall(Object job, int rank, String name, String communicator, long number, int awaited,
        String algorithm, long bytes) {
    /** The value of {@code awaited} if any rank may end the wait. */
    public static final int ANYBODY = -1;

    /** The value of {@code awaited} if the rank that will end the wait is not known. */
    public static final int UNKNOWN = -2;

    /**
     * Creates a description of a call that no algorithm runs.
     *
     * @param job the job of the call
     * @param rank the calling rank
     * @param name the name of the call
     * @param communicator the name of the call's communicator
     * @param number the number of the operation
     * @param awaited the rank for which the call waits, or a constant of this class
     */
    public WaitingCall(Object job, int rank, String name, String communicator, long number, int awaited) {
        this(job, rank, name, communicator, number, awaited, "", UNKNOWN);
    }
}
