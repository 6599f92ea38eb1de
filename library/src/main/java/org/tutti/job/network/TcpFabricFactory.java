/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.JobStartException;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricFactory;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.tcp.Footprint;
import org.tutti.fabric.tcp.LocalProcess;
import org.tutti.fabric.tcp.RailAddresses;
import org.tutti.fabric.tcp.TcpFabric;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.node.Secret;

/**
 * Creates the fabric of a process, which moves bytes to other nodes over TCP. The factory finds the rails of this host,
 * which are its addresses on each network that leads to other hosts. The process of rank 0 listens at the addresses
 * where the other processes look for it.
 */
public final class TcpFabricFactory implements FabricFactory {
    private final JobEnvironment environment;
    private final Secret secret;
    private final long deadlineNanos;

    /**
     * Creates a factory for the fabric of a process.
     *
     * @param environment the process's part in its job
     * @param secret the secret that the job's processes share
     * @param deadlineNanos the time until which the factory tries to look up the name of rank 0's host
     */
    public TcpFabricFactory(JobEnvironment environment, Secret secret, long deadlineNanos) {
        this.environment = environment;
        this.secret = secret;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public Fabric open(IntFunction<List<List<InetSocketAddress>>> directory, FabricListener listener) {
        List<List<InetSocketAddress>> rails = rails();
        checkFootprint(rails.size());
        return new TcpFabric(
                new LocalProcess(environment.firstRank(), secret.connectionsKey(), rails, environment.ports(),
                        directory, environment.heartbeatMillis(), environment.standstillMillis(),
                        environment.striping(), environment.shape().nodeRanks()),
                environment.size(), listener, environment.hasCoreForEach(), environment.service());
    }

    /**
     * Checks that this process may have the memory and the open files that its connections need. When the job starts, a
     * process of each other node connects with rank 0's process. Later, any process may be connected with all processes
     * of other nodes.
     */
    private void checkFootprint(int rails) {
        int elsewhere = environment.size() - environment.shape().nodeRanks();
        Footprint.check(environment.firstRank(), environment.firstRank() == 0 ? environment.shape().nodes() - 1 : 1,
                (elsewhere + environment.ranks() - 1) / environment.ranks(), rails);
    }

    /**
     * Returns the addresses of this host on each rail. For rank 0's process, they have the port at which the other
     * processes look for it. For any other process, the port is 0, which stands for any.
     */
    private List<List<InetSocketAddress>> rails() {
        try {
            List<List<InetSocketAddress>> expected =
                    environment.rendezvous().map(text -> Rendezvous.await(text, deadlineNanos)).orElse(List.of());
            List<List<InetAddress>> addresses =
                    RailAddresses.choose(environment.rails(), towards(expected)).rails();
            List<List<InetSocketAddress>> rails = new ArrayList<>();
            for (int rail = 0; rail < addresses.size(); rail++) {
                boolean fixed = environment.firstRank() == 0 && rail < expected.size();
                rails.add(fixed
                        ? fixed(rail, addresses.get(rail), expected.get(rail),
                                RailAddresses.ADDRESSES_MAX / addresses.size())
                        : addresses.get(rail).stream().map(address -> new InetSocketAddress(address, 0)).toList());
            }
            return rails;
        } catch (JobStartException e) {
            throw new JobStartException("on host " + Network.hostName() + " " + e.getMessage());
        }
    }

    /**
     * Returns the addresses of rank 0's process on its first rail. If the environment has its host's name instead of an
     * address, loopback addresses are left out. A host may know its own name as 127.0.1.1, as on Debian, while other
     * hosts know its real address.
     */
    private List<InetAddress> towards(List<List<InetSocketAddress>> expected) {
        boolean onlyHere = Rendezvous.isOnlyHere(environment.rendezvous().orElse(""));
        return expected.stream().limit(1).flatMap(List::stream).map(InetSocketAddress::getAddress)
                .filter(address -> onlyHere || !address.isLoopbackAddress()).toList();
    }

    /**
     * Returns the addresses at which rank 0's process listens on a rail. The port is the one where the other processes
     * look for it. The addresses are all addresses of the rail, because the other processes may know the host by
     * another address than the host itself. They include loopback if this host resolves its own name to loopback.
     */
    private List<InetSocketAddress> fixed(int rail, List<InetAddress> addresses, List<InetSocketAddress> expected,
            int most) {
        int port = expected.getFirst().getPort();
        List<InetAddress> there = expected.stream().map(InetSocketAddress::getAddress).toList();
        List<InetAddress> loopback =
                there.stream().filter(address -> address.isLoopbackAddress() && !addresses.contains(address)).toList();
        if (loopback.isEmpty() && there.stream().noneMatch(addresses::contains)) {
            throw new JobStartException("the rendezvous " + Rendezvous.text(List.of(expected))
                    + " is not where the process of rank 0 listens, whose rail " + rail + " is "
                    + addresses.stream().map(InetAddress::getHostAddress).collect(Collectors.joining("|"))
                    + "; put an address of that rail into " + JobEnvironment.RENDEZVOUS
                    + ", or name the rendezvous as a rail (" + JobEnvironment.RAILS + ") if it is of this host");
        }
        return Stream.concat(addresses.stream().limit(Math.max(1, most - loopback.size())), loopback.stream())
                .limit(most).map(address -> new InetSocketAddress(address, port)).toList();
    }
}
