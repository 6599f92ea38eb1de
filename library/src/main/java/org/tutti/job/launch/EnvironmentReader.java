/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * Reads the environment variables that tell a process about its job. They are Tutti's own, those of other launchers
 * ({@link Launcher}), or those of a Kubernetes pod ({@link KubernetesVariables}).
 */
public final class EnvironmentReader {
    private EnvironmentReader() {}

    /**
     * Reads the environment of this process.
     *
     * @return the process's part in its job; empty if the variables name no job
     * @throws JobStartException if something is wrong or missing; the message names the variable and its value
     */
    public static Optional<JobEnvironment> read() {
        return read(System.getenv());
    }

    /**
     * Reads the environment of a process.
     *
     * @param environment the environment variables of the process
     * @return the process's part in its job; empty if the variables name no job
     * @throws JobStartException if something is wrong or missing; the message names the variable and its value
     */
    public static Optional<JobEnvironment> read(Map<String, String> environment) {
        return JobEnvironment.parse(KubernetesVariables.translate(translate(environment)));
    }

    /**
     * Adds Tutti's variables to an environment, derived from the variables of the launcher that has started this
     * process. If the environment names Tutti's job, rank or size, all launchers are ignored. For example, {@code tutti
     * run} inside a step of Slurm sets these variables. Otherwise the {@code mpirun} of an MPI has precedence over
     * Slurm, because inside a Slurm allocation it starts its processes with a step of its own. The variables of two
     * MPIs contradict each other. If the launcher has started a single process, the process gets no variables and is a
     * job of one rank.
     *
     * @param environment the environment variables of the process
     * @return the environment with the variables of Tutti that it lacks. It is unchanged if it names Tutti's job, rank
     *         or size, if no launcher has started the process, or if the launcher has started only this process
     * @throws JobStartException if a variable is missing or malformed, or some contradict each other; the message names
     *             them
     */
    static Map<String, String> translate(Map<String, String> environment) {
        if (Stream.of(JobEnvironment.JOB, JobEnvironment.RANK, JobEnvironment.SIZE)
                .anyMatch(environment::containsKey)) {
            return environment;
        }
        List<Launcher> started = Stream.of(Launcher.OPEN_MPI, Launcher.MPICH)
                .filter(each -> each.hasStarted(environment)).toList();
        if (started.size() > 1) {
            throw new JobStartException("both " + started.get(0).quote(environment) + " and "
                    + started.get(1).quote(environment)
                    + " are set, so one MPI was started inside a rank of the other, "
                    + "and which of them counts cannot be told; remove the variables of one of them, or set "
                    + JobEnvironment.JOB + ", " + JobEnvironment.RANK + " and " + JobEnvironment.SIZE + " yourself");
        }
        Launcher launcher = started.isEmpty() ? Launcher.SLURM : started.getFirst();
        if (!launcher.hasStarted(environment) || !launcher.hasSeveralRanks(environment)) {
            return environment;
        }
        Map<String, String> translated = new HashMap<>(switch (launcher) {
            case OPEN_MPI -> OpenMpiVariables.translate(environment);
            case MPICH -> HydraVariables.translate(environment);
            case SLURM -> SlurmVariables.translate(environment);
        });
        translated.putAll(environment);
        return translated;
    }
}
