/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.Map;
import java.util.regex.Pattern;

import org.tutti.JobStartException;

/**
 * A launcher of others that tells the processes it starts who they are, by variables of its own: reads these, and says
 * what is wrong with them. What they mean is said by {@link OpenMpiVariables}, {@link HydraVariables} and
 * {@link SlurmVariables}.
 */
enum Launcher {
    /** Open MPI's {@code mpirun}. */
    OPEN_MPI("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "Open MPI", "its mpirun"),
    /** MPICH's {@code mpirun}, which is called Hydra. */
    MPICH("MPI_LOCALNRANKS", "PMI_SIZE", "MPICH", "its mpirun, without -pmi-port"),
    /** Slurm's {@code srun}. */
    SLURM("SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_TASKS", "Slurm", "srun");

    /** Ports 20000 to 29999. */
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
     * @param sign a variable that is there exactly if this launcher has started the process
     * @param size the variable that says how many ranks there are
     * @param title what it is called
     * @param command how to start the program, if variables are missing
     */
    Launcher(String sign, String size, String title, String command) {
        this.sign = sign;
        this.size = size;
        this.title = title;
        this.remedy = "; start the program with " + command + ", or set " + JobEnvironment.JOB + ", "
                + JobEnvironment.RANK + " and " + JobEnvironment.SIZE + " yourself";
    }

    /** Whether this launcher has started the process. */
    boolean hasStarted(Map<String, String> environment) {
        return environment.containsKey(sign);
    }

    /** Whether it has started several ranks: one alone it leaves a job of one. */
    boolean hasSeveralRanks(Map<String, String> environment) {
        return number(environment, size) != 1;
    }

    /** The variable by which the launcher is known. */
    String sign() {
        return sign;
    }

    /** The variable that says how many ranks there are. */
    String size() {
        return size;
    }

    /** The variable by which the launcher is known, with its value. */
    String quote(Map<String, String> environment) {
        return sign + "=" + environment.get(sign);
    }

    /** What it is called in messages. */
    String title() {
        return title;
    }

    /** The value of a variable that has to be a number. */
    long number(Map<String, String> environment, String name) {
        String text = text(environment, name);
        if (!NUMBER.matcher(text).matches()) {
            throw malformed(environment, name, "a number");
        }
        return Long.parseLong(text);
    }

    /** The value of a variable that has to be there. */
    String text(Map<String, String> environment, String name) {
        if (!environment.containsKey(name)) {
            throw new JobStartException("the environment variable " + name + " is missing, while " + quote(environment)
                    + " says that " + title + " has started this process" + remedy);
        }
        return environment.get(name);
    }

    /** What is wrong with a variable, and what to do. */
    JobStartException malformed(Map<String, String> environment, String name, String expected) {
        return new JobStartException(name + "=\"" + environment.get(name) + "\" is not " + expected + remedy);
    }

    /** Why the variables cannot be used, and what to do. */
    JobStartException unusable(String reason) {
        return new JobStartException(reason + remedy);
    }

    /** A job's name made of something that tells the launcher's jobs from each other, above all by its end. */
    static String job(String launcher, String identity) {
        String name = NOT_IN_A_NAME.matcher(identity).replaceAll("-");
        int room = JOB_NAME_MAX - launcher.length() - 1;
        return launcher + "-" + name.substring(Math.max(0, name.length() - room));
    }

    /** A port for rank 0 to listen at, which all ranks of a job compute alike, and those of others seldom. */
    static int port(long number) {
        return PORT_LEAST + Math.floorMod(number, PORTS);
    }
}
