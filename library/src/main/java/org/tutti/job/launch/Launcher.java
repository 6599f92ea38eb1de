/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * A launcher of others that tells the processes it starts who they are, by variables of its own.
 *
 * <p>Which of them speaks: none when the environment names Tutti's job, rank or size, as {@code tutti run} inside a
 * step does; otherwise an MPI's {@code mpirun}, which inside an allocation of Slurm starts its processes by a step of
 * its own; otherwise Slurm. Two MPIs at once contradict each other. A launcher that has started one process leaves it a
 * job of one.
 */
enum Launcher {
    /** Open MPI's {@code mpirun}. */
    OPEN_MPI(OpenMpiVariables.SIZE, OpenMpiVariables.SIZE, "Open MPI", "its mpirun",
            OpenMpiVariables::translate),
    /** MPICH's {@code mpirun}, which is called Hydra. */
    MPICH(HydraVariables.LOCAL_SIZE, HydraVariables.SIZE, "MPICH", "its mpirun, without -pmi-port",
            HydraVariables::translate),
    /** Slurm's {@code srun}. */
    SLURM(SlurmVariables.TASKS, SlurmVariables.TASKS, "Slurm", "srun", SlurmVariables::translate);

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
    private final UnaryOperator<Map<String, String>> translation;

    /**
     * @param sign a variable that is there exactly if this launcher has started the process
     * @param size the variable that says how many ranks there are
     * @param title what it is called
     * @param command how to start the program, if variables are missing
     * @param translation what the variables of a job of several ranks mean in Tutti's words
     */
    Launcher(String sign, String size, String title, String command,
            UnaryOperator<Map<String, String>> translation) {
        this.sign = sign;
        this.size = size;
        this.title = title;
        this.remedy = "; start the program with " + command + ", or set " + JobEnvironment.JOB + ", "
                + JobEnvironment.RANK + " and " + JobEnvironment.SIZE + " yourself";
        this.translation = translation;
    }

    /**
     * Adds what the launcher that has started this process implies.
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
        List<Launcher> signs = Stream.of(OPEN_MPI, MPICH).filter(each -> each.speaks(environment)).toList();
        if (signs.size() > 1) {
            throw new JobStartException("both " + signs.get(0).quote(environment) + " and "
                    + signs.get(1).quote(environment) + " are set, so one MPI was started inside a rank of the other, "
                    + "and which of them counts cannot be told; remove the variables of one of them, or set "
                    + JobEnvironment.JOB + ", " + JobEnvironment.RANK + " and " + JobEnvironment.SIZE + " yourself");
        }
        Launcher launcher = signs.isEmpty() ? SLURM : signs.getFirst();
        if (!launcher.speaks(environment) || launcher.number(environment, launcher.size) == 1) {
            return environment;
        }
        Map<String, String> translated = new HashMap<>(launcher.translation.apply(environment));
        translated.putAll(environment);
        return translated;
    }

    private boolean speaks(Map<String, String> environment) {
        return environment.containsKey(sign);
    }

    private String quote(Map<String, String> environment) {
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
