/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.UsageException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HostsTest {
    private static Hosts parse(String list, String agent) {
        return Hosts.parse(list, Optional.ofNullable(agent), Optional.of("/opt/tutti"));
    }

    @Test
    void shouldReadHostsAndTheirRanks() {
        assertThat(parse("a:4,user@b.example.org:12,10.0.0.7,a:1,[fe80::1%eth0]:2", null).entries()).containsExactly(
                new Hosts.Entry("a", 4), new Hosts.Entry("user@b.example.org", 12), new Hosts.Entry("10.0.0.7", 1),
                new Hosts.Entry("a", 1), new Hosts.Entry("fe80::1%eth0", 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:0", "a:4,", ":4", "a:x", "-oProxyCommand=x:1", "a b:1", "a;b:1", "a:4097", "$(x):1"})
    void shouldRefuseWhatIsNoHost(String list) {
        assertThatThrownBy(() -> parse(list, null)).isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--hosts " + list + " is not possible");
    }

    @Test
    void shouldReachHostsBySsh() {
        var words = List.of("ssh", "-o", "BatchMode=yes", "a", "/opt/tutti", "host");
        assertThat(parse("a:1", null).command(0, "host")).isEqualTo(words);
        assertThat(parse("a:1", "ssh").command(0, "host")).isEqualTo(words);
    }

    @Test
    void shouldReachHostsByAnyAgent() {
        assertThat(parse("a:1,b:1", "ip netns exec {host}").command(1, "host"))
                .containsExactly("ip", "netns", "exec", "b", "/opt/tutti", "host");
        assertThat(parse("a:1", " on  --name={host}.local ").command(0, "host"))
                .containsExactly("on", "--name=a.local", "/opt/tutti", "host");
        assertThat(parse("a:1", "ssh -p 2222").command(0, "host"))
                .containsExactly("ssh", "-p", "2222", "a", "/opt/tutti", "host");
    }

    @Test
    void shouldRefuseAnEmptyAgentAndAPathThatAShellWouldChange() {
        assertThatThrownBy(() -> parse("a:1", " ")).hasMessageStartingWith("--agent is empty");
        assertThatThrownBy(() -> Hosts.parse("a:1", Optional.empty(), Optional.of("/opt/my tutti")))
                .isInstanceOf(UsageException.class).hasMessageContaining("/opt/my tutti");
    }
}
