/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * Translates the variables that Hydra, the {@code mpirun} of MPICH, sets for its ranks into Tutti's variables. These
 * variables do not distinguish the jobs of Hydra, but the address at which Hydra listens does. On each host Hydra
 * starts the ranks through a process {@code hydra_pmi_proxy}, and the command line of that process has the address.
 *
 * <pre>
 * Hydra                            example          Tutti, unless set   example
 * PMI_RANK                         5                TUTTI_RANK          5
 * PMI_SIZE                         8                TUTTI_SIZE          8
 * MPI_LOCALNRANKS                  2                TUTTI_NODE_RANKS    2
 * --control-port, --pgid           10.0.0.1:38961   TUTTI_JOB           mpich-10.0.0.1-38961-0
 *
 * on several hosts:
 * PMI_SIZE / MPI_LOCALNRANKS       8 / 2            TUTTI_NODES         4
 * --proxy-id                       2                TUTTI_NODE          2
 * --control-port                   10.0.0.1:38961   TUTTI_RENDEZVOUS    10.0.0.1:25017
 * </pre>
 *
 * @param environment the environment variables of the process
 * @param proxy the command line of the {@code hydra_pmi_proxy} that has started this process; empty if none was found
 */
record HydraVariables(Map<String, String> environment, List<String> proxy) implements MpiVariables {
    private static final String RANK = "PMI_RANK";
    private static final String PROXY = "hydra_pmi_proxy";
    private static final String MPIRUN = "--control-port";
    private static final String GROUP = "--pgid";
    private static final String NODE = "--proxy-id";

    private static final Pattern ADDRESS = Pattern.compile("\\[?([^\\[\\]]+)]?:[0-9]+");

    /**
     * Translates the variables that Hydra sets for a job of several ranks into Tutti's variables.
     *
     * @param environment the environment variables of the process
     * @return the names and values of Tutti's variables
     * @throws JobStartException if a variable is missing or malformed, or some contradict each other; the message names
     *             them
     */
    static Map<String, String> translate(Map<String, String> environment) {
        return new HydraVariables(environment, proxyOfThisProcess()).translate();
    }

    /**
     * Returns the command line of the {@code hydra_pmi_proxy} that has started this process. There may be shells
     * between the proxy and this process. The result is empty if no proxy is found.
     */
    private static List<String> proxyOfThisProcess() {
        return Stream.iterate(ProcessHandle.current().parent(), Optional::isPresent, each -> each.get().parent())
                .map(each -> each.get().info())
                .filter(process -> process.command().filter(command -> command.endsWith(PROXY)).isPresent())
                .findFirst().flatMap(ProcessHandle.Info::arguments).map(List::of).orElse(List.of());
    }

    @Override
    public Launcher launcher() {
        return Launcher.MPICH;
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
        return launcher().sign(); // with MPICH the number of ranks on this host
    }

    @Override
    public String job() {
        return Launcher.job("mpich", required(MPIRUN) + "-" + required(GROUP));
    }

    @Override
    public Optional<String> node() {
        return Optional.of(required(NODE));
    }

    @Override
    public Optional<String> nodes() {
        return Optional.empty();
    }

    @Override
    public Optional<String> firstHost() {
        Matcher address = ADDRESS.matcher(required(MPIRUN));
        if (!address.matches()) {
            throw launcher().unusable("the process " + PROXY + " has " + MPIRUN + " " + required(MPIRUN)
                    + ", which is no address");
        }
        String host = address.group(1);
        return Optional.of(host.contains(":") ? "[" + host + "]" : host);
    }

    private String required(String option) {
        int index = proxy.indexOf(option);
        if (index < 0 || index + 1 == proxy.size()) {
            throw launcher().unusable("no process " + PROXY + " with " + option + " is among those that have started "
                    + "this one, so its job cannot be told from others");
        }
        return proxy.get(index + 1);
    }
}
