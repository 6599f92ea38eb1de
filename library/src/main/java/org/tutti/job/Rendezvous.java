/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import org.tutti.JobStartException;

/**
 * Where the process of rank 0 listens, as text: {@code address:port}, of several rails one for each, separated by
 * commas. An IPv6 address stands in brackets.
 */
final class Rendezvous {
    private static final int PORT_MAX = 65_535;
    private static final long LOOK_UP_AGAIN_NANOS = 200_000_000;

    private Rendezvous() {}

    /** Finds the address of a host. */
    @FunctionalInterface
    interface Names {
        InetAddress lookUp(String host) throws UnknownHostException;
    }

    static String text(List<InetSocketAddress> addresses) {
        return addresses.stream().map(Rendezvous::text).collect(Collectors.joining(","));
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /**
     * Reads the text, and looks up names of hosts.
     *
     * @throws JobStartException when it cannot be read, or an address stands there twice
     * @throws UnknownHostException when a name is not known
     */
    static List<InetSocketAddress> parse(String text) throws UnknownHostException {
        return parse(text, InetAddress::getByName);
    }

    /**
     * As {@link #parse}, again and again until all names are known: an engine may give a host its name only when that
     * has started. What a JVM has not found it looks for again only after a while, 10 s unless its
     * {@code networkaddress.cache.negative.ttl} says otherwise.
     *
     * @param deadlineNanos until when to try
     * @throws JobStartException also when a name is not known until then
     */
    static List<InetSocketAddress> await(String text, long deadlineNanos) {
        return await(text, deadlineNanos, InetAddress::getByName);
    }

    static List<InetSocketAddress> await(String text, long deadlineNanos, Names names) {
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

    private static List<InetSocketAddress> parse(String text, Names names) throws UnknownHostException {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int colon = part.lastIndexOf(':');
            String host = colon < 1 ? "" : part.substring(0, colon).replaceFirst("^\\[(.*)]$", "$1");
            int port = port(part.substring(colon + 1));
            if (host.isEmpty() || port == 0) {
                throw new JobStartException("the rendezvous \"" + text + "\" cannot be read; write address:port, with "
                        + "a port from 1 to " + PORT_MAX + ", and an IPv6 address in brackets");
            }
            addresses.add(new InetSocketAddress(names.lookUp(host), port));
        }
        if (addresses.stream().map(InetSocketAddress::getAddress).distinct().count() < addresses.size()) {
            throw new JobStartException("the rendezvous \"" + text + "\" names an address twice, and each rail has one "
                    + "of its own; see " + JobEnvironment.RENDEZVOUS);
        }
        return addresses;
    }

    /** {@return the port, or 0 when the text is none} */
    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port > 0 && port <= PORT_MAX ? port : 0;
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
