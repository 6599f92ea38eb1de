/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The program of each rank of a local job.
 */
@FunctionalInterface
public interface Program {
    /**
     * Runs the program of one rank, on the thread of that rank.
     *
     * @param job the job, as this rank sees it; it is closed when the program returns
     * @throws Exception if the rank fails; the other ranks get {@link RankFailedException}
     */
    void run(Job job) throws Exception;
}
