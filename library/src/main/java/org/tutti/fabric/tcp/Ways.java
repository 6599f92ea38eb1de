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
 * The ways by which a rail of this process may reach the same rail of another one: an address of this process for each
 * address of the other. They are tried one after the other, round and round, until one leads there.
 *
 * <p>The order is that of the route: first what a network card of this rail reaches without a router, then what the
 * routing table leads to from an address of this rail, then what it leads to from elsewhere or not at all, and at last
 * addresses that this host has itself: hosts may have bridges with equal addresses, but processes of one host may be
 * different nodes, too. Among equals those come first whose own address has led to another process, then IPv4, then
 * the order of the other process. Not for several threads.
 */
final class Ways {
    /**
     * A way.
     *
     * @param from an address of this process
     * @param to where the other process listens
     * @param kind by which it is ordered
     */
    record Way(InetAddress from, InetSocketAddress to, Kind kind) {}

    /** What the routing table says of a way, the best first. */
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
    private final Map<InetSocketAddress, String> left = new HashMap<>(); // why
    private final Set<InetSocketAddress> strangers = new HashSet<>();
    private List<Way> ways = List.of();
    private int current;
    private int tried;

    /**
     * @param rail its number
     * @param own the rail's addresses
     * @param theirs where the other process listens on it
     */
    Ways(int rail, List<InetAddress> own, List<InetSocketAddress> theirs) {
        this.rail = rail;
        this.own = own;
        this.theirs = theirs;
    }

    /** Whether they lead to these addresses. */
    boolean leadTo(List<InetSocketAddress> addresses) {
        return theirs.equals(addresses);
    }

    /** Whether all have been tried since they were ordered: it may be time to ask the routing table again. */
    boolean areToBeOrdered() {
        return tried == 0;
    }

    /** Whether there is nothing to choose, so that nobody need be asked before an attempt has failed. */
    boolean isOne() {
        return own.size() == 1 && theirs.size() == 1;
    }

    /** Takes the only one there is. */
    void takeTheOnly() {
        ways = isSameFamily(own.getFirst(), theirs.getFirst())
                ? List.of(new Way(own.getFirst(), theirs.getFirst(), Kind.ROUTED)) : List.of();
    }

    /**
     * Puts them into order.
     *
     * @param network this machine
     * @param proven addresses of this process that have led to another one
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

    /** The one to try, or that has led there; empty when the rails have no family of addresses in common. */
    Optional<Way> current() {
        return ways.isEmpty() ? Optional.empty() : Optional.of(ways.get(current));
    }

    /** All of them, in their order. */
    List<Way> all() {
        return ways;
    }

    boolean areSeveral() {
        return ways.size() > 1;
    }

    /** Whether the round has begun and some have not been tried. */
    boolean isRoundUnderWay() {
        return tried > 0;
    }

    /** Whether others listen at every one of their ends than the process that is meant. */
    boolean leadToStrangers() {
        return !ways.isEmpty() && ways.stream().allMatch(way -> strangers.contains(way.to()));
    }

    /** The current one does not lead there; the next one becomes the current one. */
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

    /** One of them has led there, or from there. */
    void settle(InetAddress from, InetAddress to) {
        for (int i = 0; i < ways.size(); i++) {
            if (ways.get(i).from().equals(from) && ways.get(i).to().getAddress().equals(to)) {
                current = i;
            }
        }
        tried = 0;
    }

    /** Each with the reason why it was left, if it was, for messages. */
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

    /** An address with its port, as in a rendezvous. */
    static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
