/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.tutti.JobStartException;

/**
 * Translates the variables that Slurm's {@code srun} sets for the processes of a step into Tutti's variables. A step of
 * Slurm becomes a job of Tutti.
 *
 * <pre>
 * Slurm                        example       Tutti, unless set   example
 * SLURM_JOB_ID, SLURM_STEP_ID  17, 0         TUTTI_JOB           slurm-17-0
 * SLURM_PROCID                 5             TUTTI_RANK          5
 * SLURM_STEP_NUM_TASKS         8             TUTTI_SIZE          8
 * SLURM_NODEID                 1             TUTTI_NODE          1
 * SLURM_STEP_NUM_NODES         4             TUTTI_NODES         4
 * SLURM_STEP_TASKS_PER_NODE    4,2,1(x2)     TUTTI_NODE_RANKS    2          (this node's)
 * SLURM_STEP_NODELIST          n[1-4]        TUTTI_RENDEZVOUS    n1:21717   (the first node; several nodes only)
 * </pre>
 *
 * <p>Only variables of a step count. A batch script and the shell of {@code salloc} also get the number of a task and a
 * number of tasks, but a program started there must remain a job of one rank. A step of one task is a job of one rank,
 * too, because all programs that an interactive shell ({@code srun --pty bash}) starts inherit its variables.
 */
final class SlurmVariables {
    private static final String JOB = "SLURM_JOB_ID";
    private static final String STEP = "SLURM_STEP_ID";
    private static final String TASK = "SLURM_PROCID";
    private static final String TASKS = Launcher.SLURM.size();
    private static final String NODE = "SLURM_NODEID";
    private static final String NODES = "SLURM_STEP_NUM_NODES";
    private static final String TASKS_PER_NODE = "SLURM_STEP_TASKS_PER_NODE";
    private static final String NODE_LIST = "SLURM_STEP_NODELIST";

    /** The variables that have the same meaning in Slurm and Tutti. */
    private static final Map<String, String> SAME = Map.of(TASK, JobEnvironment.RANK, TASKS, JobEnvironment.SIZE, NODE,
            JobEnvironment.NODE, NODES, JobEnvironment.NODES);

    /**
     * The distance between the ports of neighbouring jobs. It is coprime to the number of ports, so that jobs and steps
     * with close numbers get different ports.
     */
    private static final int PORTS_PER_JOB = 101;

    private static final Pattern TASKS_OF_NODES = Pattern.compile("([0-9]{1,9})(?:\\(x([0-9]{1,9})\\))?");
    private static final Pattern NUMBERS_OF_NODES = Pattern.compile("\\[([0-9]+)[0-9,-]*]");
    private static final Pattern NAME_OF_NODE = Pattern.compile("[A-Za-z0-9._-]+");

    private SlurmVariables() {}

    /**
     * Translates the variables that Slurm sets for a step of several tasks into Tutti's variables.
     *
     * @param environment the environment variables of the process
     * @return the names and values of Tutti's variables
     * @throws JobStartException if a variable of the step is missing or malformed; the message names it
     */
    static Map<String, String> translate(Map<String, String> environment) {
        long job = Launcher.SLURM.number(environment, JOB);
        long step = Launcher.SLURM.number(environment, STEP);
        Map<String, String> translated = new HashMap<>();
        translated.put(JobEnvironment.JOB, "slurm-" + job + "-" + step);
        SAME.forEach((slurm, tutti) -> translated.put(tutti,
                String.valueOf(Launcher.SLURM.number(environment, slurm))));
        translated.put(JobEnvironment.NODE_RANKS, String.valueOf(tasksOfNode(environment)));
        if (Launcher.SLURM.number(environment, NODES) > 1 && !environment.containsKey(JobEnvironment.RENDEZVOUS)) {
            translated.put(JobEnvironment.RENDEZVOUS,
                    firstNode(environment) + ":" + Launcher.port(job * PORTS_PER_JOB + step));
        }
        return translated;
    }

    /**
     * Returns the number of tasks on this node, from Slurm's list of the numbers of all nodes. The list {@code
     * 4,2,1(x2)} gives nodes 2 and 3 one task each.
     */
    private static int tasksOfNode(Map<String, String> environment) {
        long nodesToPass = Launcher.SLURM.number(environment, NODE);
        for (String element : Launcher.SLURM.text(environment, TASKS_PER_NODE).split(",", -1)) {
            Matcher matcher = TASKS_OF_NODES.matcher(element);
            if (!matcher.matches()) {
                break;
            }
            nodesToPass -= matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
            if (nodesToPass < 0) {
                return Integer.parseInt(matcher.group(1));
            }
        }
        throw Launcher.SLURM.malformed(environment, TASKS_PER_NODE, "a list such as 4,2,1(x2) with an element for node "
                + environment.get(NODE));
    }

    /** Returns the first node of a list. For {@code rack[1-2]-n[001-004,7],login} it is {@code rack1-n001}. */
    private static String firstNode(Map<String, String> environment) {
        String name =
                NUMBERS_OF_NODES.matcher(Launcher.SLURM.text(environment, NODE_LIST)).replaceAll("$1").split(",", 2)[0];
        if (!NAME_OF_NODE.matcher(name).matches()) {
            throw Launcher.SLURM.malformed(environment, NODE_LIST, "a list of nodes such as n[1-4,7]");
        }
        return name;
    }
}
