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

/** How a process reaches the others: the {@link Ways} of every rail to each of them. For the service thread. */
final class Routes {
    private static final System.Logger LOG = System.getLogger(Routes.class.getName());
    private static final long NETWORK_KNOWN_NANOS = 1_000_000_000L;

    private final LocalProcess local;
    private final LocalNetwork network = new Known(new LocalNetwork.Live());
    private final Map<Integer, Ways[]> ways = new HashMap<>();
    private final Map<RailOf, Settled> settled = new HashMap<>();
    private final Set<InetAddress> proven = new HashSet<>();

    /** A rail of another process. */
    private record RailOf(int process, int rail) {}

    /** The addresses of a connection on it. */
    private record Settled(InetAddress from, InetAddress to) {}

    /** A machine that is not asked for its addresses again and again. */
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
                } catch (JobStartException e) { // such as too many open files: it goes by what it knew before
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

    /** How many rails this process and another one have in common; throws when it has told no usable address. */
    int rails(int process) {
        return Math.min(local.rails().size(), local.addresses(process).size());
    }

    /** The ways to another process on a rail that both have; throws when it has told no usable address. */
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

    /** Asks the routing table again when all ways of a rail have been tried in vain, also for messages. */
    void lookAgain(Ways tried) {
        if (tried.areToBeOrdered()) {
            tried.order(network, proven);
        }
    }

    /** A connection has come about, which either process may have opened. */
    void settle(int process, int rail, SocketChannel channel) {
        try {
            InetAddress from = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
            InetAddress to = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
            proven.add(from);
            settled.put(new RailOf(process, rail), new Settled(from, to));
            ways(process, rail).settle(from, to);
        } catch (IOException | RuntimeException e) { // it is closed already, or has not told its addresses so far
            LOG.log(System.Logger.Level.DEBUG, "a way is not known", e);
        }
    }

    /** Where a rail of another process is, in words. */
    String place(int process, int rail) {
        return current(process, rail).map(way -> Ways.text(way.to())).orElse("an unknown address");
    }

    /** From where this process reaches it, in words. */
    String source(int process, int rail) {
        return current(process, rail).map(Ways.Way::from).orElse(local.sources(rail).getFirst()).getHostAddress();
    }

    private Optional<Ways.Way> current(int process, int rail) {
        try {
            return ways(process, rail).current();
        } catch (RuntimeException _) { // it has told no usable address
            return Optional.empty();
        }
    }

    /** Every way to another process, and why it was left. */
    String describe(int process) {
        return IntStream.range(0, rails(process)).mapToObj(rail -> ways(process, rail).describe())
                .collect(Collectors.joining("; "));
    }

    /** What asks the host of another process whether it is there, when it has been silent for a part of a time. */
    HostProbe probe(int process, long limitNanos) {
        List<Ways.Way> current = new ArrayList<>();
        for (int rail = 0; rail < rails(process); rail++) {
            ways(process, rail).current().ifPresent(current::add);
        }
        return new HostProbe(current.stream().map(Ways.Way::from).toList(),
                current.stream().map(Ways.Way::to).toList(), limitNanos);
    }
}
