/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.Installation;
import org.tutti.tool.metrics.ParsedMetrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Jobs that publish their figures. */
@Timeout(300)
class MetricsOfJobsTest {
    private static final Pattern ADDRESS =
            Pattern.compile("tutti: the figures of this job are at (http://127\\.0\\.0\\.1:\\d+/metrics)\n");

    private static final int LATE_ROUNDS = 20;
    private static final double LATE_SECONDS = 0.05;

    private static final String PROGRAM = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    int rank = job.rank();
                    var world = job.world();
                    %s
                }
                awaitFile("end");
            }

            void awaitFile(String name) throws Exception {
                while (!Files.exists(Path.of(name))) {
                    Thread.sleep(5);
                }
            }
            """;

    /** The number of calls and of bytes differs from collective to collective. */
    private static final String KNOWN_CALLS = """
            for (int call = 0; call < 70; call++) {
                world.allreduce(new long[]{rank, call}, Reduction.SUM);
            }
            for (int call = 0; call < 3; call++) {
                world.broadcast(new byte[1000], 1);
            }
            world.allgather(new int[]{rank}, new int[world.size()]);
            world.barrier();
            world.barrier();
            IO.println("called");
            """;

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    private LauncherProcess run(String body, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(LauncherProcess.compiled(directory, PROGRAM.formatted(body)));
        return LauncherProcess.run(directory, words.toArray(String[]::new));
    }

    private String[] onHosts(String list) throws IOException {
        return new String[]{"--metrics", "0", "--heartbeat", "1m", "--hosts", list, "--agent", "env HOST={host}",
                "--remote-tutti",
                LauncherProcess.script(directory).toString()};
    }

    private void release(String name) throws IOException {
        Files.createFile(directory.resolve(name));
    }

    private static URI address(LauncherProcess launcher) {
        launcher.awaitError(ADDRESS.pattern());
        var found = ADDRESS.matcher(launcher.err());
        assertThat(found.find()).isTrue();
        return URI.create(found.group(1));
    }

    private ParsedMetrics scrape(URI address) {
        try {
            var response = client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            return ParsedMetrics.of(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Asks again if a host is too busy to answer in time. */
    private ParsedMetrics scrapeAllHosts(URI address) {
        ParsedMetrics metrics;
        do {
            metrics = scrape(address);
        } while (metrics.value("tutti_hosts_without_answer") > 0);
        return metrics;
    }

    private static Map<Map<String, String>, Double> ofRanks(int size, Map<String, Integer> values) {
        Map<Map<String, String>, Double> all = new HashMap<>();
        for (int rank = 0; rank < size; rank++) {
            for (var each : values.entrySet()) {
                all.put(Map.of("rank", String.valueOf(rank), "collective", each.getKey()),
                        each.getValue().doubleValue());
            }
        }
        return all;
    }

    private static void assertThatItHasTheKnownCalls(ParsedMetrics metrics, int size) {
        assertThat(metrics.all("tutti_calls_total"))
                .isEqualTo(ofRanks(size, Map.of("allreduce", 70, "broadcast", 3, "allgather", 1, "barrier", 2)));
        assertThat(metrics.all("tutti_call_bytes_total")).isEqualTo(
                ofRanks(size, Map.of("allreduce", 70 * 16, "broadcast", 3 * 1000, "allgather", 4, "barrier", 0)));
        assertThat(metrics.value("tutti_rank_failures_total")).isZero();
        assertThat(metrics.value("tutti_hosts_without_answer")).isZero();
        assertThat(nanos(metrics, "tutti_waiting_seconds_total"))
                .isEqualTo(nanos(metrics, "tutti_waited_for_seconds_total"));
    }

    private static long nanos(ParsedMetrics metrics, String name) {
        return metrics.all(name).values().stream().mapToLong(seconds -> Math.round(seconds * 1e9)).sum();
    }

    private static void assertThatRanksAre(ParsedMetrics metrics, String state, int count) {
        metrics.all("tutti_ranks").forEach((labels, value) -> assertThat(value).as("%s", labels)
                .isEqualTo(labels.equals(Map.of("state", state)) ? count : 0));
    }

    @Test
    void shouldCountTheCallsOfEachRankUntilTheJobEnds() throws Exception {
        try (var launcher = run(KNOWN_CALLS + "awaitFile(\"leave\");", "-n", "3", "--metrics", "0")) {
            var address = address(launcher);
            launcher.awaitLines(3);
            var metrics = scrape(address);
            assertThatItHasTheKnownCalls(metrics, 3);
            assertThatRanksAre(metrics, "joined", 3);
            assertThat(metrics.all("tutti_job_info")).hasSize(1).containsValue(1.0);
            release("leave");
            LauncherProcess.awaitThat("all ranks have left",
                    () -> scrape(address).value("tutti_ranks", "state", "left") == 3);
            assertThatItHasTheKnownCalls(scrape(address), 3);
            release("end");
            assertThat(launcher.status()).isZero();
            assertThat(launcher.err()).matches(ADDRESS);
            assertThatThrownBy(() -> client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()))
                    .isInstanceOf(ConnectException.class);
            launcher.assertThatNothingIsLeft(Duration.ofSeconds(5));
        }
    }

    @Test
    void shouldCountTheCallsOfRanksAsThreads() throws Exception {
        try (var launcher = run(KNOWN_CALLS, "-n", "3", "--ranks-per-process", "2", "--metrics", "0")) {
            var address = address(launcher);
            launcher.awaitLines(3);
            assertThatItHasTheKnownCalls(scrape(address), 3);
            release("end");
            assertThat(launcher.status()).isZero();
        }
    }

    @Test
    void shouldCountTheCallsOnSeveralNodes() throws Exception {
        try (var launcher = run(KNOWN_CALLS, "-n", "4", "--nodes", "2", "--metrics", "0")) {
            var address = address(launcher);
            launcher.awaitLines(4);
            assertThatItHasTheKnownCalls(scrape(address), 4);
            release("end");
            assertThat(launcher.status()).isZero();
        }
    }

    @Test
    void shouldAskOtherHostsAndKeepTheFiguresOfSilentOnes() throws Exception {
        try (var launcher = run(KNOWN_CALLS + "awaitFile(\"go\"); world.barrier(); IO.println(\"again\");",
                onHosts("a:2,b:1"))) {
            var address = address(launcher);
            launcher.awaitLines(3);
            assertThatItHasTheKnownCalls(scrapeAllHosts(address), 3);
            var host = launcher.handle().children()
                    .filter(child -> "b".equals(variable(child, "HOST"))).findFirst().orElseThrow();
            LauncherProcess.signal("STOP", host);
            release("go");
            launcher.awaitLines(5); // the output of rank 2 comes by the host that stands still
            var metrics = scrape(address);
            assertThat(metrics.value("tutti_hosts_without_answer")).isEqualTo(1);
            for (int rank = 0; rank < 3; rank++) {
                assertThat(metrics.value("tutti_calls_total", "rank", String.valueOf(rank), "collective", "barrier"))
                        .isEqualTo(rank == 2 ? 2 : 3);
            }
            LauncherProcess.signal("CONT", host);
            launcher.awaitLines(6);
            assertThat(scrapeAllHosts(address).value("tutti_calls_total", "rank", "2", "collective", "barrier"))
                    .isEqualTo(3);
            release("end");
            assertThat(launcher.status()).isZero();
        }
    }

    private static String variable(ProcessHandle process, String name) {
        try {
            return Stream.of(Files.readString(Path.of("/proc", String.valueOf(process.pid()), "environ")).split("\0"))
                    .filter(each -> each.startsWith(name + "=")).findFirst()
                    .map(each -> each.substring(name.length() + 1)).orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldShowForWhichRankTheOthersWait() throws Exception {
        try (var launcher = run("""
                world.barrier();
                for (int call = 0; call < %d; call++) {
                    if (rank == 1) {
                        Thread.sleep(%d);
                    }
                    world.barrier();
                }
                IO.println("called");
                """.formatted(LATE_ROUNDS, (int) (LATE_SECONDS * 1000)), "-n", "3", "--metrics", "0")) {
            var address = address(launcher);
            launcher.awaitLines(3);
            var metrics = scrape(address);
            double late = metrics.value("tutti_waited_for_seconds_total", "rank", "1");
            assertThat(late).isGreaterThan(metrics.value("tutti_waited_for_seconds_total", "rank", "0"))
                    .isGreaterThan(metrics.value("tutti_waited_for_seconds_total", "rank", "2"))
                    .isGreaterThan(LATE_ROUNDS * LATE_SECONDS / 2); // two ranks wait, unless they come late themselves
            assertThat(metrics.value("tutti_waiting_seconds_total", "rank", "1"))
                    .isLessThan(metrics.value("tutti_waiting_seconds_total", "rank", "0"));
            release("end");
            assertThat(launcher.status()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepTheFiguresOfARankThatIsKilled(boolean onHosts) throws Exception {
        List<String> options = new ArrayList<>(List.of("--keep-going"));
        options.addAll(onHosts ? List.of(onHosts("a:1,b:1")) : List.of("-n", "2", "--metrics", "0"));
        try (var launcher = run("""
                world.barrier();
                IO.println(rank + " runs as " + ProcessHandle.current().pid());
                awaitFile("leave");
                """, options.toArray(String[]::new))) {
            var address = address(launcher);
            launcher.awaitLines(2);
            var pid = launcher.out().lines().filter(line -> line.startsWith("1 ")).findFirst().orElseThrow()
                    .replaceFirst(".* ", "");
            LauncherProcess.signal("KILL", ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
            LauncherProcess.awaitThat("rank 1 has failed",
                    () -> scrape(address).value("tutti_rank_failures_total") == 1);
            var metrics = scrape(address);
            assertThat(metrics.value("tutti_ranks", "state", "failed")).isEqualTo(1);
            assertThat(metrics.value("tutti_ranks", "state", "joined")).isEqualTo(1);
            assertThat(metrics.all("tutti_calls_total")).isEqualTo(ofRanks(2, Map.of("barrier", 1)));
            release("leave");
            release("end");
            assertThat(launcher.status()).isEqualTo(137);
        }
    }

    @Test
    void shouldNotStartAJobWhosePortIsTaken() throws Exception {
        try (var taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var port = String.valueOf(taken.getLocalPort());
            try (var launcher = run("IO.println(\"started\");", "-n", "2", "--metrics", port)) {
                assertThat(launcher.status()).isEqualTo(2);
                assertThat(launcher.out()).isEmpty();
                assertThat(launcher.err()).isEqualTo("tutti: --metrics cannot listen at 127.0.0.1:" + port
                        + " (Address already in use); give another port, 0 for a free one, or an address of this "
                        + "host\n");
                assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
            }
        }
    }

    @Test
    void shouldListenOnlyWhenAskedAndOnlyForThisHost() throws Exception {
        try (var launcher = run("IO.println(\"joined\");", "-n", "1")) {
            launcher.awaitLines(1);
            assertThat(listening(launcher.handle().pid())).isEmpty();
            release("end");
            assertThat(launcher.status()).isZero();
        }
        Files.delete(directory.resolve("end"));
        try (var launcher = run("IO.println(\"joined\");", "-n", "1", "--metrics", "0")) {
            int port = address(launcher).getPort();
            launcher.awaitLines(1);
            assertThat(listening(launcher.handle().pid())).hasSize(1).first().asString()
                    .endsWith("0100007F:%04X".formatted(port));
            release("end");
            assertThat(launcher.status()).isZero();
        }
    }

    /** The addresses, in the kernel's notation, at which a process listens by TCP. */
    private static List<String> listening(long pid) throws IOException {
        List<String> addresses = new ArrayList<>();
        List<String> sockets = new ArrayList<>();
        try (var files = Files.newDirectoryStream(Path.of("/proc", String.valueOf(pid), "fd"))) {
            for (var file : files) {
                if (Files.isSymbolicLink(file)) {
                    sockets.add(Files.readSymbolicLink(file).toString());
                }
            }
        }
        for (var table : List.of("tcp", "tcp6")) {
            for (var line : Files.readAllLines(Path.of("/proc", String.valueOf(pid), "net", table))) {
                var fields = line.strip().split(" +");
                if (fields[3].equals("0A") && sockets.contains("socket:[" + fields[9] + "]")) {
                    addresses.add(fields[1]);
                }
            }
        }
        return addresses;
    }

    @Test
    void shouldLeaveAFileWithTheLastFigures() throws Exception {
        var file = directory.resolve("tutti.prom");
        release("end");
        try (var launcher = run(KNOWN_CALLS, "-n", "2", "--metrics", "tutti.prom")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.err()).isEmpty();
        }
        var metrics = ParsedMetrics.of(Files.readString(file));
        assertThatItHasTheKnownCalls(metrics, 2);
        assertThatRanksAre(metrics, "left", 2);
        assertThat(hiddenFiles()).isEmpty();
    }

    @Test
    void shouldLeaveAFileWithTheFiguresOfOtherHosts() throws Exception {
        release("end");
        var options = onHosts("a:1,b:1");
        options[1] = "./tutti.txt";
        try (var launcher = run(KNOWN_CALLS, options)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
        }
        assertThatItHasTheKnownCalls(ParsedMetrics.of(Files.readString(directory.resolve("tutti.txt"))), 2);
    }

    @Test
    void shouldCompleteTheFileWhenTheLauncherIsTerminated() throws Exception {
        try (var launcher = run(KNOWN_CALLS + "awaitFile(\"leave\");", "-n", "2", "--metrics", "tutti.prom")) {
            launcher.awaitLines(2);
            launcher.handle().destroy();
            assertThat(launcher.status()).isEqualTo(143);
            launcher.assertThatNothingIsLeft(Duration.ofSeconds(5));
        }
        assertThat(ParsedMetrics.of(Files.readString(directory.resolve("tutti.prom"))).all("tutti_calls_total"))
                .isEqualTo(ofRanks(2, Map.of("allreduce", 70, "broadcast", 3, "allgather", 1, "barrier", 2)));
        assertThat(hiddenFiles()).isEmpty();
    }

    private List<Path> hiddenFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(".")).toList();
        }
    }

    /** A disk of some pages, in a namespace of mounts that ends with the test's command. */
    @Test
    void shouldSayThatTheDiskIsFull() throws Exception {
        var probe = new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "none", directory.toString())
                .redirectErrorStream(true).start();
        assumeTrue(probe.waitFor() == 0, "mounts need root");
        var disk = Files.createDirectory(directory.resolve("disk"));
        release("end");
        List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=16k none '"
                + disk + "' && { head -c 16384 /dev/zero >'" + disk + "/full'; \"$@\"; status=$?; ls -A '" + disk
                + "'; exit $status; }", "sh"));
        command.addAll(Installation.command());
        command.addAll(List.of("run", "-n", "2", "--metrics", disk.resolve("a.prom").toString()));
        command.addAll(LauncherProcess.compiled(directory, PROGRAM.formatted(KNOWN_CALLS)));
        var out = directory.resolve("out");
        var process = new ProcessBuilder(command).directory(directory.toFile()).redirectOutput(out.toFile())
                .redirectErrorStream(true).start();
        try {
            assertThat(process.waitFor()).isZero();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
        }
        assertThat(Files.readString(out).lines()).containsExactlyInAnyOrder("called", "called", "full",
                "tutti: --metrics " + disk + "/a.prom could not be written (No space left on device), and is tried "
                        + "again until the job ends; see whether its directory has room");
    }
}
