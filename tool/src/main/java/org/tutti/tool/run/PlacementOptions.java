/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.Topology;
import org.tutti.job.JobEnvironment;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Option;

/** The options that say how many ranks there are, and where: the same for every command that starts a job. */
public final class PlacementOptions {
    private static final int RAILS_MAX = 4;
    private static final Pattern RAIL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:%@-]{0,63}|\\[?[0-9A-Fa-f:.]{2,45}]?");
    private static final String LOOPBACK = "127.0.0.1";

    @Option(names = {"-n", "-np",
            "--ranks"}, paramLabel = "ranks", converter = RankCountConverter.class,
            description = "Number of ranks; as many as cores unless given.")
    private Integer ranks;

    @Option(names = "--nodes", paramLabel = "m",
            description = "Divide the ranks into m nodes on this host, which share no memory. Default: 1.")
    private Integer nodes;

    @Option(names = "--hosts", paramLabel = "host:ranks,...",
            description = "Start so many ranks on each of these hosts, as in a:4,b:4; each entry is a node.")
    private String hosts;

    @Option(names = "--agent", paramLabel = "command",
            description = "What runs a command on a host; {host} in it stands for the name. "
                    + "Default: ssh -o BatchMode=yes {host}.")
    private String agent;

    @Option(names = "--remote-tutti", paramLabel = "path",
            description = "Where the script tutti is on the hosts; where this one is unless given.")
    private String remoteTutti;

    @Option(names = "--rails", paramLabel = "address,...",
            description = "Addresses or interfaces that the nodes reach each other by, at most 4; chosen unless given.")
    private String rails;

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

    /**
     * {@return which ranks of the job are on which nodes}
     */
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
     * Finds out which ranks are where.
     *
     * @param there what {@link #hosts} has returned
     * @param ranksPerProcess how many ranks share a process
     * @return their places
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

    /** {@return the addresses or interfaces between the nodes, empty to choose} */
    String rails() {
        if (rails == null) {
            return nodes != null && nodes > 1 ? LOOPBACK : "";
        }
        var names = rails.split(",", -1);
        if (names.length > RAILS_MAX || !Stream.of(names).allMatch(RAIL.asMatchPredicate())) {
            throw new UsageException("--rails '" + rails + "' is not possible; name 1 to " + RAILS_MAX
                    + " addresses or interfaces, separated by commas, such as 10.0.0.1,10.0.1.1 or eth0,eth1");
        }
        return rails;
    }

    static void requireCount(String option, int count) {
        if (count < 1 || count > JobEnvironment.SIZE_MAX) {
            throw new UsageException(option + " " + count + " is not possible; give a number from 1 to "
                    + JobEnvironment.SIZE_MAX);
        }
    }
}
