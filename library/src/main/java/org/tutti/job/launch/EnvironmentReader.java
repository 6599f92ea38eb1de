/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * Reads what a process is told about its job: in Tutti's variables, in those of other launchers ({@link Launcher}), and
 * in a pod of Kubernetes mostly in its own ({@link KubernetesVariables}).
 */
public final class EnvironmentReader {
    private EnvironmentReader() {}

    /**
     * Reads the environment of this process.
     *
     * @return what it says, or empty when it says nothing of a job
     * @throws JobStartException when something is wrong or missing; the message names the variable and its value
     */
    public static Optional<JobEnvironment> read() {
        return read(System.getenv());
    }

    /**
     * Reads the environment of a process.
     *
     * @param environment what the process was told
     * @return what that says, or empty when it says nothing of a job
     * @throws JobStartException when something is wrong or missing; the message names the variable and its value
     */
    public static Optional<JobEnvironment> read(Map<String, String> environment) {
        return JobEnvironment.parse(KubernetesVariables.translate(translate(environment)));
    }

    /**
     * Adds what the launcher that has started this process implies. None does when the environment names Tutti's job,
     * rank or size, as {@code tutti run} inside a step does; otherwise an MPI's {@code mpirun} does, which inside an
     * allocation of Slurm starts its processes by a step of its own; otherwise Slurm. Two MPIs at once contradict each
     * other. A launcher that has started one process leaves it a job of one.
     *
     * @param environment what the process was told
     * @return the same with the variables of Tutti that it lacks; unchanged when it names job, rank or size itself, and
     *         when no launcher, or one of a single process, has started it
     * @throws JobStartException when a variable is missing or malformed, or some contradict each other; the message
     *         names them
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
