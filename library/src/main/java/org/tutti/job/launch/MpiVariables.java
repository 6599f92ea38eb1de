/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.tutti.JobStartException;

/**
 * What the launcher of an MPI tells its processes, whatever it calls that. On one host, job, rank and size are all that
 * is needed; with several, those that the launcher does not tell must be set for all ranks, or are refused in one
 * sentence.
 */
interface MpiVariables {
    /** {@return whose they are} */
    Launcher launcher();

    /** {@return what the process was told} */
    Map<String, String> environment();

    /** {@return the variable that has the rank} */
    String rank();

    /** {@return the variable that has the number of ranks} */
    String size();

    /** {@return the variable that has the number of ranks on this host} */
    String localSize();

    /** {@return the name of the job, the same for all its ranks and no others'} */
    String job();

    /** {@return a number for this host that no other one of the job has} */
    Optional<String> node();

    /** {@return on how many hosts the job has ranks} */
    Optional<String> nodes();

    /** {@return the host of mpirun, where rank 0 mostly is} */
    Optional<String> firstHost();

    /**
     * Says what these variables imply. With as many ranks on this host as divide those of the job, all hosts are taken
     * to have as many, unless the launcher says otherwise: if they do not, that is noticed when they meet.
     *
     * @return variables of Tutti
     * @throws JobStartException when a variable is missing or malformed, or some contradict each other; the message
     *         names them
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
