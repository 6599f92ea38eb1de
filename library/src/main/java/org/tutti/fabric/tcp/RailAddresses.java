/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.tutti.JobStartException;
import org.tutti.fabric.tcp.LocalNetwork.LocalAddress;

/**
 * Chooses the addresses of this machine at which a process listens, and from which it connects. Each rail (one of the
 * parallel connections between two processes) has one or more addresses. Another process finds out at which of these
 * addresses it reaches the rail ({@link Ways}).
 *
 * <p>If the user names no rails, there is one rail, with all addresses that other hosts are likely to reach. These
 * addresses belong to interfaces that are up and lead neither back to this machine, nor to a single other machine, nor
 * to containers. If the rendezvous is known, the address that leads to it is one of them. Loopback is used only if
 * there is no other address. A wildcard address is never used.
 */
public final class RailAddresses {
    /** The most rails that a process may have. */
    public static final int RAILS_MAX = 4;

    /** The most addresses that all rails of a process may have together. */
    public static final int ADDRESSES_MAX = 8;

    private static final int LISTED_MAX = 16;
    private static final int LOOPBACK_NETWORK = 127;
    private static final int LOOPBACK_PREFIX = 8;
    private static final List<String> CONTAINER_PREFIXES = List.of("docker", "br-", "veth", "virbr", "vnet", "cni",
            "flannel", "cali", "cilium", "podman", "lxcbr", "lxdbr", "kube-");

    /**
     * An address of this machine, with the reason why it belongs to a rail or to none.
     *
     * @param address the address
     * @param interfaceName the name of its interface
     * @param rail the number of the rail to which the address belongs, or −1 if it belongs to none
     * @param reason the reason why the address belongs to this rail or to none, one line
     */
    public record Candidate(InetAddress address, String interfaceName, int rail, String reason) {}

    private final LocalNetwork network;
    private final List<LocalAddress> local;
    private final String wanted;
    private final RailSelection selection;
    private final List<Map<LocalAddress, String>> rails = new ArrayList<>(); // addresses with reasons
    private final List<Candidate> candidates = new ArrayList<>();

    private RailAddresses(String wanted, LocalNetwork network) {
        this.network = network;
        this.local = network.addresses();
        this.wanted = wanted;
        try {
            this.selection = RailSelection.parse(wanted);
        } catch (IllegalArgumentException e) {
            throw refusal(e.getMessage());
        }
    }

    /**
     * Checks the rails that a user names, as far as that is possible without knowing the machine.
     *
     * @param wanted the rails and exclusions, in the form that {@link #choose} takes
     * @throws IllegalArgumentException if no machine can have such rails; the message is a clause that says why
     */
    public static void check(String wanted) {
        RailSelection.parse(wanted);
    }

    /**
     * Chooses the addresses for the rails of this process, or takes the addresses that the user names.
     *
     * @param wanted the rails and exclusions, separated by commas. Each of up to four rails is an interface, an address
     *            (IPv4 or IPv6, with a scope such as {@code %eth0} if it needs one), a subnet or a name of this host.
     *            An exclusion is a {@code ^} with an interface, an address or a subnet that no rail may have. If no
     *            rail is named, this method chooses the addresses
     * @param towards the addresses of the rendezvous, if they are known; used only if no rail is named
     * @return the addresses
     * @throws JobStartException if a name stands for no address of this machine, or no route leads to the rendezvous
     */
    public static RailAddresses choose(String wanted, List<InetAddress> towards) {
        return choose(wanted, towards, new LocalNetwork.Live());
    }

    static RailAddresses choose(String wanted, List<InetAddress> towards, LocalNetwork network) {
        RailAddresses rails = new RailAddresses(wanted, network);
        if (rails.selection.names().isEmpty()) {
            rails.offer(towards);
        } else {
            rails.takeWanted();
        }
        rails.explain();
        return rails;
    }

    /** {@return the addresses of each rail; there are one to four rails, with at least one address each} */
    public List<List<InetAddress>> rails() {
        return rails.stream().map(rail -> rail.keySet().stream().map(LocalAddress::address).toList()).toList();
    }

    /**
     * {@return all addresses of this machine, with the reason why each belongs to a rail or to none; the addresses of
     * the rails come first, in the order of the rails, then the others, in the order of their interfaces}
     */
    public List<Candidate> candidates() {
        return List.copyOf(candidates);
    }

    // ---- without names

    private void offer(List<InetAddress> towards) {
        Map<LocalAddress, String> rail = waysTo(towards);
        boolean onlyHere = !towards.isEmpty() && towards.stream().allMatch(InetAddress::isLoopbackAddress);
        if (!onlyHere) {
            usable().stream().filter(address -> exclusion(address).isEmpty())
                    .forEach(address -> rail.putIfAbsent(address, "other hosts may reach it"));
        }
        if (rail.isEmpty()) {
            if (!usable().isEmpty()) {
                throw refusal("nothing is left that other hosts may reach");
            }
            rail.put(loopback(), "nothing leads to other hosts: only this machine can reach it");
        }
        rails.add(limited(rail, ADDRESSES_MAX));
    }

    private Map<LocalAddress, String> waysTo(List<InetAddress> towards) {
        Map<LocalAddress, String> ways = new LinkedHashMap<>();
        boolean known = false;
        for (InetAddress there : towards) {
            if (there.isAnyLocalAddress()) {
                throw new JobStartException("the rendezvous cannot be at " + there.getHostAddress()
                        + ", which stands for every address; give the one that other hosts reach");
            }
            Optional<InetAddress> source = network.sourceTowards(there);
            known |= source.isPresent();
            source.flatMap(from -> withAddress(from, scope(from)))
                    .filter(address -> exclusion(address).isEmpty())
                    .ifPresent(address -> ways.put(address, "the way to the rendezvous at " + there.getHostAddress()));
        }
        if (!known && !towards.isEmpty()) {
            throw new JobStartException("there is no way from this machine to the rendezvous at "
                    + towards.stream().map(InetAddress::getHostAddress).collect(Collectors.joining(", ")) + "; it has "
                    + listed() + "; check the address and the routes, or name the rails (--rails, TUTTI_RAILS)");
        }
        return ways;
    }

    /**
     * Returns the usable addresses in the order of preference. The first addresses of all interfaces and families come
     * first, then the second addresses, and so on. Among these, IPv4 comes before IPv6.
     */
    private List<LocalAddress> usable() {
        List<LocalAddress> free = local.stream().filter(address -> objection(address).isEmpty()).toList();
        Map<LocalAddress, Integer> places = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (LocalAddress address : free) {
            places.put(address, counts.merge(address.interfaceName() + isIpv4(address), 1, Integer::sum));
        }
        return free.stream().sorted(Comparator.comparing((LocalAddress address) -> places.get(address))
                .thenComparing(address -> !isIpv4(address)).thenComparing(LocalAddress::index)).toList();
    }

    private LocalAddress loopback() {
        return local.stream().filter(address -> address.up() && address.loopback())
                .min(Comparator.comparing(address -> !isIpv4(address)))
                .orElseThrow(() -> new JobStartException("this machine has no address to listen on, not even loopback; "
                        + "it has " + listed() + "; bring an interface up (ip link set lo up)"));
    }

    private static Map<LocalAddress, String> limited(Map<LocalAddress, String> rail, int most) {
        Map<LocalAddress, String> limited = new LinkedHashMap<>();
        rail.forEach((address, why) -> {
            if (limited.size() < most) {
                limited.put(address, why);
            }
        });
        return limited;
    }

    private void explain() {
        for (int rail = 0; rail < rails.size(); rail++) {
            int number = rail;
            rails.get(rail).forEach((address, why) -> add(address, number, why));
        }
        Set<LocalAddress> taken = new HashSet<>();
        rails.forEach(rail -> taken.addAll(rail.keySet()));
        local.stream().filter(address -> !taken.contains(address))
                .forEach(address -> add(address, -1, whyNot(address)));
    }

    private String whyNot(LocalAddress address) {
        if (!selection.names().isEmpty()) {
            return exclusion(address).orElse("not asked for");
        }
        return objection(address).or(() -> exclusion(address)).orElse(
                rails.getFirst().size() < ADDRESSES_MAX ? "the rendezvous is on this machine"
                        : "a process has at most " + ADDRESSES_MAX + " addresses; name the rails to have it");
    }

    private void add(LocalAddress address, int rail, String reason) {
        candidates.add(new Candidate(address.address(), address.interfaceName(), rail, reason));
    }

    /** Returns the reason why an address is used only if the user names it; empty if there is none. */
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

    /** Returns a clause with the user's exclusion that covers an address; empty if no exclusion does. */
    private Optional<String> exclusion(LocalAddress address) {
        return selection.exclusions().stream().filter(name -> name.equals(address.interfaceName())
                || literal(name).filter(address.address()::equals).isPresent()
                || Subnet.parse(name).filter(subnet -> subnet.contains(address.address())).isPresent())
                .findFirst().map(name -> "excluded by ^" + name);
    }

    // ---- with names

    /**
     * Takes the addresses that the user names, one rail for each name. A name stands for one address or several. If a
     * name stands for a single address, the address belongs to the rail of that name, even if it is also one of several
     * addresses for which another name stands.
     */
    private void takeWanted() {
        List<String> names = selection.names();
        List<List<LocalAddress>> found = names.stream().map(this::find).toList();
        Set<LocalAddress> claimed = new HashSet<>();
        for (List<LocalAddress> rail : found) {
            if (rail.size() == 1 && !claimed.add(rail.getFirst())) {
                throw refusal(twice(rail.getFirst()));
            }
        }
        for (int number = 0; number < names.size(); number++) {
            List<LocalAddress> rail = found.get(number);
            List<LocalAddress> free = rail.size() == 1 ? rail : rail.stream().filter(claimed::add).toList();
            if (free.isEmpty()) {
                throw refusal(twice(rail.getFirst()));
            }
            String why = "asked for as " + names.get(number);
            Map<LocalAddress, String> reasons = new LinkedHashMap<>();
            free.forEach(address -> reasons.put(address, why));
            rails.add(limited(reasons, ADDRESSES_MAX / names.size()));
        }
    }

    private static String twice(LocalAddress address) {
        return text(address) + " is named twice, and each rail needs an address of its own";
    }

    /**
     * Returns the addresses for which a name stands. The name is an interface, an address, a subnet or a name of this
     * host.
     */
    private List<LocalAddress> find(String name) {
        List<LocalAddress> found = ofInterface(name);
        if (found.isEmpty()) {
            found = Subnet.parse(name).map(this::ofSubnet).or(() -> ofLiteral(name).map(List::of))
                    .or(() -> ofHostName(name).map(List::of))
                    .orElseThrow(() -> refusal(name + " is neither an address, nor an interface with an address, "
                            + "nor a name of this machine"));
        }
        List<LocalAddress> up = found.stream().filter(LocalAddress::up).toList();
        if (up.isEmpty()) {
            throw refusal("the interface of " + text(found.getFirst()) + " is down");
        }
        List<LocalAddress> left = up.stream().filter(address -> exclusion(address).isEmpty()).toList();
        if (left.isEmpty()) {
            throw refusal(text(up.getFirst()) + " is asked for as " + name + ", and "
                    + exclusion(up.getFirst()).orElseThrow());
        }
        return left;
    }

    /**
     * Returns the addresses of an interface, IPv4 first. Link-local addresses are returned only if the interface has no
     * other address.
     */
    private List<LocalAddress> ofInterface(String name) {
        return preferring(address -> !address.address().isLinkLocalAddress(),
                local.stream().filter(address -> address.interfaceName().equals(name)).toList());
    }

    /**
     * Returns the addresses of this machine in a subnet. Addresses that are not used by default, such as those of
     * tunnels or containers, are returned only if the subnet has no other address.
     */
    private List<LocalAddress> ofSubnet(Subnet subnet) {
        List<LocalAddress> found = local.stream().filter(address -> subnet.contains(address.address())).toList();
        if (found.isEmpty()) {
            throw refusal("no address of this machine is in " + subnet.address().getHostAddress() + "/"
                    + subnet.prefix());
        }
        return preferring(address -> objection(address).isEmpty(), found);
    }

    private static List<LocalAddress> preferring(Predicate<LocalAddress> preference, List<LocalAddress> found) {
        List<LocalAddress> best = found.stream().filter(preference).toList();
        return (best.isEmpty() ? found : best).stream()
                .sorted(Comparator.comparing(address -> !isIpv4(address))).toList();
    }

    private static Optional<InetAddress> literal(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private Optional<LocalAddress> ofLiteral(String name) {
        int percent = name.indexOf('%');
        Optional<InetAddress> address = literal(percent < 0 ? name : name.substring(0, percent));
        if (address.isEmpty()) {
            return Optional.empty();
        }
        if (address.get().isAnyLocalAddress()) {
            throw refusal(name + " stands for every address, and Tutti listens only on those that are named");
        }
        Optional<LocalAddress> found = withAddress(address.get(), percent < 0 ? "" : name.substring(percent + 1));
        if (found.isEmpty()) {
            throw refusal(name + " is not an address of this machine"); // no name service is needed
        }
        return found;
    }

    private Optional<LocalAddress> ofHostName(String name) {
        List<InetAddress> known = network.lookUp(name);
        if (known.isEmpty()) {
            return Optional.empty();
        }
        List<LocalAddress> ours = known.stream().flatMap(address -> withAddress(address, scope(address)).stream())
                .sorted(Comparator.comparing(LocalAddress::loopback)).toList();
        if (ours.isEmpty()) {
            throw refusal(name + " is " + known.getFirst().getHostAddress()
                    + ", and that is not an address of this machine");
        }
        if (ours.getFirst().loopback() && !name.contains("localhost")) {
            // Debian writes this into /etc/hosts; other hosts would connect with themselves
            throw refusal(name + " is " + known.getFirst().getHostAddress()
                    + " in this machine's tables (/etc/hosts), which no other host can reach");
        }
        return Optional.of(ours.getFirst());
    }

    /**
     * Returns the entry of an address in the list of this machine's addresses; empty if the machine does not have the
     * address. Equality of addresses ignores scopes, so this method compares the scope.
     */
    private Optional<LocalAddress> withAddress(InetAddress address, String scope) {
        Optional<LocalAddress> listed = local.stream().filter(one -> one.address().equals(address))
                .filter(one -> scope.isEmpty() || scope.equals(one.interfaceName())
                        || scope.equals(String.valueOf(one.index())))
                .findFirst();
        if (listed.isPresent() || !scope.isEmpty() || !(address instanceof Inet4Address)
                || address.getAddress()[0] != LOOPBACK_NETWORK) {
            return listed;
        }
        // all of 127.0.0.0/8 belongs to this machine, though the interface lists only one address
        return local.stream().filter(one -> one.loopback() && isIpv4(one)).findFirst()
                .map(one -> new LocalAddress(one.interfaceName(), one.index(), one.up(), true, one.pointToPoint(),
                        address, LOOPBACK_PREFIX));
    }

    private static String scope(InetAddress address) {
        String text = address.getHostAddress();
        return address.isLinkLocalAddress() && text.contains("%") ? text.substring(text.indexOf('%') + 1) : "";
    }

    private static boolean isIpv4(LocalAddress address) {
        return address.address() instanceof Inet4Address;
    }

    private JobStartException refusal(String why) {
        return new JobStartException("the rails \"" + wanted + "\" cannot be used: " + why + "; this machine has "
                + listed() + "; name up to " + RAILS_MAX
                + " of these addresses, interfaces or their subnets (--rails, TUTTI_RAILS), or none to have all that "
                + "other hosts may reach");
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
