/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.tutti.JobStartException;

/**
 * Translates the variables that Open MPI's {@code mpirun} sets for its ranks into Tutti's variables. All versions of
 * Open MPI document the first three variables, and PMIx documents the fourth. Version 4 sets the others. The number of
 * a node is that of Open MPI's daemon on the host; {@code mpirun} itself has number 0. The daemon of a host without
 * ranks leaves a gap in the numbers.
 *
 * <pre>
 * Open MPI                     example                          Tutti, unless set   example
 * OMPI_COMM_WORLD_RANK         5                                TUTTI_RANK          5
 * OMPI_COMM_WORLD_SIZE         8                                TUTTI_SIZE          8
 * OMPI_COMM_WORLD_LOCAL_SIZE   2                                TUTTI_NODE_RANKS    2
 * PMIX_NAMESPACE               781910017                        TUTTI_JOB           openmpi-781910017
 *
 * on several hosts:
 * OMPI_MCA_orte_num_nodes      4                                TUTTI_NODES         4
 * PMIX_SERVER_URI21            781910016.2;tcp4://127.0.0.1:4   TUTTI_NODE          2
 * OMPI_MCA_orte_hnp_uri        781910016.0;tcp://10.0.0.1:45    TUTTI_RENDEZVOUS    10.0.0.1:23264
 * </pre>
 *
 * @param environment the environment variables of the process
 */
record OpenMpiVariables(Map<String, String> environment) implements MpiVariables {
    private static final String RANK = "OMPI_COMM_WORLD_RANK";
    private static final String LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_SIZE";
    private static final String NAMESPACE = "PMIX_NAMESPACE";
    private static final String PMIX_RANK = "PMIX_RANK";
    private static final String NODES = "OMPI_MCA_orte_num_nodes";
    private static final String SERVERS = "PMIX_SERVER_URI"; // followed by a version of PMIx; each has the same number
    private static final String MPIRUN = "OMPI_MCA_orte_hnp_uri";

    private static final Pattern DAEMON = Pattern.compile("[^;]*\\.([0-9]{1,9});.*");
    private static final Pattern ADDRESS = Pattern.compile("tcp6?://(\\[[^],]+|[^],:;\\[]+)");

    /**
     * Translates the variables that Open MPI sets for a job of several ranks into Tutti's variables.
     *
     * @param environment the environment variables of the process
     * @return the names and values of Tutti's variables
     * @throws JobStartException if a variable is missing or malformed, or some contradict each other; the message names
     *             them
     */
    static Map<String, String> translate(Map<String, String> environment) {
        return new OpenMpiVariables(environment).translate();
    }

    @Override
    public Launcher launcher() {
        return Launcher.OPEN_MPI;
    }

    @Override
    public String rank() {
        return RANK;
    }

    @Override
    public String size() {
        return launcher().size();
    }

    @Override
    public String localSize() {
        return LOCAL_SIZE;
    }

    /**
     * {@inheritDoc} This method throws if the variables of PMIx and of Open MPI name different ranks. That is so if
     * another launcher has started a job with PMIx inside a rank.
     */
    @Override
    public String job() {
        String rank = launcher().text(environment, RANK);
        if (!environment.getOrDefault(PMIX_RANK, rank).equals(rank)) {
            throw launcher().unusable(RANK + "=" + rank + " and " + PMIX_RANK + "=" + environment.get(PMIX_RANK)
                    + " contradict each other");
        }
        return Launcher.job("openmpi", launcher().text(environment, NAMESPACE));
    }

    @Override
    public Optional<String> node() {
        return environment.keySet().stream().filter(name -> name.startsWith(SERVERS)).sorted()
                .map(name -> DAEMON.matcher(environment.get(name)).results().map(result -> result.group(1)).findFirst()
                        .orElseThrow(
                                () -> launcher().malformed(environment, name, "a number after a dot, and an address")))
                .findFirst();
    }

    @Override
    public Optional<String> nodes() {
        return Optional.ofNullable(environment.get(NODES));
    }

    @Override
    public Optional<String> firstHost() {
        return Optional.ofNullable(environment.get(MPIRUN)).map(text -> ADDRESS.matcher(text).results()
                .map(OpenMpiVariables::address).findFirst()
                .orElseThrow(() -> launcher().malformed(environment, MPIRUN, "a number and an address")));
    }

    private static String address(MatchResult result) {
        return result.group(1).startsWith("[") ? result.group(1) + "]" : result.group(1);
    }
}
