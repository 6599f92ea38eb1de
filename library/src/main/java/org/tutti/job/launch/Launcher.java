/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.Map;
import java.util.regex.Pattern;

import org.tutti.JobStartException;

/**
 * A launcher other than Tutti's, which sets environment variables of its own for the processes that it starts. This
 * enum reads these variables, and makes the exceptions for wrong values. {@link OpenMpiVariables}, {@link
 * HydraVariables} and {@link SlurmVariables} translate them into Tutti's variables.
 */
enum Launcher {
    /** Open MPI's {@code mpirun}. */
    OPEN_MPI("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "Open MPI", "its mpirun"),
    /** MPICH's {@code mpirun}, which is called Hydra. */
    MPICH("MPI_LOCALNRANKS", "PMI_SIZE", "MPICH", "its mpirun, without -pmi-port"),
    /** Slurm's {@code srun}. */
    SLURM("SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_TASKS", "Slurm", "srun");

    /** The lowest port of rank 0. The range is 20000 to 29999. */
    private static final int PORT_LEAST = 20_000;
    private static final int PORTS = 10_000;

    private static final int JOB_NAME_MAX = 64;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
    private static final Pattern NOT_IN_A_NAME = Pattern.compile("[^A-Za-z0-9._-]");

    private final String sign;
    private final String size;
    private final String title;
    private final String remedy;

    /**
     * Creates a launcher.
     *
     * @param sign a variable that is set exactly if this launcher has started the process
     * @param size the variable that has the number of ranks
     * @param title the launcher's name in messages
     * @param command the way to start the program, for messages about missing variables
     */
    Launcher(String sign, String size, String title, String command) {
        this.sign = sign;
        this.size = size;
        this.title = title;
        this.remedy = "; start the program with " + command + ", or set " + JobEnvironment.JOB + ", "
                + JobEnvironment.RANK + " and " + JobEnvironment.SIZE + " yourself";
    }

    /** Returns whether this launcher has started the process. */
    boolean hasStarted(Map<String, String> environment) {
        return environment.containsKey(sign);
    }

    /**
     * Returns whether the launcher has started several ranks. A single rank is a job of one rank, for which the
     * launcher's variables do not count.
     */
    boolean hasSeveralRanks(Map<String, String> environment) {
        return number(environment, size) != 1;
    }

    /** Returns the variable by which the launcher is known. */
    String sign() {
        return sign;
    }

    /** Returns the variable that has the number of ranks. */
    String size() {
        return size;
    }

    /** Returns the variable by which the launcher is known, with its value. */
    String quote(Map<String, String> environment) {
        return sign + "=" + environment.get(sign);
    }

    /** Returns the launcher's name in messages. */
    String title() {
        return title;
    }

    /** Returns the value of a required variable, which must be an integer. */
    long number(Map<String, String> environment, String name) {
        String text = text(environment, name);
        if (!NUMBER.matcher(text).matches()) {
            throw malformed(environment, name, "a number");
        }
        return Long.parseLong(text);
    }

    /** Returns the value of a required variable. */
    String text(Map<String, String> environment, String name) {
        if (!environment.containsKey(name)) {
            throw new JobStartException("the environment variable " + name + " is missing, while " + quote(environment)
                    + " says that " + title + " has started this process" + remedy);
        }
        return environment.get(name);
    }

    /** Returns an exception that says what is wrong with a variable, and what to do. */
    JobStartException malformed(Map<String, String> environment, String name, String expected) {
        return new JobStartException(name + "=\"" + environment.get(name) + "\" is not " + expected + remedy);
    }

    /** Returns an exception that says why the variables cannot be used, and what to do. */
    JobStartException unusable(String reason) {
        return new JobStartException(reason + remedy);
    }

    /**
     * Returns a name for a job, made from a text that differs between the launcher's jobs. A long text loses its
     * beginning.
     */
    static String job(String launcher, String identity) {
        String name = NOT_IN_A_NAME.matcher(identity).replaceAll("-");
        int room = JOB_NAME_MAX - launcher.length() - 1;
        return launcher + "-" + name.substring(Math.max(0, name.length() - room));
    }

    /**
     * Returns a port for rank 0 to listen at. All ranks of a job compute the same port, and other jobs mostly compute
     * another one.
     */
    static int port(long number) {
        return PORT_LEAST + Math.floorMod(number, PORTS);
    }
}
