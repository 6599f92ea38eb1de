/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.Map;

/**
 * What Slurm's {@code srun} tells the processes of a step, in Tutti's own words.
 */
final class SlurmVariables {
    private SlurmVariables() {}

    /** The environment, with the variables of Tutti that it lacks but a step of Slurm implies. */
    static Map<String, String> translate(Map<String, String> environment) {
        return environment;
    }
}
