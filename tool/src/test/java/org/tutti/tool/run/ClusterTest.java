/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.tool.Shapes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The hosts that {@code bench/cluster} makes, and jobs on them. Needs root, network namespaces and iproute2. */
@Timeout(300)
class ClusterTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final String NAME = "t" + ProcessHandle.current().pid();
    private static final String NATIVE = "-J--illegal-native-access=allow";
    private static final String NOT_NATIVE = "-J--illegal-native-access=deny";

    @TempDir
    private static Path directory;

    /** The output and the exit status of a command. */
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
    void shouldNotPaceWhatHostsSend() throws Exception {
        assertThat(cluster("exec", NAME + "-2", "cat", "/proc/sys/net/ipv4/tcp_congestion_control").out().strip())
                .isEqualTo("reno");
    }

    @Test
    void shouldCutAndMendAHost() throws Exception {
        var target = cluster("addresses").out().lines().toList().get(2).replaceFirst(".*rail1=", "");
        var connect = new String[]{"exec", NAME + "-1", "timeout", "1", "bash", "-c", ": >/dev/tcp/" + target + "/9"};
        assertThat(cluster(connect).err()).contains("Connection refused");
        assertThat(cluster("cut", NAME + "-1").status()).isZero();
        assertThat(cluster(connect).err()).contains("unreachable");
        mend(NAME + "-1");
        assertThat(cluster(connect).err()).contains("Connection refused");
        assertThat(cluster("cut", NAME + "-1", "rail7").err()).contains("has no rail 'rail7'; it has rail0 rail1");
    }

    private static LauncherProcess runProgram(String program, String... options) throws Exception {
        var home = Files.createTempDirectory(directory, "job");
        Files.writeString(home.resolve("Program.java"), program);
        var agent = "env TUTTI_CLUSTER=" + NAME + " " + HOME.resolve("bench/cluster") + " exec {host}";
        List<String> arguments = new ArrayList<>(List.of("--hosts", cluster("hosts", "3:2").out().strip(), "--agent",
                agent, "--remote-tutti", LauncherProcess.script(home).toString()));
        if (!List.of(options).contains("--rails")) {
            arguments.addAll(List.of("--rails", "rail0,rail1"));
        }
        if (!List.of(options).contains("--heartbeat")) {
            arguments.addAll(List.of("--heartbeat", "2s"));
        }
        arguments.addAll(List.of(options));
        arguments.add("Program.java");
        return LauncherProcess.run(home, arguments.toArray(String[]::new));
    }

    private static void cut(String... what) throws Exception {
        assertThat(cluster(Stream.concat(Stream.of("cut"), Stream.of(what)).toArray(String[]::new)).status()).isZero();
    }

    private static void mend(String... what) throws Exception {
        assertThat(cluster(Stream.concat(Stream.of("mend"), Stream.of(what)).toArray(String[]::new)).status()).isZero();
    }

    private static void assertThatItEnds(LauncherProcess launcher, Duration limit) throws Exception {
        var time = new MachineTime();
        assertThat(launcher.status()).as(launcher.err()).isEqualTo(1);
        assertThat(time.elapsed()).isLessThan(limit);
        launcher.assertThatNothingIsLeft(Duration.ofSeconds(1));
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {NATIVE, NOT_NATIVE})
    void shouldRunAJobWithCollectivesOverTwoRails(String access) throws Exception {
        try (var launcher = runProgram(Programs.COMPUTES, access)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0 is right", "1 is right", "2 is right",
                    "3 is right", "4 is right", "5 is right");
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }

    /** Sections are got, put and accumulated between the hosts; the program compares the product with a plain one. */
    @Tag("thorough")
    @Test
    void shouldReachTheMemoryOfOtherHostsOverTwoRails() throws Exception {
        try (var launcher = runProgram(Files.readString(HOME.resolve("examples/MatrixMultiplication.java")))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).contains("; the product is right");
        }
    }

    @Tag("thorough")
    @RepeatedTest(3)
    void shouldTakeNoRankForLostThatLeavesAtOnce() throws Exception {
        try (var launcher = runProgram("import module org.tutti;\nvoid main() { Tutti.join().close(); }")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.err()).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameTheHostWhoseRailIsDown() throws Exception {
        cut(NAME + "-2", "rail1");
        try {
            assertThatRailsAreRefused("rail0,rail1", "the interface of \\S+ \\(rail1\\) is down");
        } finally {
            mend(NAME + "-2", "rail1");
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameTheHostThatHasNotTheAddressOfARail() throws Exception {
        var address = cluster("addresses").out().lines().findFirst().orElseThrow().replaceFirst(".*rail1=", "");
        assertThatRailsAreRefused("rail0," + address, address + " is not an address of this machine");
    }

    /** On the second host, as it says itself. */
    private static void assertThatRailsAreRefused(String rails, String why) throws Exception {
        try (var launcher = runProgram(Programs.COMPUTES, "--rails", rails)) {
            assertThat(launcher.status()).isPositive();
            assertThat(launcher.err()).containsPattern("on host " + NAME + "-2 the rails \"" + rails
                    + "\" cannot be used: " + why);
            launcher.assertThatNothingIsLeft(Duration.ofSeconds(1));
        }
    }

    /** In the middle of collectives, of which each result is checked; it is lost when it was silent for a heartbeat. */
    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {NATIVE, NOT_NATIVE})
    void shouldGoOnWhenARailIsLostAndUseItAgainWhenItIsBack(String access) throws Exception {
        try (var launcher = runProgram(Programs.GOES_ON, access, "--metrics", "./job.prom")) {
            launcher.awaitLines(6);
            cut(NAME + "-2", "rail1");
            awaitErr(launcher, "rail 1 from the process of rank 2 .* is lost .*; the other rails carry on");
            mend(NAME + "-2", "rail1");
            awaitErr(launcher, "rail 1 from the process of rank 2 .* is back");
            long before = bytesOfTheSecondRail();
            LauncherProcess.awaitThat("it carries bytes", () -> bytesOfTheSecondRail() > before + (1 << 20));
            Files.createFile(launcher.directory().resolve("go"));
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().filter(line -> line.endsWith(" is right"))).hasSize(6);
            assertThat(Files.readString(launcher.directory().resolve("job.prom")))
                    .containsPattern("tutti_rails_lost_total\\{rank=\"2\"} [1-9]")
                    .containsPattern("tutti_rails_restored_total\\{rank=\"2\"} [1-9]");
        } finally {
            mend(NAME + "-2");
        }
    }

    private static void awaitErr(LauncherProcess launcher, String line) {
        var pattern = Pattern.compile(line);
        LauncherProcess.awaitThat(line, () -> pattern.matcher(launcher.err()).find());
    }

    /** What the second host has sent. */
    private static long bytesOfTheSecondRail() {
        try {
            return Long.parseLong(cluster("exec", NAME + "-2", "cat", "/sys/class/net/rail1/statistics/tx_bytes").out()
                    .strip());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {NATIVE, NOT_NATIVE})
    void shouldNameTheHostThatIsCutOff(String access) throws Exception {
        try (var launcher = runProgram(Programs.GOES_ON, access)) {
            launcher.awaitLines(6);
            assertThat(cluster("cut", NAME + "-2").status()).isZero();
            assertThatItEnds(launcher, Duration.ofSeconds(2 + 3));
            assertThat(launcher.out().lines().filter(line -> line.matches("[0145] lost [23]|[23] lost [0145]")))
                    .hasSize(6);
            assertThat(launcher.err())
                    .startsWith("tutti: host " + NAME + "-2 was cut off from the others, so ranks 2-3 "
                            + "could not go on with them: see the network, or --rails; the job was ended.\n");
        } finally {
            mend(NAME + "-2");
        }
    }

    /**
     * Each of them blames the other one. The third host reaches both, and takes no side. Other tests may keep a process
     * from its core for some seconds, so the heartbeat is longer.
     */
    @Test
    void shouldNameBothHostsThatCannotReachEachOther() throws Exception {
        try (var launcher = runProgram(Programs.GOES_ON, "--heartbeat", "4s")) {
            launcher.awaitLines(6);
            cut(NAME + "-2", NAME + "-3");
            assertThatItEnds(launcher, Duration.ofSeconds(4 + 4));
            assertThat(launcher.out().lines().filter(line -> line.contains(" lost ")))
                    .as(launcher.out() + launcher.err()).hasSize(6)
                    .allMatch(line -> line.matches("[23] lost [45]|[45] lost [23]|[01] lost [2345]"));
            assertThat(launcher.err()).startsWith("tutti: host " + NAME + "-2 and host " + NAME
                    + "-3 were cut off from each other: see the network, or --rails; the job was ended.\n");
            assertThat(launcher.err()).doesNotContainPattern("rank (\\d): rank \\1 ");
        } finally {
            mend(NAME + "-2", NAME + "-3");
        }
    }

    @Tag("thorough")
    @Test
    void shouldGoOnWhenHostsCouldNotReachEachOtherAtFirst() throws Exception {
        cut(NAME + "-2", NAME + "-3");
        try (var launcher = runProgram(Programs.GOES_ON, "--heartbeat", "10s")) {
            Thread.sleep(4500); // less than the heartbeat, and more than many attempts
            mend(NAME + "-2", NAME + "-3");
            launcher.awaitLines(6);
            Files.createFile(launcher.directory().resolve("go"));
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().filter(line -> line.endsWith(" is right"))).hasSize(6);
        }
    }

    /** Nothing passes between two of three hosts for a while: when the job begins, in its middle, or when it ends. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"begins | 100", "begins | 2000", "begins | 12000", "computes | 100", "computes | 500", "computes | 2500",
            "computes | 8000", "computes | 30000", "ends | 100", "ends | 2500", "ends | 8000"})
    void shouldGoOnOrSayWhoWasCutOff(String when, long cutMillis) throws Exception {
        boolean cutAtFirst = when.equals("begins");
        if (cutAtFirst) {
            cut(NAME + "-2", NAME + "-3");
        }
        try (var launcher = runProgram(Programs.GOES_ON, "--heartbeat", "4s")) {
            if (!cutAtFirst) {
                launcher.awaitLines(6);
            }
            if (when.equals("ends")) {
                Files.createFile(launcher.directory().resolve("go"));
            }
            if (!cutAtFirst) {
                cut(NAME + "-2", NAME + "-3");
            }
            launcher.awaitEnd(Duration.ofMillis(cutMillis)); // which comes soon when they do not meet again
            mend(NAME + "-2", NAME + "-3");
            if (!when.equals("ends")) {
                if (cutMillis < 4000) {
                    launcher.awaitLines(6);
                } // else a job may live that a slow machine has begun so late that it was not cut for long
                Files.createFile(launcher.directory().resolve("go"));
            }
            int status = launcher.status();
            if (cutMillis < 4000) {
                assertThat(status).as(launcher.err()).isZero();
            }
            if (status == 0) {
                assertThat(launcher.out().lines().filter(line -> line.endsWith(" is right"))).hasSize(6);
                assertThat(launcher.err()).isEmpty();
            } else {
                assertThat(launcher.err()).startsWith("tutti: host " + NAME + "-2 and host " + NAME
                        + "-3 were cut off from each other");
            }
            launcher.assertThatNothingIsLeft(Duration.ofSeconds(1));
        }
    }

    /** Its host answers, and its connections stay: so a long collection looks. */
    @Tag("thorough")
    @Test
    void shouldGoOnWhenAProcessStandsStillForLongerThanTheHeartbeat() throws Exception {
        try (var launcher = runProgram(Programs.GOES_ON)) {
            launcher.awaitLines(6);
            var pid = pidOf(launcher, 4);
            assertThat(new ProcessBuilder("kill", "-STOP", pid).start().waitFor()).isZero();
            Files.createFile(launcher.directory().resolve("go"));
            Thread.sleep(3 * 2000);
            assertThat(new ProcessBuilder("kill", "-CONT", pid).start().waitFor()).isZero();
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().filter(line -> line.endsWith(" is right"))).hasSize(6);
        }
    }

    private static String pidOf(LauncherProcess launcher, int rank) throws Exception {
        var line = launcher.out().lines().filter(each -> each.startsWith(rank + " ")).findFirst().orElseThrow();
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    @Tag("thorough")
    @Test
    void shouldNameTheRankWhoseProcessIsStopped() throws Exception {
        try (var launcher = runProgram(Programs.GOES_ON, "--standstill", "2s")) {
            launcher.awaitLines(6);
            var pid = pidOf(launcher, 4);
            assertThat(new ProcessBuilder("kill", "-STOP", pid).start().waitFor()).isZero();
            assertThatItEnds(launcher, Duration.ofSeconds(2 + 4)); // SIGTERM does nothing to it
            assertThat(launcher.out().lines().filter(each -> each.matches("[01235] lost 4")))
                    .as(launcher.out() + launcher.err()).hasSize(5);
            assertThat(launcher.err()).startsWith("tutti: rank 4 (pid " + pid + " on " + NAME + "-3) counts as "
                    + "failed: its process stood still for 2000 ms, as a long garbage collection, a debugger or a busy "
                    + "machine may have it (--standstill, TUTTI_STANDSTILL_MILLIS), and did not end by itself; the job "
                    + "was ended.\n");
        }
    }

    @Tag("thorough")
    @Test
    void shouldComputeTheSameByEveryAlgorithm() throws Exception {
        Files.writeString(directory.resolve("Program.java"), Programs.EVERY_ALGORITHM);
        var algorithms = Programs.everyAlgorithm();
        try (var launcher = onHosts("3:2", algorithms)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSize(6)
                    .allMatch(line -> line.matches("\\d has done " + algorithms.size()));
        }
    }

    /** Runs Program.java. */
    private static LauncherProcess onHosts(String ranks, List<String> arguments) throws Exception {
        var script = LauncherProcess.script(directory);
        var agent = "env TUTTI_CLUSTER=" + NAME + " " + HOME.resolve("bench/cluster") + " exec {host}";
        List<String> all = new ArrayList<>(List.of("--hosts", cluster("hosts", ranks).out().strip(), "--agent", agent,
                "--remote-tutti", script.toString(), "Program.java"));
        all.addAll(arguments);
        return LauncherProcess.run(directory, all.toArray(String[]::new));
    }

    @Test
    void shouldRunAJobOnItsHosts() throws Exception {
        Files.writeString(directory.resolve("Program.java"), """
                void main() throws Exception {
                    var hostname = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
                    IO.println(System.getenv("TUTTI_RANK") + " " + hostname + " "
                            + java.net.NetworkInterface.networkInterfaces().count() + " "
                            + System.getenv("TUTTI_CORES"));
                }
                """);
        int cores = Math.max(1, Runtime.getRuntime().availableProcessors() / 3);
        try (var launcher = onHosts("3:2", List.of())) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 6)
                    .mapToObj(rank -> rank + " " + NAME + "-" + (1 + rank / 2) + " 3 " + cores).toList());
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }
}
