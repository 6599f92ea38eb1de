/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The hosts that {@code bench/cluster} makes, and jobs on them. Needs root, network namespaces and iproute2. */
@Timeout(60)
class ClusterTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final String NAME = "t" + ProcessHandle.current().pid();

    @TempDir
    private static Path directory;

    /** What a command has printed and returned. */
    private record Ran(int status, String out, String err) {}

    private static Ran cluster(String... arguments) throws IOException, InterruptedException {
        var out = directory.resolve("out").toFile();
        var err = directory.resolve("err").toFile();
        List<String> command = new ArrayList<>(List.of(HOME.resolve("bench/cluster").toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectOutput(out).redirectError(err);
        builder.environment().put("TUTTI_CLUSTER", NAME);
        int status = builder.start().waitFor();
        return new Ran(status, Files.readString(out.toPath()), Files.readString(err.toPath()));
    }

    @BeforeAll
    static void makeCluster() throws Exception {
        var made = cluster("up", "3", "--rails", "2", "--rate", "1gbit");
        if (made.status() != 0) {
            System.out.println("ClusterTest is skipped: " + made.err().strip());
        }
        assumeTrue(made.status() == 0, made.err());
    }

    @AfterAll
    static void removeCluster() throws Exception {
        if (Files.exists(Path.of("/run/netns", NAME + "-net"))) {
            assertThat(cluster("down").status()).isZero();
        }
        assertThat(Path.of("/run/netns", NAME + "-1")).doesNotExist();
        assertThat(Path.of("/run/netns", NAME + "-net")).doesNotExist();
    }

    @Test
    void shouldNameItsHosts() throws Exception {
        assertThat(cluster("hosts", "3:2").out()).isEqualTo("%1$s-1:2,%1$s-2:2,%1$s-3:2%n".formatted(NAME));
        assertThat(cluster("addresses").out().lines()).hasSize(3)
                .allMatch(line -> line.matches(NAME + "-(\\d) rail0=10\\.\\d+\\.0\\.\\1 rail1=10\\.\\d+\\.0\\.\\1"));
    }

    @Test
    void shouldRunCommandsOnHostsWithNamesOfTheirOwn() throws Exception {
        var ran = cluster("exec", NAME + "-2", "sh", "-c", "hostname; echo \"$1\"; exit 7", "sh", "a  b'$c");
        assertThat(ran).isEqualTo(new Ran(7, NAME + "-2\na  b'$c\n", ""));
        assertThat(cluster("exec", NAME + "-4", "true").err()).contains("there is no host");
    }

    @Test
    void shouldShapeBothDirections() throws Exception {
        assertThat(cluster("exec", NAME + "-1", "tc", "qdisc").out()).contains("tbf", "dev rail0 root", "rate 1Gbit");
        assertThat(cluster("exec", NAME + "-1", "ip", "netns", "exec", NAME + "-net", "tc", "qdisc").out())
                .contains("dev port1-0 root", "dev port3-1 root");
    }

    @Test
    void shouldCutAndMendAHost() throws Exception {
        var target = cluster("addresses").out().lines().toList().get(2).replaceFirst(".*rail1=", "");
        var connect = new String[]{"exec", NAME + "-1", "timeout", "1", "bash", "-c", ": >/dev/tcp/" + target + "/9"};
        assertThat(cluster(connect).err()).contains("Connection refused");
        assertThat(cluster("cut", NAME + "-1").status()).isZero();
        assertThat(cluster(connect).err()).contains("unreachable");
        assertThat(cluster("mend", NAME + "-1").status()).isZero();
        assertThat(cluster(connect).err()).contains("Connection refused");
    }

    @Test
    void shouldRunAJobOnItsHosts() throws Exception {
        Files.writeString(directory.resolve("Program.java"), """
                void main() throws Exception {
                    var hostname = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
                    IO.println(System.getenv("TUTTI_RANK") + " " + hostname + " "
                            + java.net.NetworkInterface.networkInterfaces().count());
                }
                """);
        var script = LauncherProcess.script(directory);
        var agent = "env TUTTI_CLUSTER=" + NAME + " " + HOME.resolve("bench/cluster") + " exec {host}";
        try (var launcher = LauncherProcess.run(directory, "--hosts", cluster("hosts", "3:2").out().strip(), "--agent",
                agent, "--remote-tutti", script.toString(), "Program.java")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0 " + NAME + "-1 3", "1 " + NAME + "-1 3",
                    "2 " + NAME + "-2 3", "3 " + NAME + "-2 3", "4 " + NAME + "-3 3", "5 " + NAME + "-3 3");
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }
}
