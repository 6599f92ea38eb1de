/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PortRangeTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void shouldReadRanges() {
        assertThat(PortRange.parse("20000-20100")).isEqualTo(new PortRange(20_000, 20_100));
        assertThat(PortRange.parse(" 20000 ")).isEqualTo(new PortRange(20_000, 20_000));
        assertThat(PortRange.parse("1-65535")).isEqualTo(new PortRange(1, 65_535));
        assertThat(PortRange.parse("")).isEqualTo(PortRange.ANY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0-10", "20-10", "65536", "1-65536", "a-b", "-5", "5-", "1-2-3", "1,2", "123456"})
    void shouldRefuseWhatIsNone(String text) {
        assertThatThrownBy(() -> PortRange.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "\"" + text + "\" is no range of ports; give the lowest and the highest, from 1 to 65535, as "
                                + "in 20000-20100");
    }

    /** A port that was free a moment ago. */
    private static int port() throws IOException {
        try (var server = ServerSocketChannel.open()) {
            return ((InetSocketAddress) server.bind(new InetSocketAddress(LOOPBACK, 0)).getLocalAddress()).getPort();
        }
    }

    private static TcpFabric listen(PortRange ports) {
        List<InetSocketAddress> rail = List.of(new InetSocketAddress(LOOPBACK, 0));
        return new TcpFabric(new LocalProcess(0, new byte[32], List.of(rail), ports, _ -> List.of(), 2000, 2000,
                Striping.SPEED, 1), 2, new Deaf(), false, Service.SLEEP);
    }

    @Test
    void shouldListenAtTheLowestPortThatIsFreeAndSayWhenThereIsNone() throws IOException {
        int port = port();
        var ports = new PortRange(port, port);
        TcpFabric first = listen(ports);
        try {
            assertThat(first.addresses()).containsExactly(new InetSocketAddress(LOOPBACK, port));
            assertThatThrownBy(() -> listen(ports)).isInstanceOf(JobStartException.class)
                    .hasMessageStartingWith("rank 0 cannot listen on 127.0.0.1 (none of the ports " + port
                            + " is free: ")
                    .hasMessageContaining("or more ports (--ports, TUTTI_PORTS)");
            TcpFabric second = listen(new PortRange(port, port + 100));
            assertThat(second.addresses().getFirst().getPort()).isBetween(port + 1, port + 100);
            second.close();
        } finally {
            first.close();
        }
    }
}
