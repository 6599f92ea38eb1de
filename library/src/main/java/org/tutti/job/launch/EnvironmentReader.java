/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.Map;
import java.util.Optional;

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
        return JobEnvironment.parse(KubernetesVariables.translate(Launcher.translate(environment)));
    }
}
