/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.JobStartException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which addresses become rails, on machines that are made up here, and on this one. */
class RailAddressesTest {
    /** A machine with the addresses that a test gives it. */
    private static final class Machine implements LocalNetwork {
        final List<LocalAddress> addresses = new ArrayList<>();
        final Map<String, List<InetAddress>> names = new HashMap<>();
        final Map<InetAddress, InetAddress> ways = new HashMap<>();

        Machine with(String card, String... literals) {
            int index = addresses.isEmpty() ? 1 : addresses.getLast().index() + 1;
            for (String literal : literals) {
                addresses.add(new LocalAddress(card, index, !card.startsWith("down"), card.equals("lo"),
                        card.startsWith("tun"), address(literal),
                        literal.contains(":") ? 64 : 16));
            }
            return this;
        }

        Machine naming(String name, String... literals) {
            names.put(name, List.of(literals).stream().map(RailAddressesTest::address).toList());
            return this;
        }

        Machine reaching(String other, String from) {
            ways.put(address(other), address(from));
            return this;
        }

        @Override
        public List<LocalAddress> addresses() {
            return addresses;
        }

        @Override
        public List<InetAddress> lookUp(String hostName) {
            return names.getOrDefault(hostName, List.of());
        }

        @Override
        public Optional<InetAddress> sourceTowards(InetAddress other) {
            return Optional.ofNullable(ways.get(other));
        }
    }

    private static InetAddress address(String literal) {
        return InetAddress.ofLiteral(literal);
    }

    private static Machine machine() {
        return new Machine().with("lo", "127.0.0.1", "::1");
    }

    /** Two cards, a bridge of containers, a tunnel, and a card without a cable. */
    private static Machine rich() {
        return machine().with("docker0", "172.17.0.1").with("tun0", "10.9.0.1")
                .with("eth0", "fe80::a", "2001:db8::a", "10.0.0.1").with("eth1", "10.1.0.1", "fe80::b")
                .with("down0", "10.2.0.1").with("veth12ab", "169.254.7.7");
    }

    private static List<String> chosen(Machine machine, String wanted) {
        return texts(RailAddresses.choose(wanted, List.of(), machine));
    }

    private static List<String> chosenTowards(Machine machine, String... towards) {
        return texts(RailAddresses.choose("", Stream.of(towards).map(RailAddressesTest::address).toList(), machine));
    }

    /** The addresses of each rail. */
    private static List<String> texts(RailAddresses rails) {
        return rails.rails().stream().map(
                rail -> rail.stream().map(RailAddressesTest::text).collect(Collectors.joining(" "))).toList();
    }

    private static String text(InetAddress address) {
        return address.getHostAddress().replaceFirst("(:0)+:", "::");
    }

    @Test
    void shouldOfferAllAddressesThatOthersMayReach() {
        assertThat(chosen(rich(), "")).containsExactly("10.0.0.1 10.1.0.1 2001:db8::a");
        assertThat(chosen(rich(), " ")).containsExactly("10.0.0.1 10.1.0.1 2001:db8::a");
    }

    @Test
    void shouldOfferTheFirstAddressesOfAllCardsWhenTheyAreTooMany() {
        Machine machine = machine().with("eth0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "fd00::1", "fd00::2")
                .with("eth1", "10.1.0.1", "10.1.0.2").with("eth2", "fd02::1", "fd02::2");
        assertThat(chosen(machine, "")).containsExactly(
                "10.0.0.1 10.1.0.1 fd00::1 fd02::1 10.0.0.2 10.1.0.2 fd00::2 fd02::2");
        assertThat(RailAddresses.choose("", List.of(), machine).candidates())
                .extracting(RailAddresses.Candidate::reason)
                .contains("a process has at most 8 addresses; name the rails to have it");
    }

    @Test
    void shouldPassOverWhatLeadsToContainers() {
        for (String name : List.of("docker0", "br-0123456789ab", "veth7", "virbr0", "cni0", "flannel.1", "vnet3")) {
            Machine machine = machine().with(name, "172.18.0.1");
            assertThat(chosen(machine, "")).as(name).containsExactly("127.0.0.1");
            assertThat(chosen(machine.with("eth0", "10.0.0.1"), "")).as(name).containsExactly("10.0.0.1");
        }
        assertThat(chosen(machine().with("br0", "10.0.0.9"), "")).as("the machine's own bridge")
                .containsExactly("10.0.0.9");
    }

    @Test
    void shouldOfferIpv4OfAnyCardBeforeIpv6() {
        assertThat(chosen(machine().with("eth0", "fd00::7").with("eth1", "192.0.2.7"), ""))
                .containsExactly("192.0.2.7 fd00::7");
    }

    @Test
    void shouldChooseIpv6WhenThereIsNothingElse() {
        assertThat(chosen(machine().with("eth0", "fe80::7", "fd00::7"), "")).containsExactly("fd00::7");
        assertThat(chosen(new Machine().with("lo", "::1"), "")).containsExactly("0::1");
    }

    @Test
    void shouldFallBackToLoopback() {
        assertThat(chosen(machine(), "")).containsExactly("127.0.0.1");
        assertThat(chosen(machine().with("eth0", "169.254.1.1", "fe80::1").with("down0", "10.0.0.1"), ""))
                .containsExactly("127.0.0.1");
        assertThatThrownBy(() -> chosen(new Machine(), "")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("no address to listen on").hasMessageContaining("it has no address");
    }

    @Test
    void shouldOfferTheWayToTheRendezvousFirst() {
        Machine machine = rich().reaching("10.1.0.77", "10.1.0.1").reaching("127.0.0.1", "127.0.0.1")
                .reaching("172.17.0.5", "172.17.0.1").reaching("2001:db8::5", "2001:db8::a");
        String others = "10.0.0.1 10.1.0.1 2001:db8::a";
        assertThat(chosenTowards(machine, "10.1.0.77")).containsExactly("10.1.0.1 10.0.0.1 2001:db8::a");
        assertThat(chosenTowards(machine, "127.0.0.1")).as("a job on this machine").containsExactly("127.0.0.1");
        assertThat(chosenTowards(machine, "172.17.0.5")).as("even if it is a bridge")
                .containsExactly("172.17.0.1 " + others);
        assertThat(chosenTowards(machine, "2001:db8::5")).containsExactly("2001:db8::a 10.0.0.1 10.1.0.1");
        assertThat(chosenTowards(machine, "127.0.0.1", "10.1.0.77")).as("a name with two addresses")
                .containsExactly("127.0.0.1 10.1.0.1 10.0.0.1 2001:db8::a");
        assertThat(texts(RailAddresses.choose("10.0.0.1", List.of(address("10.1.0.77")), machine)))
                .as("asked for otherwise").containsExactly("10.0.0.1");
    }

    @Test
    void shouldSayWhenThereIsNoWayToTheRendezvous() {
        assertThatThrownBy(() -> chosenTowards(rich(), "10.3.0.1")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("no way from this machine to the rendezvous at 10.3.0.1")
                .hasMessageContaining("10.0.0.1 (eth0), 10.1.0.1 (eth1)");
        assertThat(chosenTowards(rich().reaching("10.1.0.77", "10.1.0.1"), "10.3.0.1", "10.1.0.77"))
                .as("one of two has a way").containsExactly("10.1.0.1 10.0.0.1 2001:db8::a");
        assertThatThrownBy(() -> chosenTowards(rich(), "0.0.0.0")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("stands for every address");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            eth1                       | 10.1.0.1
            eth1,eth0                  | 10.1.0.1, 10.0.0.1 2001:db8::a
            10.1.0.1                   | 10.1.0.1
            ' 10.0.0.1 , eth1 '        | 10.0.0.1, 10.1.0.1
            2001:db8::a                | 2001:db8::a
            2001:DB8:0:0::a%eth0       | 2001:db8::a
            2001:db8::a%4              | 2001:db8::a
            ::ffff:10.0.0.1            | 10.0.0.1
            fe80::b                    | fe80::b
            docker0                    | 172.17.0.1
            tun0                       | 10.9.0.1
            lo                         | 127.0.0.1 0::1
            127.0.0.1,127.0.0.2        | 127.0.0.1, 127.0.0.2
            ::1                        | 0::1
            localhost                  | 127.0.0.1
            node7                      | 10.1.0.1
            eth0,2001:db8::a,eth1,lo   | 10.0.0.1, 2001:db8::a, 10.1.0.1, 127.0.0.1 0::1
            10.0.0.0/16                | 10.0.0.1
            10.0.0.0/8                 | 10.0.0.1 10.1.0.1
            10.0.0.7/24                | 10.0.0.1
            0.0.0.0/0                  | 10.0.0.1 10.1.0.1
            ::/0                       | 2001:db8::a
            2001:db8::/32              | 2001:db8::a
            172.16.0.0/12              | 172.17.0.1
            127.0.0.0/8                | 127.0.0.1
            10.1.0.0/16,10.0.0.0/8     | 10.1.0.1, 10.0.0.1
            10.0.0.0/8,10.0.0.1        | 10.1.0.1, 10.0.0.1
            ^eth0                      | 10.1.0.1
            ^10.1.0.0/16               | 10.0.0.1 2001:db8::a
            ^10.1.0.1,^2001:db8::a     | 10.0.0.1
            ^docker0,^eth7             | 10.0.0.1 10.1.0.1 2001:db8::a
            10.0.0.0/8,^eth1           | 10.0.0.1
            eth0,^::/0                 | 10.0.0.1
            eth0,10.0.0.1              | 2001:db8::a, 10.0.0.1""")
    void shouldTakeWhatIsAskedFor(String wanted, String expected) {
        Machine machine = rich().naming("node7", "127.0.1.1", "10.1.0.1").naming("localhost", "127.0.0.1");
        assertThat(chosen(machine, wanted)).containsExactly(expected.split(", "));
    }

    @Test
    void shouldTellEqualAddressesOfTwoCardsApart() {
        Machine machine = machine().with("eth0", "fe80::1").with("eth1", "fe80::1");
        var rails = RailAddresses.choose("fe80::1%eth1", List.of(), machine);
        assertThat(rails.candidates()).filteredOn(one -> one.rail() == 0)
                .extracting(RailAddresses.Candidate::interfaceName).containsExactly("eth1");
        assertThat(chosen(machine, "fe80::1%eth0,fe80::1%eth1")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            eth7                       | eth7 is neither an address, nor an interface with an address, nor a name
            10.7.7.7                   | 10.7.7.7 is not an address of this machine
            fe80::b%eth0               | fe80::b%eth0 is not an address of this machine
            ::2                        | ::2 is not an address of this machine
            127.0.0.2%eth0             | 127.0.0.2%eth0 is not an address of this machine
            10.0.0.1:4000              | 10.0.0.1:4000 is neither
            0.0.0.0                    | 0.0.0.0 stands for every address
            eth0,::                    | :: stands for every address
            ::%eth0                    | ::%eth0 stands for every address
            ::ffff:0.0.0.0             | ::ffff:0.0.0.0 stands for every address
            down0                      | the interface of 10.2.0.1 (down0) is down
            10.2.0.1                   | the interface of 10.2.0.1 (down0) is down
            eth0,eth0                  | 10.0.0.1 (eth0) is named twice
            docker0,docker0            | 172.17.0.1 (docker0) is named twice
            eth1,10.1.0.1              | 10.1.0.1 (eth1) is named twice
            10.1.0.0/16,eth1           | 10.1.0.1 (eth1) is named twice
            10.0.0.0/33                | 10.0.0.0/33 is no subnet; write an address and the length of its prefix
            ::/129                     | ::/129 is no subnet
            eth0/24                    | eth0/24 is no subnet
            192.168.0.0/16             | no address of this machine is in 192.168.0.0/16
            10.2.0.0/16                | the interface of 10.2.0.1 (down0) is down
            ^                          | there is nothing between two commas, or before the first
            ^^eth0                     | ^eth0 is neither an interface nor an address
            a=b                        | a=b is neither an interface nor an address
            eth1,^10.1.0.0/16          | 10.1.0.1 (eth1) is asked for as eth1, and excluded by ^10.1.0.0/16
            ^10.0.0.0/8,^2001:db8::/32 | nothing is left that other hosts may reach
            127.0.0.2,127.0.0.2        | 127.0.0.2 (lo) is named twice
            eth0,eth1,lo,tun0,docker0  | they are 5, and there can be 4
            eth0,                      | there is nothing between two commas, or before the first
            ','                        | there is nothing between two commas, or before the first
            elsewhere                  | elsewhere is 10.8.0.1, and that is not an address of this machine
            debian                     | debian is 127.0.1.1 in this machine's tables (/etc/hosts)""")
    void shouldExplainWhatCannotBe(String wanted, String why) {
        Machine machine = rich().naming("elsewhere", "10.8.0.1").naming("debian", "127.0.1.1");
        assertThatThrownBy(() -> chosen(machine, wanted)).isInstanceOf(JobStartException.class)
                .hasMessageStartingWith("the rails \"" + wanted + "\" cannot be used: " + why)
                .hasMessageContaining("; this machine has 127.0.0.1 (lo), 0:0:0:0:0:0:0:1 (lo), 172.17.0.1 (docker0), ")
                .hasMessageContaining("(--rails, TUTTI_RAILS)");
    }

    @Test
    void shouldNotListHundredsOfAddresses() {
        Machine machine = machine();
        for (int i = 0; i < 200; i++) {
            machine.with("veth" + i, "10.5.0." + i);
        }
        assertThatThrownBy(() -> chosen(machine, "eth0")).isInstanceOf(JobStartException.class)
                .hasMessageContaining(" and 186 more");
    }

    @Test
    void shouldSayOfEveryAddressWhyItIsARailOrNot() {
        assertThat(RailAddresses.choose("", List.of(), rich()).candidates())
                .extracting(one -> one.interfaceName() + " " + one.rail() + " " + one.reason())
                .containsExactly("eth0 0 other hosts may reach it", "eth1 0 other hosts may reach it",
                        "eth0 0 other hosts may reach it", "lo -1 loopback: only this machine can reach it",
                        "lo -1 loopback: only this machine can reach it",
                        "docker0 -1 by its name an interface to containers or virtual machines",
                        "tun0 -1 point-to-point: leads to just one other machine",
                        "eth0 -1 link-local: means nothing beyond its cable",
                        "eth1 -1 link-local: means nothing beyond its cable",
                        "down0 -1 the interface is down",
                        "veth12ab -1 by its name an interface to containers or virtual machines");
        assertThat(RailAddresses.choose("eth1,127.0.0.3,^10.0.0.0/16", List.of(),
                machine().with("eth1", "10.0.0.1", "10.1.0.1")).candidates())
                .extracting(one -> one.interfaceName() + " " + one.rail() + " " + one.reason())
                .containsExactly("eth1 0 asked for as eth1", "lo 1 asked for as 127.0.0.3", "lo -1 not asked for",
                        "lo -1 not asked for", "eth1 -1 excluded by ^10.0.0.0/16");
        assertThat(RailAddresses.choose("", List.of(), machine()).candidates())
                .extracting(RailAddresses.Candidate::reason)
                .contains("nothing leads to other hosts: only this machine can reach it");
    }

    @Test
    void shouldFindTheAddressesOfThisMachine() {
        var any = RailAddresses.choose("", List.of());
        assertThat(any.rails()).hasSize(1);
        assertThat(any.rails().getFirst()).isNotEmpty().noneMatch(InetAddress::isAnyLocalAddress);
        for (var candidate : any.candidates()) {
            if (!candidate.reason().equals("the interface is down")) {
                String literal = candidate.address().getHostAddress();
                assertThat(RailAddresses.choose(literal, List.of()).rails())
                        .containsExactly(List.of(candidate.address()));
            }
        }
        InetAddress loopback = InetAddress.getLoopbackAddress();
        assertThat(RailAddresses.choose("", List.of(loopback)).rails()).containsExactly(List.of(loopback));
        InetAddress own = any.rails().getFirst().getFirst();
        assertThat(RailAddresses.choose("", List.of(own)).rails().getFirst().getFirst()).isEqualTo(own);
    }
}
