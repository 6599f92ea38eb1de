/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.Map;

import org.tutti.JobStartException;

/**
 * Translates the variables that an Indexed Job of Kubernetes sets for its pods into Tutti's variables. Each pod is a
 * node of one rank, or of {@code TUTTI_RANKS_PER_PROCESS} ranks. The manifest sets the number of ranks.
 *
 * <pre>
 * Kubernetes            example   Tutti, unless set           example
 * HOSTNAME              sum-2     TUTTI_JOB                   sum               (the name of the Job)
 * HOSTNAME              sum-2     TUTTI_RENDEZVOUS            sum-0.sum:20000   (several pods only)
 * JOB_COMPLETION_INDEX  2         TUTTI_RANK, TUTTI_NODE      2, 2
 * TUTTI_SIZE            3         TUTTI_NODES                 3
 *                                 TUTTI_NODE_RANKS            1
 * </pre>
 *
 * <p>The rendezvous is the address at which the pods meet. It is right if the pods' subdomain, which is the name of a
 * headless Service, is the Job's name. The first pod gets {@code sum-0:20000}, because it finds its own name in its
 * hosts file immediately, even if the Service still names an earlier pod of that name.
 *
 * <p>A pod has a network of its own, so all pods may use the same port.
 */
final class KubernetesVariables {
    private static final String INDEX = "JOB_COMPLETION_INDEX";
    private static final String HOST = "HOSTNAME";
    private static final int INDEX_MAX = 999_999_999;
    private static final int PORT = 20_000;

    private static final String REMEDY = ", or set " + JobEnvironment.JOB + ", " + JobEnvironment.RANK + " and "
            + JobEnvironment.SIZE + " yourself";

    private KubernetesVariables() {}

    /**
     * Adds Tutti's variables to an environment, derived from the variables of a pod.
     *
     * @param environment the environment variables of the process
     * @return the environment with the variables of Tutti that it lacks. It is unchanged outside an Indexed Job, or if
     *         it already names Tutti's job and rank, which a launcher inside a pod sets
     * @throws JobStartException if a variable is missing, malformed or contradicts another one; the message names it
     */
    static Map<String, String> translate(Map<String, String> environment) {
        if (!environment.containsKey(INDEX)
                || environment.containsKey(JobEnvironment.JOB) && environment.containsKey(JobEnvironment.RANK)) {
            return environment;
        }
        if (!environment.containsKey(JobEnvironment.SIZE)) {
            throw new JobStartException("the environment variable " + JobEnvironment.SIZE + " is missing, while "
                    + INDEX + "=" + environment.get(INDEX) + " says that this is a pod of an Indexed Job; set it to "
                    + "the number of ranks, which is the Job's completions if each pod has one" + REMEDY);
        }
        int size = (int) JobEnvironment.number(environment, JobEnvironment.SIZE, 1, JobEnvironment.SIZE_MAX, -1);
        int perPod = (int) JobEnvironment.number(environment, JobEnvironment.RANKS_PER_PROCESS, 1, size, 1);
        int pod = (int) JobEnvironment.number(environment, INDEX, 0, INDEX_MAX, -1);
        int pods = (size + perPod - 1) / perPod;
        if (pod >= pods) {
            throw new JobStartException(INDEX + "=" + pod + " is beyond the last pod of a job of " + JobEnvironment.SIZE
                    + "=" + size + " ranks, " + perPod + " in each pod; set " + JobEnvironment.SIZE
                    + " to the ranks of all pods, and the Job's completions to " + pods + REMEDY);
        }
        Map<String, String> translated = new HashMap<>(environment);
        imply(translated, JobEnvironment.RANK, pod * perPod);
        imply(translated, JobEnvironment.NODE, pod);
        imply(translated, JobEnvironment.NODES, pods);
        imply(translated, JobEnvironment.NODE_RANKS, Math.min(perPod, size - pod * perPod));
        translated.computeIfAbsent(JobEnvironment.JOB, _ -> job(environment, pod));
        if (pods > 1) {
            translated.computeIfAbsent(JobEnvironment.RENDEZVOUS, _ -> rendezvous(job(environment, pod), pod));
        }
        return translated;
    }

    private static void imply(Map<String, String> translated, String name, int value) {
        String text = translated.putIfAbsent(name, String.valueOf(value));
        if (text != null && !text.equals(String.valueOf(value))) {
            throw new JobStartException(name + "=\"" + text + "\" contradicts " + INDEX + "=" + translated.get(INDEX)
                    + " and " + JobEnvironment.SIZE + "=" + translated.get(JobEnvironment.SIZE) + ", by which it is "
                    + value + "; leave it out of the manifest" + REMEDY);
        }
    }

    private static String rendezvous(String job, int pod) {
        String first = job + "-0";
        return (pod == 0 ? first : first + "." + job) + ":" + PORT;
    }

    /**
     * Returns the name of the Job, from the name of the pod's host, such as {@code sum-2} or {@code
     * sum-2.sum.default.svc}.
     */
    private static String job(Map<String, String> environment, int pod) {
        String host = environment.getOrDefault(HOST, "").split("\\.", 2)[0];
        String end = "-" + pod;
        if (!host.endsWith(end) || host.length() == end.length()) {
            throw new JobStartException(HOST + "=\"" + environment.getOrDefault(HOST, "") + "\" is not the name of the "
                    + "Job with " + end + " after it, as that of a pod of " + INDEX + "=" + pod + " is, so it does not "
                    + "tell where rank 0 is; set " + JobEnvironment.JOB + " and " + JobEnvironment.RENDEZVOUS
                    + ", such as sum and sum-0.sum:" + PORT);
        }
        return host.substring(0, host.length() - end.length());
    }
}
