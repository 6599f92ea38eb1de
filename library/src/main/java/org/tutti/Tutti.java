/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import org.tutti.job.LocalRanks;
import org.tutti.job.ProcessRanks;

/**
 * The entry point of the library. It joins the job that this program was started in, or runs a job inside this program.
 */
public final class Tutti {
    private Tutti() {}

    /**
     * Joins the job to which this process belongs, and waits until all ranks of the job have joined. A program that was
     * started by plain {@code java} is a job of one rank. In a program that {@link #runLocal} runs, this method returns
     * the local job.
     *
     * @return the job, to be closed when this rank has finished
     * @throws JobStartException if the environment is wrong, or a rank does not join in time
     * @throws NodeMemoryException if the node has too little shared memory
     * @throws IllegalStateException if this rank has joined already
     */
    public static Job join() {
        return join(JobOptions.DEFAULT);
    }

    /**
     * Joins the job to which this process belongs, and waits until all ranks of the job have joined. The method differs
     * from {@link #join()} only by its options.
     *
     * @param options the deadline of the job and the levels of its nodes; the kind of threads is ignored. A rank that
     *            was started with a job, as inside {@link #runLocal}, keeps that job's options, and these are ignored
     * @return the job, to be closed when this rank has finished
     * @throws JobStartException if the environment is wrong, or a rank does not join in time
     * @throws NodeMemoryException if the node has too little shared memory
     * @throws IllegalStateException if this rank has joined already
     */
    public static Job join(JobOptions options) {
        return LocalRanks.current().orElseGet(() -> ProcessRanks.join(options));
    }

    /**
     * Runs a job with ranks that are threads of this program, and returns when all have ended.
     *
     * @param ranks the number of ranks, 1 to 4,096
     * @param program the program of each rank
     * @throws IllegalArgumentException if the number of ranks is out of range
     * @throws RankFailedException if a rank threw an exception. It names the first rank that did, and has that rank's
     *             exception as the cause
     * @throws AssertionError if a rank threw an {@code AssertionError}, for example in a test. The same object is
     *             thrown; its last suppressed exception is a {@link RankFailedException} that names the rank
     * @throws JobAbortedException if a rank aborted the job
     * @throws NodeMemoryException if there is too little memory
     */
    public static void runLocal(int ranks, Program program) {
        runLocal(ranks, JobOptions.DEFAULT, program);
    }

    /**
     * Runs a job with ranks that are threads of this program, and returns when all have ended. The method differs from
     * {@link #runLocal(int, Program)} only by its options.
     *
     * @param ranks the number of ranks, 1 to 4,096
     * @param options the kind of threads, the deadline of the job, and the levels inside the node
     * @param program the program of each rank
     * @throws IllegalArgumentException if the number of ranks is out of range
     * @throws RankFailedException if a rank threw an exception. It names the first rank that did, and has that rank's
     *             exception as the cause
     * @throws AssertionError if a rank threw an {@code AssertionError}, for example in a test. The same object is
     *             thrown; its last suppressed exception is a {@link RankFailedException} that names the rank
     * @throws JobAbortedException if a rank aborted the job
     * @throws NodeMemoryException if there is too little memory
     */
    public static void runLocal(int ranks, JobOptions options, Program program) {
        LocalRanks.run(ranks, options, program);
    }
}
