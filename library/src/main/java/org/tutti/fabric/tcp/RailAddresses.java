/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.tutti.JobStartException;
import org.tutti.fabric.tcp.LocalNetwork.LocalAddress;

/**
 * The addresses of this machine that a process listens on and connects from: one for each rail, in the order of the
 * rails. They are those that were asked for, or else the one from which the rendezvous is reached, or else the first
 * that other hosts are likely to reach: of an interface that is up and leads neither back to this machine, nor to just
 * one other, nor to containers; IPv4 before IPv6, then in the order of the interfaces; loopback when there is none.
 * Never a wildcard.
 */
public final class RailAddresses {
    /** The most rails that a process may have. */
    public static final int RAILS_MAX = 4;

    private static final int LISTED_MAX = 16;
    private static final int LOOPBACK_NETWORK = 127;
    private static final List<String> CONTAINER_PREFIXES = List.of("docker", "br-", "veth", "virbr", "vnet", "cni",
            "flannel", "cali", "cilium", "podman", "lxcbr", "lxdbr", "kube-");

    /**
     * An address of this machine, and why it is a rail or not.
     *
     * @param address the address
     * @param interfaceName the name of its interface
     * @param chosen whether it is a rail
     * @param reason why, in one line
     */
    public record Candidate(InetAddress address, String interfaceName, boolean chosen, String reason) {}

    private final LocalNetwork network;
    private final List<LocalAddress> local;
    private final Map<LocalAddress, String> chosen = new LinkedHashMap<>(); // and why
    private final List<Candidate> candidates = new ArrayList<>();

    private RailAddresses(LocalNetwork network) {
        this.network = network;
        this.local = network.addresses();
    }

    /**
     * Chooses, or checks what was asked for.
     *
     * @param wanted up to four addresses (IPv4 or IPv6, with a scope such as {@code %eth0} where there may be doubt),
     *        interfaces or names of this host, separated by commas; empty to choose
     * @param towards where the rendezvous is, when that is known; it counts only if nothing is asked for
     * @return the addresses
     * @throws JobStartException when something that was asked for is no address of this machine, or there is no way to
     *         the rendezvous
     */
    public static RailAddresses choose(String wanted, Optional<InetAddress> towards) {
        return choose(wanted, towards, new LocalNetwork.Live());
    }

    static RailAddresses choose(String wanted, Optional<InetAddress> towards, LocalNetwork network) {
        RailAddresses rails = new RailAddresses(network);
        if (!wanted.isBlank()) {
            rails.takeWanted(wanted);
            rails.explain(_ -> "not asked for");
        } else if (towards.isPresent()) {
            rails.takeTheWayTo(towards.get());
            rails.explain(address -> objection(address).orElse("not the way to the rendezvous"));
        } else {
            rails.takeTheFirst();
            rails.explain(address -> objection(address).orElse("one is chosen; ask for several by name"));
        }
        return rails;
    }

    /** {@return the address of each rail, one to four of them} */
    public List<InetAddress> addresses() {
        return chosen.keySet().stream().map(LocalAddress::address).toList();
    }

    /**
     * {@return all addresses of this machine and why each was chosen or not: the rails in their order, then the others
     * in that of their interfaces}
     */
    public List<Candidate> candidates() {
        return List.copyOf(candidates);
    }

    private void takeWanted(String wanted) {
        String[] names = wanted.split(",", -1);
        if (names.length > RAILS_MAX) {
            throw refusal(wanted, "they are " + names.length + ", and there can be " + RAILS_MAX);
        }
        for (String name : names) {
            LocalAddress address = find(name.strip(), wanted);
            if (chosen.containsKey(address)) {
                throw refusal(wanted, text(address) + " is named twice, and each rail needs an address of its own");
            }
            chosen.put(address, "asked for as " + name.strip());
        }
    }

    private void takeTheWayTo(InetAddress towards) {
        String there = towards.getHostAddress();
        if (towards.isAnyLocalAddress()) {
            throw new JobStartException("the rendezvous cannot be at " + there + ", which stands for every address; "
                    + "give the one that other hosts reach");
        }
        InetAddress source = network.sourceTowards(towards).orElseThrow(() -> new JobStartException(
                "there is no way from this machine to the rendezvous at " + there + "; it has " + listed()
                        + "; check the address and the routes, or name the rails (--rails, TUTTI_RAILS)"));
        LocalAddress address = withAddress(source, scope(source)).orElseThrow(() -> new JobStartException(
                "packets to the rendezvous at " + there + " leave from " + source.getHostAddress()
                        + ", which no interface of this machine has any more; it has " + listed() + "; start again"));
        chosen.put(address, "the way to the rendezvous at " + there);
    }

    private void takeTheFirst() {
        Optional<LocalAddress> first = local.stream().filter(address -> objection(address).isEmpty())
                .min(Comparator.comparing((LocalAddress address) -> !isIpv4(address))
                        .thenComparing(LocalAddress::index));
        if (first.isPresent()) {
            chosen.put(first.get(), "the first that other hosts may reach");
            return;
        }
        LocalAddress loopback = local.stream().filter(address -> address.up() && address.loopback())
                .min(Comparator.comparing(address -> !isIpv4(address)))
                .orElseThrow(() -> new JobStartException("this machine has no address to listen on, not even loopback; "
                        + "it has " + listed() + "; bring an interface up (ip link set lo up)"));
        chosen.put(loopback, "nothing leads to other hosts: only this machine can reach it");
    }

    private void explain(Function<LocalAddress, String> whyNot) {
        chosen.forEach((address, why) -> add(address, true, why));
        local.stream().filter(address -> !chosen.containsKey(address))
                .forEach(address -> add(address, false, whyNot.apply(address)));
    }

    private void add(LocalAddress address, boolean rail, String reason) {
        candidates.add(new Candidate(address.address(), address.interfaceName(), rail, reason));
    }

    /** Why an address is never chosen unasked. */
    private static Optional<String> objection(LocalAddress address) {
        if (!address.up()) {
            return Optional.of("the interface is down");
        }
        if (address.loopback() || address.address().isLoopbackAddress()) {
            return Optional.of("loopback: only this machine can reach it");
        }
        if (address.pointToPoint()) {
            return Optional.of("point-to-point: leads to just one other machine");
        }
        if (CONTAINER_PREFIXES.stream().anyMatch(address.interfaceName()::startsWith)) {
            return Optional.of("by its name an interface to containers or virtual machines");
        }
        if (address.address().isLinkLocalAddress()) {
            return Optional.of("link-local: means nothing beyond its cable");
        }
        return Optional.empty();
    }

    /** An interface, an address or a name of this host. */
    private LocalAddress find(String name, String wanted) {
        if (name.isEmpty()) {
            throw refusal(wanted, "there is nothing between two commas, or before the first or after the last");
        }
        LocalAddress found = ofInterface(name).or(() -> ofLiteral(name, wanted)).or(() -> ofHostName(name, wanted))
                .orElseThrow(() -> refusal(wanted, name + " is neither an address, nor an interface with an address, "
                        + "nor a name of this machine"));
        if (!found.up()) {
            throw refusal(wanted, "the interface of " + text(found) + " is down");
        }
        return found;
    }

    /** The best address of an interface: those that would be chosen, then link-local ones; IPv4 first. */
    private Optional<LocalAddress> ofInterface(String name) {
        return local.stream().filter(address -> address.interfaceName().equals(name))
                .min(Comparator.comparing((LocalAddress address) -> address.address().isLinkLocalAddress())
                        .thenComparing(address -> !isIpv4(address)));
    }

    private Optional<LocalAddress> ofLiteral(String name, String wanted) {
        int percent = name.indexOf('%');
        InetAddress address;
        try {
            address = InetAddress.ofLiteral(percent < 0 ? name : name.substring(0, percent));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
        if (address.isAnyLocalAddress()) {
            throw refusal(wanted, name + " stands for every address, and Tutti listens only on those that are named");
        }
        Optional<LocalAddress> found = withAddress(address, percent < 0 ? "" : name.substring(percent + 1));
        if (found.isEmpty()) {
            throw refusal(wanted, name + " is not an address of this machine"); // its name need not be asked for
        }
        return found;
    }

    private Optional<LocalAddress> ofHostName(String name, String wanted) {
        List<InetAddress> known = network.lookUp(name);
        if (known.isEmpty()) {
            return Optional.empty();
        }
        List<LocalAddress> ours = known.stream().flatMap(address -> withAddress(address, scope(address)).stream())
                .sorted(Comparator.comparing(LocalAddress::loopback)).toList();
        if (ours.isEmpty()) {
            throw refusal(wanted, name + " is " + known.getFirst().getHostAddress()
                    + ", and that is not an address of this machine");
        }
        if (ours.getFirst().loopback() && !name.contains("localhost")) {
            // as Debian writes it into /etc/hosts; other hosts would call themselves
            throw refusal(wanted, name + " is " + known.getFirst().getHostAddress()
                    + " in this machine's tables (/etc/hosts), which no other host can reach");
        }
        return Optional.of(ours.getFirst());
    }

    /** The address as an interface has it. Equality of addresses does not look at scopes. */
    private Optional<LocalAddress> withAddress(InetAddress address, String scope) {
        Optional<LocalAddress> listed = local.stream().filter(one -> one.address().equals(address))
                .filter(one -> scope.isEmpty() || scope.equals(one.interfaceName())
                        || scope.equals(String.valueOf(one.index())))
                .findFirst();
        if (listed.isPresent() || !scope.isEmpty() || !(address instanceof Inet4Address)
                || address.getAddress()[0] != LOOPBACK_NETWORK) {
            return listed;
        }
        // all of 127.0.0.0/8 is this machine's, though its interface lists only one
        return local.stream().filter(one -> one.loopback() && isIpv4(one)).findFirst().map(one -> new LocalAddress(
                one.interfaceName(), one.index(), one.up(), true, one.pointToPoint(), address));
    }

    private static String scope(InetAddress address) {
        String text = address.getHostAddress();
        return address.isLinkLocalAddress() && text.contains("%") ? text.substring(text.indexOf('%') + 1) : "";
    }

    private static boolean isIpv4(LocalAddress address) {
        return address.address() instanceof Inet4Address;
    }

    private JobStartException refusal(String wanted, String why) {
        return new JobStartException("the rails \"" + wanted + "\" cannot be used: " + why + "; this machine has "
                + listed() + "; name up to " + RAILS_MAX
                + " of these addresses or interfaces (--rails, TUTTI_RAILS), or none to have one chosen");
    }

    private String listed() {
        String text = local.stream().limit(LISTED_MAX).map(RailAddresses::text).collect(Collectors.joining(", "));
        int more = local.size() - LISTED_MAX;
        return local.isEmpty() ? "no address" : more > 0 ? text + " and " + more + " more" : text;
    }

    private static String text(LocalAddress address) {
        return address.address().getHostAddress() + " (" + address.interfaceName() + ")";
    }
}
