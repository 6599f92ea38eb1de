/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.job.launch.JobEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Jobs on hosts with networks made for them: network namespaces with interfaces on links. Rank 0 is on host a. Every
 * rank sends to every other. Needs root, network namespaces and iproute2.
 */
@Timeout(120)
class NetworksTest {
    private static final String NAME = "w" + ProcessHandle.current().pid();
    private static final int PATIENCE_SECONDS = 60;

    /** Says where it listens, when all have computed. */
    private static final String PROGRAM = Programs.COMPUTES.replace("IO.println(job.rank() + \" is right\");", """
            IO.println(job.rank() + " is right");
            for (String table : List.of("tcp", "tcp6")) {
                try (var lines = Files.lines(Path.of("/proc/self/net", table))) {
                    lines.map(line -> line.strip().split(" +")).filter(words -> words[3].equals("0A")).forEach(words ->
                            IO.println("listening " + job.rank() + " " + words[1]));
                }
            }
            """).replace("void main() {", "void main() throws IOException {");

    /**
     * Waits until an interface runs. The kernel tells the state of a link up to a second after the carrier is there,
     * and {@code NetworkInterface.isUp} is false until then.
     */
    private static final String AWAIT_UP = """
            await_up() {
              for attempt in $(seq 500); do
                if ip -n $1 link show $2 | grep -q 'state UP'; then return 0; fi
                sleep 0.01
              done
              echo "$2 of $1 is not up after 5 s"; return 1
            }
            """;

    private final Set<String> hosts = new LinkedHashSet<>();
    @TempDir
    private Path directory;

    @BeforeEach
    void requireMachine() throws Exception {
        boolean made = command("ip", "netns", "add", NAME + "-net") == 0;
        if (!made) {
            System.out.println("NetworksTest is skipped: network namespaces need root and iproute2");
        }
        assumeTrue(made);
    }

    @AfterEach
    void removeHosts() throws Exception {
        for (var host : hosts) {
            command("ip", "netns", "delete", NAME + "-" + host);
        }
        command("ip", "netns", "delete", NAME + "-net");
    }

    private static int command(String... words) throws IOException, InterruptedException {
        var process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        if (status != 0) {
            System.out.println(String.join(" ", words) + ": " + printed.strip());
        }
        return status;
    }

    /**
     * Makes hosts.
     *
     * @param plan of each interface, in the order of their making: host, name, link, and its addresses; interfaces on
     *        the same link reach each other, and one of the link {@code -} reaches none
     */
    private void make(String plan) throws Exception {
        var script = new StringBuilder(AWAIT_UP);
        var waits = new StringBuilder();
        Set<String> links = new LinkedHashSet<>();
        int number = 0;
        for (var entry : plan.strip().split(";")) {
            var words = entry.strip().split(" +");
            var namespace = NAME + "-" + words[0];
            if (hosts.add(words[0])) {
                script.append("ip netns add %1$s; ip -n %1$s link set lo up\n".formatted(namespace));
            }
            if (words[2].equals("-")) {
                script.append("ip -n %s link add %s type bridge\n".formatted(namespace, words[1]));
            } else {
                if (links.add(words[2])) {
                    script.append("ip -n %1$s-net link add %2$s type bridge; ip -n %1$s-net link set %2$s up\n"
                            .formatted(NAME, words[2]));
                }
                script.append("ip -n %1$s-net link add port%2$d type veth peer name %3$s netns %4$s\n"
                        .formatted(NAME, number, words[1], namespace))
                        .append("ip -n %s-net link set port%d master %s up\n".formatted(NAME, number, words[2]));
                waits.append("await_up %s %s\n".formatted(namespace, words[1]));
            }
            for (int i = 3; i < words.length; i++) {
                script.append("ip -n %s address add %s dev %s %s\n".formatted(namespace, words[i], words[1],
                        words[i].contains(":") ? "nodad" : ""));
            }
            script.append("ip -n %s link set %s up\n".formatted(namespace, words[1]));
            number++;
        }
        assertThat(command("sh", "-ec", script.append(waits).toString())).isZero();
    }

    private LauncherProcess run(String... options) throws Exception {
        return run(hosts.stream().map(host -> NAME + "-" + host + ":1").collect(Collectors.joining(",")), options);
    }

    private LauncherProcess run(String ranks, String[] options) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("--hosts", ranks, "--remote-tutti", LauncherProcess.script(directory).toString()));
        if (!List.of(options).contains("--agent")) {
            arguments.addAll(List.of("--agent", "ip netns exec {host}"));
        }
        for (var option : options) {
            arguments.add(option.replace("HOST", NAME + "-"));
        }
        arguments.addAll(LauncherProcess.compiled(directory, PROGRAM));
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    private void assertThatItComputes(LauncherProcess launcher) throws InterruptedException {
        assertThat(launcher.status()).as(launcher.err()).isZero();
        assertThat(launcher.out().lines().filter(line -> line.endsWith(" is right"))).hasSize(hosts.size());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            an unrelated interface that is first, and a bridge with equal addresses | a br7 - 172.20.0.1/16; \
                a eth9 x 10.9.0.1/24; a eth0 y 10.0.0.1/24; b br7 - 172.20.0.1/16; b eth0 y 10.0.0.2/24
            both families, and one of each alone | a eth0 x 10.0.0.1/24 fd00::1/64; b eth0 x fd00::2/64; \
                c eth0 x 10.0.0.3/24 fd00::3/64""")
    void shouldRun(String what, String plan) throws Exception {
        make(plan);
        try (var launcher = run()) {
            assertThatItComputes(launcher);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            IPv6 alone | a eth0 x fd00::1/64; b eth0 x fd00::2/64
            IPv6 alone at rank 0 | a eth0 x fd00::1/64; b eth0 x 10.0.0.2/24 fd00::2/64; c eth0 x 10.0.0.3/24 fd00::3/64
            several networks, one of them shared | a eth0 x 10.1.0.1/24; a eth1 z 10.0.0.1/24; b eth0 y 10.2.0.2/24; \
                b eth1 z 10.0.0.2/24
            none that all three share | a eth0 x 10.1.0.1/24; a eth1 z 10.3.0.1/24; b eth0 x 10.1.0.2/24; \
                b eth1 y 10.2.0.2/24; c eth0 y 10.2.0.3/24; c eth1 z 10.3.0.3/24
            equal subnets that are not connected | a eth0 x 10.1.0.1/24; a eth1 z 10.0.0.1/24; b eth0 y 10.1.0.2/24; \
                b eth1 z 10.0.0.2/24
            addresses of another host that are local | a br7 - 10.1.0.1/24; a eth1 z 10.0.0.1/24; \
                b br7 - 10.1.0.1/24; b eth1 z 10.0.0.2/24; c br7 - 10.1.0.1/24; c eth1 z 10.0.0.3/24""")
    void shouldRunOnAnyNetworksThatPairsOfHostsShare(String what, String plan) throws Exception {
        shouldRun(what, plan);
    }

    @Test
    void shouldSayOfEveryAddressWhyItWasLeft() throws Exception {
        make("a br7 - 172.20.0.1/16; a eth0 x 10.1.0.1/24; a eth1 x fd00::1/64; b br7 - 172.20.0.1/16; "
                + "b eth0 y 10.2.0.1/24");
        try (var launcher = run("--heartbeat", "1s")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsPattern("cannot reach the process of rank 0 at "
                    + "172.20.0.1:(\\d+)\\|10.1.0.1:(\\d+)\\|\\[fd00:0:0:0:0:0:0:1]:(\\d+): rail 0 "
                    + "from 172.20.0.1, 10.2.0.1 does not reach 172.20.0.1:\\1 from 172.20.0.1 \\(Connection refused, "
                    + "an address of this host as well\\); 10.1.0.1:\\2 from 172.20.0.1 \\(Network is unreachable\\); "
                    + "\\[fd00:0:0:0:0:0:0:1]:\\3 \\(this rail has no address of its family\\)");
        }
    }

    @Tag("thorough")
    @Test
    void shouldSayThatTheOnlyAddressIsOfBothHosts() throws Exception {
        make("a br7 - 172.20.0.1/16; b br7 - 172.20.0.1/16");
        try (var launcher = run("--heartbeat", "1s")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsPattern("rail 0 from 172.20.0.1 does not reach 172.20.0.1:\\d+ "
                    + "\\(Connection refused, an address of this host as well\\)");
        }
    }

    /** Rank 0 reaches both, which do not reach each other. */
    @Tag("thorough")
    @Test
    void shouldSayWhyTwoHostsDoNotReachEachOther() throws Exception {
        make("a eth0 x 10.1.0.1/24; a eth1 y 10.2.0.1/24; b eth0 x 10.1.0.2/24; c eth0 y 10.2.0.3/24");
        try (var launcher = run("--heartbeat", "1s")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsPattern("could not connect with it; see the network between them: "
                    + "rail 0 from 10.(1.0.2|2.0.3) does not reach 10.(2.0.3|1.0.2):\\d+ "
                    + "\\(Network is unreachable\\)");
        }
    }

    private static String hex(String address) {
        var reversed = new StringBuilder();
        for (var part : address.split("\\.")) {
            reversed.insert(0, "%02X".formatted(Integer.parseInt(part)));
        }
        return reversed.toString();
    }

    /** Two networks, of which one is to be used, and ports that a firewall lets pass. */
    @Test
    void shouldListenWhereItIsAskedTo() throws Exception {
        assertThatTheyListenAt("10.1.0.1 10.1.0.2", "520[89]", "--rails", "^eth0,^fd00::/8,^10.7.0.0/16", "--rails",
                "HOSTb=ens3", "--ports", "21000-21001");
    }

    @Tag("thorough")
    @Test
    void shouldListenInTheSubnetThatIsAskedFor() throws Exception {
        assertThatTheyListenAt("10.1.0.1 10.1.0.2", "[0-9A-F]{4}", "--rails", "10.1.0.0/16");
    }

    @Tag("thorough")
    @Test
    void shouldListenWhereTheEnvironmentOfTheHostSays() throws Exception {
        assertThatTheyListenAt("10.1.0.1 10.1.0.2", "520[89]", "--agent",
                "ip netns exec {host} env TUTTI_RAILS=^eth0,10.1.0.0/16 TUTTI_PORTS=21000-21001");
    }

    private void assertThatTheyListenAt(String addresses, String ports, String... options) throws Exception {
        make("a eth0 x 10.0.0.1/24 fd00::1/64; a eth1 y 10.1.0.1/24; b eth0 x 10.0.0.2/24; b ens3 y 10.1.0.2/24");
        try (var launcher = run(options)) {
            assertThatItComputes(launcher);
            var listening = launcher.out().lines().filter(line -> line.startsWith("listening")).toList();
            var expected = addresses.split(" ");
            assertThat(listening).hasSize(2).allMatch(line -> {
                var words = line.split(" ");
                return words[2].matches("(0{16}FFFF0000)?" + hex(expected[Integer.parseInt(words[1])]) + ":" + ports);
            });
        }
    }

    @Test
    void shouldSayThatAllPortsAreTaken() throws Exception {
        make("a eth0 x 10.0.0.1/24; b eth0 x 10.0.0.2/24");
        try (var launcher = run("HOSTa:2,HOSTb:1".replace("HOST", NAME + "-"), new String[]{"--ports", "21000"})) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsPattern(
                    "rank [01] cannot listen on 10.0.0.1 \\(none of the ports 21000 is free: [^)]+\\); name other "
                            + "addresses of this host as rails \\(--rails, TUTTI_RAILS\\), or more ports");
        }
    }

    /** As an engine starts it: each host looks the rendezvous up in its own table, as Debian writes it. */
    @Test
    void shouldMeetAtANameThatIsLoopbackOnItsOwnHost() throws Exception {
        make("a eth0 x 10.0.0.1/24; b eth0 x 10.0.0.2/24");
        var names = Map.of("a", "127.0.1.1 node-a\n", "b", "10.0.0.1 node-a\n");
        var secret = Files.write(directory.resolve("secret"), new byte[32]);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        var program = LauncherProcess.compiled(directory, PROGRAM);
        List<Process> ranks = new ArrayList<>();
        try {
            for (var host : List.of("a", "a", "b")) {
                ranks.add(start(host, ranks.size(), names.get(host), program, secret));
            }
            for (int rank = 0; rank < ranks.size(); rank++) {
                assertThat(ranks.get(rank).waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(Files.readString(directory.resolve("out-" + rank))).contains(rank + " is right");
            }
        } finally {
            ranks.forEach(Process::destroyForcibly);
        }
    }

    private Process start(String host, int rank, String names, List<String> program, Path secret) throws IOException {
        var table = Files.writeString(directory.resolve("names-" + host), names);
        var builder = new ProcessBuilder("ip", "netns", "exec", NAME + "-" + host,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-Djdk.net.hosts.file=" + table, "-cp", RankCache.library() + ":" + program.get(1), program.getLast());
        builder.environment().putAll(Map.of(JobEnvironment.JOB, NAME, JobEnvironment.RANK, String.valueOf(rank),
                JobEnvironment.SIZE, "3", JobEnvironment.NODES, "3", JobEnvironment.NODE, String.valueOf(rank),
                JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, "node-a:20000",
                JobEnvironment.SECRET_FILE, secret.toString(), JobEnvironment.JOIN_TIMEOUT_MILLIS, "20000"));
        return builder.redirectErrorStream(true).redirectOutput(directory.resolve("out-" + rank).toFile()).start();
    }
}
