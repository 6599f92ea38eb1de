/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.tutti.JobStartException;

/**
 * The environment variables that the launcher of an MPI sets for the processes that it starts. On one host, the job,
 * the rank and the numbers of ranks are enough. On several hosts Tutti needs the others, too. If the launcher does not
 * set one of them, the user must set Tutti's variable instead for all ranks. If one is missing, an exception names it.
 */
interface MpiVariables {
    /** {@return the launcher that sets the variables} */
    Launcher launcher();

    /** {@return the environment of the process} */
    Map<String, String> environment();

    /** {@return the variable that has the rank} */
    String rank();

    /** {@return the variable that has the number of ranks} */
    String size();

    /** {@return the variable that has the number of ranks on this host} */
    String localSize();

    /** {@return the name of the job, the same for all its ranks, and different for other jobs} */
    String job();

    /** {@return a number for this host, unique in the job} */
    Optional<String> node();

    /** {@return the number of hosts on which the job has ranks} */
    Optional<String> nodes();

    /** {@return the host of mpirun, on which rank 0 mostly runs} */
    Optional<String> firstHost();

    /**
     * Translates these variables into Tutti's variables. If the launcher does not set the number of hosts, this method
     * assumes that all hosts have equally many ranks, provided that the number of ranks on this host divides the number
     * of ranks of the job. If the assumption is wrong, the nodes notice when they meet.
     *
     * @return the names and values of Tutti's variables
     * @throws JobStartException if a variable is missing or malformed, or some contradict each other; the message names
     *             them
     */
    default Map<String, String> translate() {
        long rank = number(rank());
        long size = number(size());
        long here = number(localSize());
        if (rank >= size || here < 1 || here > size) {
            throw launcher().unusable(rank() + "=" + rank + ", " + size() + "=" + size + " and " + localSize() + "="
                    + here + " contradict each other");
        }
        Map<String, String> translated = new HashMap<>();
        translated.put(JobEnvironment.JOB, job());
        translated.put(JobEnvironment.RANK, String.valueOf(rank));
        translated.put(JobEnvironment.SIZE, String.valueOf(size));
        if (here < size) {
            translated.put(JobEnvironment.NODE_RANKS, String.valueOf(here));
            add(translated, JobEnvironment.NODES, "on how many hosts its ranks are",
                    () -> nodes().or(() -> size % here == 0 ? Optional.of(String.valueOf(size / here))
                            : Optional.empty()));
            add(translated, JobEnvironment.NODE, "which of its hosts this is", this::node);
            add(translated, JobEnvironment.RENDEZVOUS, "where rank 0 is",
                    () -> firstHost().map(host -> host + ":" + Launcher.port(job().hashCode())));
        }
        return translated;
    }

    private long number(String name) {
        return launcher().number(environment(), name);
    }

    private void add(Map<String, String> translated, String name, String meaning, Supplier<Optional<String>> value) {
        if (!environment().containsKey(name)) {
            translated.put(name, value.get().orElseThrow(() -> new JobStartException(launcher().title()
                    + " has started " + number(localSize()) + " of " + number(size()) + " ranks on this host, and does "
                    + "not say " + meaning + "; set " + name + " for each of them")));
        }
    }
}
