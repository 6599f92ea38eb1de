/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.tutti.JobStartException;

/**
 * Where the process of rank 0 listens, as text: {@code address:port}, of several rails one for each, separated by
 * commas. An IPv6 address stands in brackets.
 */
final class Rendezvous {
    private static final int PORT_MAX = 65_535;

    private Rendezvous() {}

    static String text(List<InetSocketAddress> addresses) {
        return addresses.stream().map(Rendezvous::text).collect(Collectors.joining(","));
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Reads the text; names of hosts are looked up. */
    static List<InetSocketAddress> parse(String text) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int colon = part.lastIndexOf(':');
            String host = colon < 1 ? "" : part.substring(0, colon).replaceFirst("^\\[(.*)]$", "$1");
            try {
                int port = Integer.parseInt(part.substring(colon + 1));
                if (!host.isEmpty() && port > 0 && port <= PORT_MAX) {
                    addresses.add(new InetSocketAddress(InetAddress.getByName(host), port));
                    continue;
                }
            } catch (NumberFormatException _) {
                // said below, as for what is out of range
            } catch (UnknownHostException e) {
                throw new JobStartException("the host " + host + ", where rank 0 should listen, is not known here ("
                        + e.getMessage() + "); put an address into " + JobEnvironment.RENDEZVOUS);
            }
            throw new JobStartException("the rendezvous \"" + text + "\" cannot be read; write address:port, with a "
                    + "port from 1 to " + PORT_MAX + ", and an IPv6 address in brackets");
        }
        if (addresses.stream().map(InetSocketAddress::getAddress).distinct().count() < addresses.size()) {
            throw new JobStartException("the rendezvous \"" + text + "\" names an address twice, and each rail has one "
                    + "of its own; see " + JobEnvironment.RENDEZVOUS);
        }
        return addresses;
    }
}
