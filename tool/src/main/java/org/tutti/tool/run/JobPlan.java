/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.tutti.job.JobEnvironment;

/**
 * Everything that the command line says about a job, checked, before anything has been started.
 *
 * @param job the name of the job, which no other job of this host has
 * @param size the number of ranks
 * @param ranksPerProcess the number of ranks of every process but the last, which may have fewer
 * @param bind whether each process keeps to its share of the cores
 * @param timeout how long the job may take
 * @param joinTimeout how long a rank may join later than the first
 * @param tagOutput whether lines of output name their rank
 * @param outputDirectory where output goes instead of the launcher's own streams
 * @param environment variables of the ranks, besides the launcher's own
 * @param jvmOptions options of the user for the ranks' JVMs
 */
record JobPlan(String job, int size, int ranksPerProcess, boolean bind, Optional<Duration> timeout,
        Duration joinTimeout, boolean tagOutput, Optional<Path> outputDirectory, Map<String, String> environment,
        List<String> jvmOptions) {

    private static final int BASE_36 = 36;

    /** {@return a name that no other job of this host has: the process and the time} */
    static String newName() {
        return ProcessHandle.current().pid() + "-" + Long.toString(System.currentTimeMillis(), BASE_36);
    }

    /** {@return the directory of the node file, which this process's environment may name} */
    Path memory() {
        return Path.of(System.getenv().getOrDefault(JobEnvironment.MEMORY, "/dev/shm"));
    }

    /** {@return the number of processes} */
    int processes() {
        return Math.ceilDiv(size, ranksPerProcess);
    }

    /** {@return the ranks of the process with this number, which counts from 0} */
    RankRange ranksOf(int process) {
        int first = process * ranksPerProcess;
        return new RankRange(first, Math.min(first + ranksPerProcess, size) - 1);
    }

    /** {@return the number of the process that holds this rank} */
    int processOf(int rank) {
        return rank / ranksPerProcess;
    }
}
