/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.tutti.JobStartException;
import org.tutti.fabric.tcp.PortRange;
import org.tutti.fabric.tcp.RailAddresses;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.tool.UsageException;

/**
 * The addresses, interfaces or subnets through which the nodes of a job reach each other, as the command line gives
 * them.
 *
 * @param everywhere the rails of every host that has none of its own; empty to choose
 * @param ofHosts the rails of hosts that have some of their own
 * @param ports the ports to listen at, empty for any
 */
record Rails(String everywhere, Map<String, String> ofHosts, String ports) {
    /** The rails of a command line without {@code --rails} and {@code --ports}. */
    static final Rails CHOSEN = new Rails("", Map.of(), "");

    private static final String LOOPBACK = "127.0.0.1";
    private static final Pattern OF_A_HOST = Pattern.compile("([^=,]+)=(.*)");

    /**
     * Reads the command line.
     *
     * @param given the values of all options {@code --rails}
     * @param ports the value of {@code --ports}
     * @param hosts the hosts of the job, if they are not all this one
     * @param severalNodesHere whether several nodes are on this host
     */
    static Rails parse(List<String> given, Optional<String> ports, Optional<Hosts> hosts, boolean severalNodesHere) {
        Optional<String> everywhere = Optional.empty();
        Map<String, String> ofHosts = new HashMap<>();
        for (var text : given) {
            Matcher parts = OF_A_HOST.matcher(text);
            boolean ofAHost = parts.matches();
            var list = ofAHost ? parts.group(2) : text;
            check(text, list);
            if (severalNodesHere) {
                requireHere(list);
            }
            if (ofAHost) {
                requireHost(text, parts.group(1), hosts);
            }
            if (ofAHost ? ofHosts.put(parts.group(1), list) != null : everywhere.isPresent()) {
                throw new UsageException("--rails " + text + " is not possible: the rails of "
                        + (ofAHost ? "host " + parts.group(1) : "all hosts")
                        + " were said before; separate several by commas");
            }
            everywhere = ofAHost ? everywhere : Optional.of(list);
        }
        return new Rails(everywhere.orElse(severalNodesHere ? LOOPBACK : ""), ofHosts, ports(ports));
    }

    private static void check(String text, String list) {
        try {
            if (list.isBlank()) {
                throw new IllegalArgumentException("it is empty");
            }
            RailAddresses.check(list);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--rails '" + text + "' is not possible: " + e.getMessage() + "; name 1 to "
                    + RailAddresses.RAILS_MAX + " interfaces, addresses or subnets, separated by commas, such as "
                    + "eth0,eth1 or 10.0.0.0/24, or what is to be left alone, such as ^docker0");
        }
    }

    /** Tries the rails of nodes that are all on this host, because otherwise each rank would report a mistake. */
    private static void requireHere(String list) {
        try {
            RailAddresses.choose(list, List.of());
        } catch (JobStartException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static void requireHost(String text, String host, Optional<Hosts> hosts) {
        if (hosts.isEmpty()) {
            throw new UsageException("--rails " + text + " has no meaning without --hosts; leave '" + host + "=' out");
        }
        if (hosts.get().entries().stream().noneMatch(entry -> entry.name().equals(host))) {
            throw new UsageException("--rails " + text + " is not possible: --hosts names no host '" + host + "'");
        }
    }

    private static String ports(Optional<String> given) {
        var text = given.or(() -> Optional.ofNullable(System.getenv(JobEnvironment.PORTS))).orElse("");
        try {
            if (given.isPresent() && text.isBlank()) {
                throw new IllegalArgumentException("it is empty; give a range such as 20000-20100");
            }
            PortRange.parse(text);
            return text.strip();
        } catch (IllegalArgumentException e) {
            throw new UsageException((given.isPresent() ? "--ports " : JobEnvironment.PORTS + "=") + text
                    + " is not possible: " + e.getMessage());
        }
    }

    /** {@return the rails of a host, or of this one; empty to choose} */
    String of(Optional<String> host) {
        return host.map(name -> ofHosts.getOrDefault(name, everywhere)).orElse(everywhere);
    }
}
