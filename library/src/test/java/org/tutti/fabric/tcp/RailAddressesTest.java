/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
                        card.startsWith("tun"), address(literal)));
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
        return texts(RailAddresses.choose(wanted, Optional.empty(), machine));
    }

    private static List<String> chosenTowards(Machine machine, String towards) {
        return texts(RailAddresses.choose("", Optional.of(address(towards)), machine));
    }

    private static List<String> texts(RailAddresses rails) {
        return rails.addresses().stream().map(InetAddress::getHostAddress).toList();
    }

    @Test
    void shouldChooseTheFirstCardThatOthersMayReach() {
        assertThat(chosen(rich(), "")).containsExactly("10.0.0.1");
        assertThat(chosen(rich(), " ")).containsExactly("10.0.0.1");
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
    void shouldPreferIpv4OfAnyCardToIpv6() {
        assertThat(chosen(machine().with("eth0", "fd00::7").with("eth1", "192.0.2.7"), ""))
                .containsExactly("192.0.2.7");
    }

    @Test
    void shouldChooseIpv6WhenThereIsNothingElse() {
        assertThat(chosen(machine().with("eth0", "fe80::7", "fd00::7"), "")).containsExactly("fd00:0:0:0:0:0:0:7");
        assertThat(chosen(new Machine().with("lo", "::1"), "")).containsExactly("0:0:0:0:0:0:0:1");
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
    void shouldChooseTheWayToTheRendezvous() {
        Machine machine = rich().reaching("10.1.0.77", "10.1.0.1").reaching("127.0.0.1", "127.0.0.1")
                .reaching("172.17.0.5", "172.17.0.1").reaching("2001:db8::5", "2001:db8::a");
        assertThat(chosenTowards(machine, "10.1.0.77")).containsExactly("10.1.0.1");
        assertThat(chosenTowards(machine, "127.0.0.1")).containsExactly("127.0.0.1");
        assertThat(chosenTowards(machine, "172.17.0.5")).as("even if it is a bridge").containsExactly("172.17.0.1");
        assertThat(chosenTowards(machine, "2001:db8::5")).containsExactly("2001:db8:0:0:0:0:0:a");
        assertThat(texts(RailAddresses.choose("eth0", Optional.of(address("10.1.0.77")), machine)))
                .as("asked for otherwise").containsExactly("10.0.0.1");
    }

    @Test
    void shouldSayWhenThereIsNoWayToTheRendezvous() {
        assertThatThrownBy(() -> chosenTowards(rich(), "10.3.0.1")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("no way from this machine to the rendezvous at 10.3.0.1")
                .hasMessageContaining("10.0.0.1 (eth0), 10.1.0.1 (eth1)");
        assertThatThrownBy(() -> chosenTowards(rich(), "0.0.0.0")).isInstanceOf(JobStartException.class)
                .hasMessageContaining("stands for every address");
        assertThatThrownBy(() -> chosenTowards(rich().reaching("10.4.0.1", "10.4.0.2"), "10.4.0.1"))
                .isInstanceOf(JobStartException.class).hasMessageContaining("leave from 10.4.0.2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            eth1                       | 10.1.0.1
            eth1,eth0                  | 10.1.0.1, 10.0.0.1
            10.1.0.1                   | 10.1.0.1
            ' 10.0.0.1 , eth1 '        | 10.0.0.1, 10.1.0.1
            2001:db8::a                | 2001:db8:0:0:0:0:0:a
            2001:DB8:0:0::a%eth0       | 2001:db8:0:0:0:0:0:a
            2001:db8::a%4              | 2001:db8:0:0:0:0:0:a
            ::ffff:10.0.0.1            | 10.0.0.1
            fe80::b                    | fe80:0:0:0:0:0:0:b
            docker0                    | 172.17.0.1
            tun0                       | 10.9.0.1
            lo                         | 127.0.0.1
            127.0.0.1,127.0.0.2        | 127.0.0.1, 127.0.0.2
            ::1                        | 0:0:0:0:0:0:0:1
            localhost                  | 127.0.0.1
            node7                      | 10.1.0.1
            eth0,2001:db8::a,eth1,lo   | 10.0.0.1, 2001:db8:0:0:0:0:0:a, 10.1.0.1, 127.0.0.1""")
    void shouldTakeWhatIsAskedFor(String wanted, String expected) {
        Machine machine = rich().naming("node7", "127.0.1.1", "10.1.0.1").naming("localhost", "127.0.0.1");
        assertThat(chosen(machine, wanted)).containsExactly(expected.split(", "));
    }

    @Test
    void shouldTellEqualAddressesOfTwoCardsApart() {
        Machine machine = machine().with("eth0", "fe80::1").with("eth1", "fe80::1");
        var rails = RailAddresses.choose("fe80::1%eth1", Optional.empty(), machine);
        assertThat(rails.candidates()).filteredOn(RailAddresses.Candidate::chosen)
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
            eth0,10.0.0.1              | 10.0.0.1 (eth0) is named twice
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
        assertThat(RailAddresses.choose("", Optional.empty(), rich()).candidates())
                .extracting(one -> one.interfaceName() + (one.chosen() ? " + " : " - ") + one.reason())
                .containsExactly("eth0 + the first that other hosts may reach",
                        "lo - loopback: only this machine can reach it",
                        "lo - loopback: only this machine can reach it",
                        "docker0 - by its name an interface to containers or virtual machines",
                        "tun0 - point-to-point: leads to just one other machine",
                        "eth0 - link-local: means nothing beyond its cable",
                        "eth0 - one is chosen; ask for several by name",
                        "eth1 - one is chosen; ask for several by name",
                        "eth1 - link-local: means nothing beyond its cable",
                        "down0 - the interface is down",
                        "veth12ab - by its name an interface to containers or virtual machines");
        assertThat(RailAddresses.choose("eth1,127.0.0.3", Optional.empty(), machine().with("eth1", "10.0.0.1"))
                .candidates())
                .extracting(one -> one.interfaceName() + (one.chosen() ? " + " : " - ") + one.reason())
                .containsExactly("eth1 + asked for as eth1", "lo + asked for as 127.0.0.3", "lo - not asked for",
                        "lo - not asked for");
        assertThat(RailAddresses.choose("", Optional.empty(), machine()).candidates())
                .extracting(RailAddresses.Candidate::reason)
                .contains("nothing leads to other hosts: only this machine can reach it");
    }

    @Test
    void shouldFindTheAddressesOfThisMachine() {
        var any = RailAddresses.choose("", Optional.empty());
        assertThat(any.addresses()).hasSize(1).noneMatch(InetAddress::isAnyLocalAddress);
        for (var candidate : any.candidates()) {
            if (!candidate.reason().equals("the interface is down")) {
                String literal = candidate.address().getHostAddress();
                assertThat(RailAddresses.choose(literal, Optional.empty()).addresses())
                        .containsExactly(candidate.address());
            }
        }
        InetAddress loopback = InetAddress.getLoopbackAddress();
        assertThat(RailAddresses.choose("", Optional.of(loopback)).addresses()).containsExactly(loopback);
        InetAddress own = any.addresses().getFirst();
        assertThat(RailAddresses.choose("", Optional.of(own)).addresses()).containsExactly(own);
    }
}
