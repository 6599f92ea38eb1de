/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.JobStartException;
import org.tutti.fabric.tcp.RailAddresses;
import org.tutti.job.launch.JobEnvironment;

/**
 * Parses the text with the addresses at which the process of rank 0 listens. The text has one entry for each rail, one
 * of the networks between hosts that the job uses. Entries are separated by commas. An entry is {@code address:port},
 * or several such alternatives separated by {@code |}. An IPv6 address stands in brackets. A host's name stands for all
 * addresses of the host.
 */
final class Rendezvous {
    private static final int PORT_MAX = 65_535;
    private static final long LOOK_UP_AGAIN_NANOS = 200_000_000;

    private Rendezvous() {}

    /** Finds the addresses of a host. */
    @FunctionalInterface
    interface Names {
        InetAddress[] lookUp(String host) throws UnknownHostException;
    }

    static String text(List<List<InetSocketAddress>> rails) {
        return rails.stream().map(rail -> rail.stream().map(Rendezvous::text).collect(Collectors.joining("|")))
                .collect(Collectors.joining(","));
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /**
     * Parses a text with the addresses of rank 0's process, and looks up the names of hosts in it. Returns the
     * addresses of each rail.
     * @throws JobStartException if the text is malformed, or has an address twice
     * @throws UnknownHostException if a name is unknown
     */
    static List<List<InetSocketAddress>> parse(String text) throws UnknownHostException {
        return parse(text, InetAddress::getAllByName);
    }

    /**
     * Returns whether a text names only {@code localhost} and loopback addresses, so that all ranks are on this
     * machine. A name that this machine resolves to a loopback address does not count as such an address.
     */
    static boolean isOnlyHere(String text) {
        return Stream.of(text.split("[,|]")).map(Rendezvous::host).allMatch(host -> {
            try {
                return host.equals("localhost") || InetAddress.ofLiteral(host).isLoopbackAddress();
            } catch (IllegalArgumentException _) {
                return false; // a name
            }
        });
    }

    /**
     * Parses a text with the addresses of rank 0's process, and repeats this until all names of hosts in it are known.
     * An engine may give a host its name only when the host has started. A JVM looks up an unknown name again only
     * after a while, which is 10 s unless {@code networkaddress.cache.negative.ttl} sets another time.
     *
     * @param deadlineNanos the time until which this method tries
     * @throws JobStartException if the text is malformed, has an address twice, or has a name that is still unknown at
     *             that time
     */
    static List<List<InetSocketAddress>> await(String text, long deadlineNanos) {
        return await(text, deadlineNanos, InetAddress::getAllByName);
    }

    static List<List<InetSocketAddress>> await(String text, long deadlineNanos, Names names) {
        while (true) {
            try {
                return parse(text, names);
            } catch (UnknownHostException e) {
                if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
                    throw new JobStartException("the rendezvous \"" + text + "\", where rank 0 should listen, is not "
                            + "known here (" + e.getMessage() + "); see why its name cannot be looked up, or put an "
                            + "address into " + JobEnvironment.RENDEZVOUS);
                }
                LockSupport.parkNanos(LOOK_UP_AGAIN_NANOS);
            }
        }
    }

    private static List<List<InetSocketAddress>> parse(String text, Names names) throws UnknownHostException {
        List<List<InetSocketAddress>> rails = new ArrayList<>();
        Set<InetAddress> known = new HashSet<>();
        for (String part : text.split(",", -1)) {
            List<InetSocketAddress> rail = new ArrayList<>();
            for (String place : part.split("\\|", -1)) {
                for (InetSocketAddress address : lookUp(place, text, names)) {
                    if (!rail.contains(address)) {
                        rail.add(address);
                    }
                }
            }
            if (!rail.stream().map(InetSocketAddress::getAddress).allMatch(known::add)) {
                throw new JobStartException("the rendezvous \"" + text + "\" names an address twice, and each rail has "
                        + "addresses of its own; see " + JobEnvironment.RENDEZVOUS);
            }
            rails.add(rail.stream().limit(RailAddresses.ADDRESSES_MAX).toList());
        }
        return rails;
    }

    private static List<InetSocketAddress> lookUp(String place, String text, Names names) throws UnknownHostException {
        String host = host(place);
        int port = port(place.substring(place.lastIndexOf(':') + 1));
        if (host.isEmpty() || port == 0) {
            throw new JobStartException("the rendezvous \"" + text + "\" cannot be read; write address:port, with "
                    + "a port from 1 to " + PORT_MAX + ", and an IPv6 address in brackets");
        }
        return Stream.of(names.lookUp(host)).map(address -> new InetSocketAddress(address, port)).toList();
    }

    /** {@return the text before the port; empty if there is none} */
    private static String host(String place) {
        int colon = place.lastIndexOf(':');
        return colon < 1 ? "" : place.substring(0, colon).replaceFirst("^\\[(.*)]$", "$1");
    }

    /** {@return the port, or 0 when the text is not a port} */
    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port > 0 && port <= PORT_MAX ? port : 0;
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
