/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.JobStartException;

/**
 * The routes of this process to the other processes. For each other process and each rail (one of the parallel
 * connections of two processes), the routes are the {@link Ways} on which a connection may be opened. Only the service
 * thread uses this class.
 */
final class Routes {
    private static final System.Logger LOG = System.getLogger(Routes.class.getName());
    private static final long NETWORK_KNOWN_NANOS = 1_000_000_000L;

    private final LocalProcess local;
    private final LocalNetwork network = new Known(new LocalNetwork.Live());
    private final Map<Integer, Ways[]> ways = new HashMap<>();
    private final Map<RailOf, Settled> settled = new HashMap<>();
    private final Set<InetAddress> proven = new HashSet<>();

    /** A rail to another process. */
    private record RailOf(int process, int rail) {}

    /** The addresses of the connection on a rail to another process. */
    private record Settled(InetAddress from, InetAddress to) {}

    /** The network of this machine, with its addresses cached for a second. */
    private static final class Known implements LocalNetwork {
        private final LocalNetwork machine;
        private List<LocalAddress> addresses = List.of();
        private long askedNanos = System.nanoTime() - NETWORK_KNOWN_NANOS;

        Known(LocalNetwork machine) {
            this.machine = machine;
        }

        @Override
        public List<LocalAddress> addresses() {
            if (System.nanoTime() - askedNanos >= NETWORK_KNOWN_NANOS) {
                askedNanos = System.nanoTime();
                try {
                    addresses = machine.addresses();
                } catch (JobStartException e) { // such as too many open files: the old addresses stay
                    LOG.log(System.Logger.Level.DEBUG, "the addresses of this machine are not known", e);
                }
            }
            return addresses;
        }

        @Override
        public List<InetAddress> lookUp(String hostName) {
            return machine.lookUp(hostName);
        }

        @Override
        public Optional<InetAddress> sourceTowards(InetAddress other) {
            return machine.sourceTowards(other);
        }
    }

    Routes(LocalProcess local) {
        this.local = local;
    }

    /**
     * Returns the number of rails that this process and another one have in common. This method throws an exception if
     * the other process has announced no usable address.
     */
    int rails(int process) {
        return Math.min(local.rails().size(), local.addresses(process).size());
    }

    /**
     * Returns the ways to another process on a rail that both processes have. This method throws an exception if the
     * other process has announced no usable address.
     */
    Ways ways(int process, int rail) {
        List<InetSocketAddress> there = local.addresses(process).get(rail);
        Ways[] all = ways.computeIfAbsent(process, _ -> new Ways[local.rails().size()]);
        if (all[rail] == null || !all[rail].leadTo(there)) {
            all[rail] = new Ways(rail, local.sources(rail), there);
            if (all[rail].isOne()) {
                all[rail].takeTheOnly();
            } else {
                all[rail].order(network, proven);
            }
            Settled known = settled.get(new RailOf(process, rail));
            if (known != null) {
                all[rail].settle(known.from(), known.to());
            }
        }
        return all[rail];
    }

    /**
     * Asks the routing table again and orders the ways of a rail anew, if all of them have failed. The next round of
     * attempts uses the new order, and so do messages about the ways.
     */
    void lookAgain(Ways tried) {
        if (tried.areToBeOrdered()) {
            tried.order(network, proven);
        }
    }

    /** Notes the addresses of a new connection, which either process may have opened. */
    void settle(int process, int rail, SocketChannel channel) {
        try {
            InetAddress from = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
            InetAddress to = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
            proven.add(from);
            settled.put(new RailOf(process, rail), new Settled(from, to));
            ways(process, rail).settle(from, to);
        } catch (IOException | RuntimeException e) { // the channel is closed, or the process has told no address yet
            LOG.log(System.Logger.Level.DEBUG, "a way is not known", e);
        }
    }

    /** Returns the address of another process on a rail, as text. */
    String place(int process, int rail) {
        return current(process, rail).map(way -> Ways.text(way.to())).orElse("an unknown address");
    }

    /** Returns the address from which this process reaches another one on a rail, as text. */
    String source(int process, int rail) {
        return current(process, rail).map(Ways.Way::from).orElse(local.sources(rail).getFirst()).getHostAddress();
    }

    private Optional<Ways.Way> current(int process, int rail) {
        try {
            return ways(process, rail).current();
        } catch (RuntimeException _) { // the process has told no usable address
            return Optional.empty();
        }
    }

    /** Returns a text for messages that describes every way to another process, and why it failed. */
    String describe(int process) {
        return IntStream.range(0, rails(process)).mapToObj(rail -> ways(process, rail).describe())
                .collect(Collectors.joining("; "));
    }

    /**
     * Creates a probe that finds out whether the host of another process answers.
     *
     * @param limitNanos the longest time for which a host may be silent, in nanoseconds
     */
    HostProbe probe(int process, long limitNanos) {
        List<Ways.Way> current = new ArrayList<>();
        for (int rail = 0; rail < rails(process); rail++) {
            ways(process, rail).current().ifPresent(current::add);
        }
        return new HostProbe(current.stream().map(Ways.Way::from).toList(),
                current.stream().map(Ways.Way::to).toList(), limitNanos);
    }
}
