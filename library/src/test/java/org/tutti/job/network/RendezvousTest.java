/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(30)
class RendezvousTest {
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final Rendezvous.Names NOBODY = host -> {
        throw new UnknownHostException(host + ": unknown");
    };

    @Test
    void shouldLookANameUpUntilItIsKnown() {
        List<String> asked = new ArrayList<>();
        Rendezvous.Names late = host -> {
            asked.add(host);
            if (asked.size() < 3) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[]{InetAddress.ofLiteral("10.1.2.3")};
        };
        assertThat(Rendezvous.await("sum-0.sum:20000", System.nanoTime() + MINUTE_NANOS, late))
                .containsExactly(List.of(new InetSocketAddress("10.1.2.3", 20_000)));
        assertThat(asked).containsExactly("sum-0.sum", "sum-0.sum", "sum-0.sum");
    }

    @Test
    void shouldTakeAllAddressesOfANameAndAllThatAreWritten() throws UnknownHostException {
        Rendezvous.Names names = _ -> new InetAddress[]{InetAddress.ofLiteral("127.0.1.1"),
                InetAddress.ofLiteral("10.1.2.3"), InetAddress.ofLiteral("fd00::3")};
        assertThat(Rendezvous.await("node1:20000", System.nanoTime(), names)).containsExactly(
                List.of(new InetSocketAddress("127.0.1.1", 20_000), new InetSocketAddress("10.1.2.3", 20_000),
                        new InetSocketAddress("fd00::3", 20_000)));
        String text = "10.0.0.1:1|[fd00:0:0:0:0:0:0:1]:2,10.1.0.1:3";
        assertThat(Rendezvous.parse(text)).containsExactly(
                List.of(new InetSocketAddress("10.0.0.1", 1), new InetSocketAddress("fd00::1", 2)),
                List.of(new InetSocketAddress("10.1.0.1", 3)));
        assertThat(Rendezvous.text(Rendezvous.parse(text))).isEqualTo(text);
    }

    @Test
    void shouldTellWhatIsOnlyHereFromNamesThatThisMachineCallsLoopback() {
        assertThat(List.of("127.0.0.1:1", "127.0.1.1:1,127.0.0.2:1", "[::1]:1", "localhost:1"))
                .allMatch(Rendezvous::isOnlyHere);
        assertThat(List.of("", "node1:1", "10.0.0.1:1", "127.0.0.1:1|10.0.0.1:1")).noneMatch(Rendezvous::isOnlyHere);
    }

    @Test
    void shouldSayWhichNameIsStillNotKnownAtTheDeadline() {
        assertThatThrownBy(() -> Rendezvous.await("sum-0.sum:20000", System.nanoTime(), NOBODY))
                .isInstanceOf(JobStartException.class).hasMessage("the rendezvous \"sum-0.sum:20000\", where rank 0 "
                        + "should listen, is not known here (sum-0.sum: unknown); see why its name cannot be looked "
                        + "up, or put an address into TUTTI_RENDEZVOUS");
    }

    @Test
    void shouldEndWhenItsThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Rendezvous.await("sum-0.sum:20000", System.nanoTime() + MINUTE_NANOS, NOBODY))
                .isInstanceOf(JobStartException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sum-0", ":20000", "sum-0:", "sum-0:0", "sum-0:65536", "sum-0:x", "10.0.0.1:1,",
            "10.0.0.1:1|",
            "|10.0.0.1:1", "10.0.0.1|10.0.0.2:1"})
    void shouldRefuseAtOnceWhatCannotBeRead(String text) {
        assertThatThrownBy(() -> Rendezvous.await(text, System.nanoTime() + MINUTE_NANOS,
                _ -> new InetAddress[]{InetAddress.ofLiteral("10.1.2.3")})).isInstanceOf(JobStartException.class)
                .hasMessageStartingWith("the rendezvous \"" + text + "\" cannot be read; write address:port");
    }
}
