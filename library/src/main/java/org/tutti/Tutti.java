/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import org.tutti.job.LocalRanks;
import org.tutti.job.ProcessRanks;

/**
 * The door: joins the job that this program was started in, or runs a job inside this program.
 */
public final class Tutti {
    private Tutti() {}

    /**
     * Joins the job that this rank was started in, and waits until all its ranks have. Started by plain {@code java},
     * the program is a job of one rank. Inside {@link #runLocal} it is the local job.
     *
     * @return the job; close it when this rank has finished
     * @throws JobStartException when the environment is wrong, or a rank does not show up in time
     * @throws NodeMemoryException when there is too little memory to share
     * @throws IllegalStateException when this rank has joined already
     */
    public static Job join() {
        return join(JobOptions.DEFAULT);
    }

    /**
     * As {@link #join()}, with options.
     *
     * @param options the deadline of the job; the kind of threads has no meaning here
     * @return the job; close it when this rank has finished
     * @throws JobStartException when the environment is wrong, or a rank does not show up in time
     * @throws NodeMemoryException when there is too little memory to share
     * @throws IllegalStateException when this rank has joined already
     */
    public static Job join(JobOptions options) {
        return LocalRanks.current().orElseGet(() -> ProcessRanks.join(options));
    }

    /**
     * Runs a job whose ranks are threads of this program, and returns when all have ended.
     *
     * @param ranks how many, 1 to 4,096
     * @param program what each of them runs
     * @throws RankFailedException when a rank threw: it names the first one that did, with what it threw as the cause
     * @throws AssertionError when what it threw is one, as of a failed assertion in a test: the same object, with a
     *             {@link RankFailedException} that names the rank as its last suppressed exception
     * @throws JobAbortedException when a rank aborted the job
     * @throws NodeMemoryException when there is too little memory
     */
    public static void runLocal(int ranks, Program program) {
        runLocal(ranks, JobOptions.DEFAULT, program);
    }

    /**
     * As {@link #runLocal(int, Program)}, with options.
     *
     * @param ranks how many, 1 to 4,096
     * @param options what the ranks are, and the deadline of the job
     * @param program what each of them runs
     * @throws RankFailedException when a rank threw: it names the first one that did, with what it threw as the cause
     * @throws AssertionError when what it threw is one, as of a failed assertion in a test: the same object, with a
     *             {@link RankFailedException} that names the rank as its last suppressed exception
     * @throws JobAbortedException when a rank aborted the job
     * @throws NodeMemoryException when there is too little memory
     */
    public static void runLocal(int ranks, JobOptions options, Program program) {
        LocalRanks.run(ranks, options, program);
    }
}
