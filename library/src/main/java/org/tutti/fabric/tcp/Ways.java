/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.tutti.fabric.tcp.LocalNetwork.LocalAddress;

/**
 * The ways on which a connection with another process may be opened on one rail. A rail is one of the parallel
 * connections of two processes, and each process has one or more addresses for it. A way leads from an address of this
 * process to an address of the other process, and there is at most one way to each address of the other process. The
 * ways are tried one after the other, in rounds, until one succeeds.
 *
 * <p>The ways are ordered by their routes. First come addresses that a network card of this rail reaches without a
 * router. Next come addresses to which the routing table leads from an address of this rail. Then come addresses to
 * which the table leads from another address, and then addresses to which it has no route. Addresses that this host has
 * itself come last. They may belong to the other host as well, because several hosts may have bridges with equal
 * addresses. They are still tried, because the other process may run on this host. Among equal routes, ways from an
 * address that has led to another process come first, then IPv4, then the order in which the other process lists its
 * addresses. Not safe for use by several threads.
 */
final class Ways {
    /**
     * A way to another process, two addresses between which a connection may be opened.
     *
     * @param from an address of this process
     * @param to an address at which the other process listens
     * @param kind the kind of the route to that address, by which ways are ordered
     */
    record Way(InetAddress from, InetSocketAddress to, Kind kind) {}

    /** The kinds of routes according to the routing table, the best first. */
    enum Kind {
        ON_LINK(""), ROUTED(""), FROM_ELSEWHERE(", to which packets leave by another address"), WITHOUT_ROUTE(""),
        OWN(", an address of this host as well");

        private final String remark;

        Kind(String remark) {
            this.remark = remark;
        }
    }

    private final int rail;
    private final List<InetAddress> own;
    private final List<InetSocketAddress> theirs;
    private final Map<InetSocketAddress, String> left = new HashMap<>(); // reasons of failures
    private final Set<InetSocketAddress> strangers = new HashSet<>();
    private List<Way> ways = List.of();
    private int current;
    private int tried;

    /**
     * Creates the ways of a rail to another process. The caller must then find them with {@link #order} or {@link
     * #takeTheOnly}.
     *
     * @param rail the number of the rail
     * @param own the addresses of this process on the rail
     * @param theirs the addresses at which the other process listens on the rail
     */
    Ways(int rail, List<InetAddress> own, List<InetSocketAddress> theirs) {
        this.rail = rail;
        this.own = own;
        this.theirs = theirs;
    }

    /** Returns whether the ways lead to these addresses. */
    boolean leadTo(List<InetSocketAddress> addresses) {
        return theirs.equals(addresses);
    }

    /** Returns whether no round of attempts is under way, so that the ways may be ordered again. */
    boolean areToBeOrdered() {
        return tried == 0;
    }

    /**
     * Returns whether each side has a single address. The routing table then need not be asked before an attempt has
     * failed.
     */
    boolean isOne() {
        return own.size() == 1 && theirs.size() == 1;
    }

    /**
     * Uses the way between the two single addresses, without asking the routing table. There is no way if the addresses
     * belong to different families.
     */
    void takeTheOnly() {
        ways = isSameFamily(own.getFirst(), theirs.getFirst())
                ? List.of(new Way(own.getFirst(), theirs.getFirst(), Kind.ROUTED)) : List.of();
    }

    /**
     * Finds the ways and orders them by their routes. The first way becomes the current one.
     *
     * @param network the network of this machine
     * @param proven the addresses of this process that are, or were, in use for a connection with another process
     */
    void order(LocalNetwork network, Set<InetAddress> proven) {
        current = 0;
        List<LocalAddress> local = network.addresses();
        List<Way> found = new ArrayList<>();
        theirs.forEach(there -> way(there, network, local).ifPresent(found::add));
        found.sort(Comparator.comparing(Way::kind).thenComparing(way -> !proven.contains(way.from()))
                .thenComparing(way -> !(way.from() instanceof Inet4Address)));
        ways = List.copyOf(found);
    }

    private Optional<Way> way(InetSocketAddress there, LocalNetwork network, List<LocalAddress> local) {
        List<InetAddress> family = own.stream().filter(address -> isSameFamily(address, there)).toList();
        if (family.isEmpty()) {
            return Optional.empty();
        }
        InetAddress to = there.getAddress();
        Optional<InetAddress> source = network.sourceTowards(to);
        InetAddress from = source.filter(family::contains).or(() -> local.stream()
                .filter(one -> family.contains(one.address()) && one.subnet().contains(to)).map(LocalAddress::address)
                .findFirst()).orElse(family.getFirst());
        boolean isOwn = to.isLoopbackAddress() || local.stream().anyMatch(one -> one.address().equals(to));
        boolean isOnLink = local.stream().anyMatch(one -> one.address().equals(from) && one.subnet().contains(to));
        Kind kind = isOwn ? Kind.OWN : source.isEmpty() ? Kind.WITHOUT_ROUTE
                : !source.get().equals(from) ? Kind.FROM_ELSEWHERE : isOnLink ? Kind.ON_LINK : Kind.ROUTED;
        return Optional.of(new Way(from, there, kind));
    }

    private static boolean isSameFamily(InetAddress address, InetSocketAddress other) {
        return address instanceof Inet4Address == other.getAddress() instanceof Inet4Address;
    }

    /**
     * Returns the way to try next, or the way that has succeeded. The result is empty if the addresses of the two sides
     * have no family (IPv4 or IPv6) in common.
     */
    Optional<Way> current() {
        return ways.isEmpty() ? Optional.empty() : Optional.of(ways.get(current));
    }

    /** Returns all ways, in their order. */
    List<Way> all() {
        return ways;
    }

    boolean areSeveral() {
        return ways.size() > 1;
    }

    /** Returns whether a round has begun, and some ways are untried. */
    boolean isRoundUnderWay() {
        return tried > 0;
    }

    /** Returns whether a process other than the intended one listens at the end of every way. */
    boolean leadToStrangers() {
        return !ways.isEmpty() && ways.stream().allMatch(way -> strangers.contains(way.to()));
    }

    /**
     * Notes that the attempt on the current way has failed, and makes the next way the current one.
     *
     * @param why the reason, one clause
     * @param toStranger whether a process other than the intended one listens at the address to which the way leads
     */
    void leave(String why, boolean toStranger) {
        if (ways.isEmpty()) {
            return;
        }
        InetSocketAddress to = ways.get(current).to();
        left.put(to, why);
        if (toStranger) {
            strangers.add(to);
        } else {
            strangers.remove(to);
        }
        current = (current + 1) % ways.size();
        tried = (tried + 1) % ways.size();
    }

    /** Makes a way the current one because it has led to a connection, which either side may have opened. */
    void settle(InetAddress from, InetAddress to) {
        for (int i = 0; i < ways.size(); i++) {
            if (ways.get(i).from().equals(from) && ways.get(i).to().getAddress().equals(to)) {
                current = i;
            }
        }
        tried = 0;
    }

    /** Returns a text for messages that describes each way, with the reason why it failed. */
    String describe() {
        String addresses = own.stream().map(InetAddress::getHostAddress).collect(Collectors.joining(", "));
        String there = theirs.stream().map(this::describe).collect(Collectors.joining("; "));
        return "rail " + rail + " from " + addresses + " does not reach " + there;
    }

    private String describe(InetSocketAddress there) {
        Optional<Way> way = ways.stream().filter(each -> each.to().equals(there)).findFirst();
        String why = way.isEmpty() ? "this rail has no address of its family"
                : left.getOrDefault(there, "not tried");
        String from = own.size() > 1 && way.isPresent() ? " from " + way.get().from().getHostAddress() : "";
        return text(there) + from + " (" + why + way.map(each -> each.kind().remark).orElse("") + ")";
    }

    /** Returns an address with its port as text, in the format of a rendezvous address. */
    static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
