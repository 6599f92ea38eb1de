/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** In which order the addresses of another process are tried, on a machine that is made up here. */
class WaysTest {
    private static final int PORT = 4000;

    /** A machine with interfaces on the links of their subnets. Other addresses are reached through a gateway. */
    private static final class Machine implements LocalNetwork {
        final List<LocalAddress> addresses = new ArrayList<>();
        final Map<InetAddress, InetAddress> ways = new HashMap<>();

        Machine with(String card, String literal, int prefix) {
            addresses.add(new LocalAddress(card, addresses.size() + 1, true, card.equals("lo"), false,
                    InetAddress.ofLiteral(literal), prefix));
            return this;
        }

        Machine reaching(String other, String from) {
            ways.put(InetAddress.ofLiteral(other), InetAddress.ofLiteral(from));
            return this;
        }

        @Override
        public List<LocalAddress> addresses() {
            return addresses;
        }

        @Override
        public List<InetAddress> lookUp(String hostName) {
            return List.of();
        }

        @Override
        public Optional<InetAddress> sourceTowards(InetAddress other) {
            return Optional.ofNullable(ways.get(other)).or(() -> addresses.stream()
                    .filter(one -> one.subnet().contains(other)).map(LocalAddress::address).findFirst());
        }
    }

    private static Machine machine() {
        return new Machine().with("lo", "127.0.0.1", 8).with("eth9", "10.9.0.1", 24).with("br0", "172.20.0.1", 16)
                .with("eth0", "10.0.0.1", 24).with("eth0", "fd00::1", 64);
    }

    private static Ways ways(Machine machine, List<String> own, String... theirs) {
        Ways ways = new Ways(0, own.stream().map(InetAddress::ofLiteral).toList(),
                Stream.of(theirs).map(literal -> new InetSocketAddress(InetAddress.ofLiteral(literal), PORT)).toList());
        ways.order(machine, Set.of());
        return ways;
    }

    private static List<String> order(Ways ways) {
        return ways.all().stream().map(way -> way.from().getHostAddress() + " " + way.to().getAddress().getHostAddress()
                + " " + way.kind()).toList();
    }

    @Test
    void shouldTryWhatIsOnItsLinkThenWhatIsRoutedAndItsOwnAddressesLast() {
        Machine machine = machine().reaching("10.7.0.2", "10.0.0.1");
        assertThat(order(ways(machine, List.of("10.9.0.1", "172.20.0.1", "10.0.0.1"), "172.20.0.1", "10.7.0.2",
                "192.168.1.1", "10.0.0.2"))).containsExactly("10.0.0.1 10.0.0.2 ON_LINK", "10.0.0.1 10.7.0.2 ROUTED",
                        "10.9.0.1 192.168.1.1 WITHOUT_ROUTE", "172.20.0.1 172.20.0.1 OWN");
    }

    @Test
    void shouldTakeTheFamilyThatBothHave() {
        assertThat(order(ways(machine(), List.of("10.0.0.1", "fd00::1"), "fd00::2")))
                .containsExactly("fd00:0:0:0:0:0:0:1 fd00:0:0:0:0:0:0:2 ON_LINK");
        assertThat(order(ways(machine(), List.of("10.0.0.1", "fd00::1"), "fd00::2", "10.0.0.2"))).as("IPv4 first")
                .containsExactly("10.0.0.1 10.0.0.2 ON_LINK", "fd00:0:0:0:0:0:0:1 fd00:0:0:0:0:0:0:2 ON_LINK");
        Ways none = ways(machine(), List.of("10.0.0.1"), "fd00::2");
        assertThat(none.current()).isEmpty();
        none.leave("not there", false);
        assertThat(none.describe())
                .isEqualTo("rail 0 from 10.0.0.1 does not reach [fd00:0:0:0:0:0:0:2]:4000 (this rail "
                        + "has no address of its family)");
    }

    @Test
    void shouldKeepToTheAddressesOfTheRail() {
        assertThat(order(ways(machine().reaching("10.7.0.2", "10.0.0.1"), List.of("10.9.0.1"), "10.7.0.2", "10.9.0.2")))
                .containsExactly("10.9.0.1 10.9.0.2 ON_LINK", "10.9.0.1 10.7.0.2 FROM_ELSEWHERE");
    }

    @Test
    void shouldPreferAnAddressThatHasLedToAnotherProcess() {
        Ways ways = ways(machine(), List.of("10.9.0.1", "10.0.0.1"), "10.9.0.2", "10.0.0.2");
        assertThat(ways.current().orElseThrow().to().getAddress().getHostAddress()).isEqualTo("10.9.0.2");
        ways.order(machine(), Set.of(InetAddress.ofLiteral("10.0.0.1")));
        assertThat(ways.current().orElseThrow().to().getAddress().getHostAddress()).isEqualTo("10.0.0.2");
    }

    @Test
    void shouldTryThemRoundAndRoundAndSayWhyEachWasLeft() {
        Ways ways = ways(machine(), List.of("10.9.0.1", "172.20.0.1", "10.0.0.1"), "172.20.0.1", "10.9.0.2",
                "10.0.0.2");
        assertThat(ways.isRoundUnderWay()).isFalse();
        ways.leave("no answer", false);
        assertThat(ways.isRoundUnderWay()).isTrue();
        assertThat(ways.current().orElseThrow().to().getAddress().getHostAddress()).isEqualTo("10.0.0.2");
        ways.leave("Connection refused", false);
        assertThat(ways.leadToStrangers()).isFalse();
        ways.leave("another process listens there", true);
        assertThat(ways.isRoundUnderWay()).isFalse();
        assertThat(ways.current().orElseThrow().to().getAddress().getHostAddress()).isEqualTo("10.9.0.2");
        assertThat(ways.leadToStrangers()).isFalse();
        assertThat(ways.describe()).isEqualTo("rail 0 from 10.9.0.1, 172.20.0.1, 10.0.0.1 does not reach "
                + "172.20.0.1:4000 from 172.20.0.1 (another process listens there, an address of this host as well); "
                + "10.9.0.2:4000 from 10.9.0.1 (no answer); 10.0.0.2:4000 from 10.0.0.1 (Connection refused)");
        ways.settle(InetAddress.ofLiteral("10.0.0.1"), InetAddress.ofLiteral("10.0.0.2"));
        assertThat(ways.current().orElseThrow().to().getAddress().getHostAddress()).isEqualTo("10.0.0.2");
    }

    @Test
    void shouldNoticeWhenAllEndsAreStrangers() {
        Ways ways = ways(machine(), List.of("10.9.0.1", "10.0.0.1"), "10.9.0.2", "10.0.0.2");
        ways.leave("another secret", true);
        assertThat(ways.leadToStrangers()).isFalse();
        ways.leave("another secret", true);
        assertThat(ways.leadToStrangers()).isTrue();
        ways.leave("no answer", false);
        assertThat(ways.leadToStrangers()).isFalse();
    }
}
