/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.tutti.Topology;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Option;

/** The options for the number of ranks and their placement, which all commands that start a job share. */
public final class PlacementOptions {

    @Option(names = {"-n", "-np",
            "--ranks"}, paramLabel = "ranks", converter = RankCountConverter.class,
            description = "Number of ranks; as many as cores unless given.")
    private Integer ranks;

    @Option(names = "--nodes", paramLabel = "m",
            description = "Divide the ranks into m nodes on this host, which share no memory. Default: 1.")
    private Integer nodes;

    @Option(names = "--hosts", paramLabel = "host:ranks,...",
            description = "Start this many ranks on each of these hosts, as in a:4,b:4; each entry is a node.")
    private String hosts;

    @Option(names = "--agent", paramLabel = "command",
            description = "The command that runs another command on a host; {host} in it stands for the name. "
                    + "Default: ssh -o BatchMode=yes {host}.")
    private String agent;

    @Option(names = "--remote-tutti", paramLabel = "path",
            description = "The path of the script tutti on the hosts. Default: its path here.")
    private String remoteTutti;

    @Option(names = "--rails", paramLabel = "[host=]rail,...",
            description = "Interfaces, addresses or subnets that the nodes reach each other by, at most 4, and others "
                    + "that they leave alone, as ^eth9; chosen unless given. Once more for a host: --rails b=ens3.")
    private List<String> rails = List.of();

    @Option(names = "--ports", paramLabel = "first-last",
            description = "Ports that the processes of several nodes listen at, as 20000-20100; else those of "
                    + JobEnvironment.PORTS + ", or any.")
    private String ports;

    /**
     * {@return the number of ranks of a job that is one process on this host}
     */
    public int ranksOfOneProcess() {
        if (nodes != null || hosts != null) {
            throw new UsageException((nodes != null ? "--nodes " + nodes : "--hosts " + hosts)
                    + " is not possible with ranks that are threads of one process; leave it out");
        }
        return onThisHost(1).size();
    }

    /** {@return the node of each rank of the job} */
    public Topology topology() {
        var placement = placement(hosts(), 1);
        return new Topology(IntStream.range(0, placement.size()).map(placement::nodeOfRank).toArray());
    }

    /**
     * {@return the hosts of the nodes, if they are not all on this one}
     */
    Optional<Hosts> hosts() {
        return Optional.ofNullable(hosts)
                .map(list -> Hosts.parse(list, Optional.ofNullable(agent), Optional.ofNullable(remoteTutti)));
    }

    /**
     * Computes the node and the process of each rank.
     *
     * @param there the result of {@link #hosts}
     * @param ranksPerProcess how many ranks share a process
     * @return the placement
     */
    Placement placement(Optional<Hosts> there, int ranksPerProcess) {
        return there.map(list -> onHosts(list, ranksPerProcess)).orElseGet(() -> onThisHost(ranksPerProcess));
    }

    private Placement onHosts(Hosts there, int ranksPerProcess) {
        if (nodes != null) {
            throw new UsageException("--nodes " + nodes + " is not possible with --hosts, where each entry is a node; "
                    + "name a host twice for two nodes on it");
        }
        var placement = new Placement(there.entries().stream().map(Hosts.Entry::ranks).toList(), ranksPerProcess);
        if (ranks != null && ranks != placement.size()) {
            throw new UsageException("-n " + ranks + " is not possible with --hosts " + hosts + ", which has "
                    + placement.size() + " ranks; leave -n out");
        }
        return placement;
    }

    private Placement onThisHost(int ranksPerProcess) {
        for (var option : new String[][]{{"--agent", agent}, {"--remote-tutti", remoteTutti}}) {
            if (option[1] != null) {
                throw new UsageException(option[0] + " " + option[1]
                        + " has no meaning without --hosts; name the hosts with --hosts a:4,b:4");
            }
        }
        int size = ranks == null ? Math.max(Cores.count(), nodes == null ? 1 : nodes) : ranks;
        requireCount("-n", size);
        if (nodes != null && (nodes < 1 || nodes > size)) {
            throw new UsageException("--nodes " + nodes + " is not possible; give a number from 1 to " + size
                    + ", as each node has a rank or more");
        }
        return Placement.even(size, nodes == null ? 1 : nodes, ranksPerProcess);
    }

    /** {@return the network addresses of the nodes} */
    Rails rails() {
        return Rails.parse(rails, Optional.ofNullable(ports), hosts(), nodes != null && nodes > 1);
    }

    static void requireCount(String option, int count) {
        if (count < 1 || count > JobEnvironment.SIZE_MAX) {
            throw new UsageException(option + " " + count + " is not possible; give a number from 1 to "
                    + JobEnvironment.SIZE_MAX);
        }
    }
}
