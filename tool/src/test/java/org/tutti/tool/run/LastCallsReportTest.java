/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The reports of real jobs, whose programs make 100 allreduces, and then something of which the test knows. */
@Timeout(300)
class LastCallsReportTest {
    private static final String PROGRAM = """
            import module org.tutti;

            void main() throws Exception {
                var job = Tutti.join();
                var world = job.world();
                int rank = job.rank();
                for (int call = 1; call <= 100; call++) {
                    world.allreduce(new long[1], Reduction.SUM);
                }
                %s
                world.barrier();
                job.close();
            }
            """;
    private static final String BEHIND = "rank 2 is behind: it has ended call 100 of the world, an allreduce of 8 B, "
            + "and ranks 0-1, 3 are in call 101, a barrier.";

    @TempDir
    private Path directory;

    private LauncherProcess run(String body, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(LauncherProcess.compiled(directory, PROGRAM.formatted(body)));
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    private static List<Path> reports(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().contains(".report.json")).toList();
        }
    }

    private JsonObject report(LauncherProcess launcher) throws IOException {
        assertThat(reports(directory)).hasSize(1);
        var file = reports(directory).getFirst();
        assertThat(launcher.err()).contains("tutti: the last calls of each rank are in " + file.getFileName() + ".\n");
        return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    }

    private static String sentence(JsonObject report) {
        return report.getAsJsonObject("firstDifference").get("sentence").getAsString();
    }

    private static String cause(JsonObject report) {
        return report.getAsJsonObject("ending").get("cause").getAsString();
    }

    private static JsonObject rank(JsonObject report, int rank) {
        return report.getAsJsonArray("ranks").get(rank).getAsJsonObject();
    }

    private static JsonObject lastCall(JsonObject report, int rank) {
        var calls = rank(report, rank).getAsJsonArray("lastCalls");
        return calls.get(calls.size() - 1).getAsJsonObject();
    }

    @Test
    void shouldTellInWhichCallARankWasKilled() throws Exception {
        var body = """
                if (rank == 2) {
                    new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
                    Thread.sleep(600_000);
                }""";
        try (var launcher = run(body, "-n", "4")) {
            assertThat(launcher.status()).isEqualTo(137);
            var report = report(launcher);
            assertThat(launcher.err()).containsSubsequence("tutti: rank 2 (pid ", "was killed by signal 9",
                    "tutti: " + BEHIND);
            assertThat(report.get("schema").getAsInt()).isEqualTo(1);
            assertThat(Instant.parse(report.get("time").getAsString())).isBeforeOrEqualTo(Instant.now());
            assertThat(cause(report)).isEqualTo("failed");
            assertThat(report.getAsJsonObject("ending").getAsJsonArray("ranks").toString()).isEqualTo("[2]");
            assertThat(sentence(report)).isEqualTo(BEHIND);
            assertThat(rank(report, 2).get("state").getAsString()).isEqualTo("failed");
            assertThat(rank(report, 2).get("callsBegun").getAsLong()).isEqualTo(100);
            assertThat(launcher.err()).contains("rank 2 (pid " + rank(report, 2).get("pid").getAsLong() + ")");
            var calls =
                    rank(report, 2).getAsJsonArray("lastCalls").asList().stream().map(call -> call.getAsJsonObject())
                            .toList();
            assertThat(calls).extracting(call -> call.get("number").getAsInt())
                    .isEqualTo(IntStream.rangeClosed(37, 100).boxed().toList());
            assertThat(calls).allSatisfy(call -> {
                assertThat(call.get("operation").getAsLong()).isEqualTo(call.get("number").getAsLong());
                assertThat(call.get("communicatorName").getAsString()).isEqualTo("world");
                assertThat(call.get("collective").getAsString()).isEqualTo("allreduce");
                assertThat(call.get("algorithm").getAsString()).isEqualTo("flat");
                assertThat(call.get("bytes").getAsLong()).isEqualTo(8);
                assertThat(call.get("state").getAsString()).isEqualTo("done");
                assertThat(call.has("root")).isFalse();
                assertThat(call.has("text")).isFalse();
            });
            assertThat(lastCall(report, 0).get("collective").getAsString()).isEqualTo("barrier");
            assertThat(lastCall(report, 0).get("state").getAsString()).isEqualTo("failed");
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }

    @Test
    void shouldTellWhereARankThrew() throws Exception {
        try (var launcher = run("if (rank == 2) { throw new IllegalStateException(\"the cause\"); }", "-n", "4")) {
            assertThat(launcher.status()).isEqualTo(1);
            var report = report(launcher);
            assertThat(cause(report)).isEqualTo("failed");
            assertThat(sentence(report)).isEqualTo(BEHIND);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void shouldTellWhoIsBehindWhenASignalEndsTheLauncher(String signal) throws Exception {
        try (var launcher = run("IO.println(rank); if (rank == 2) { Thread.sleep(600_000); }", "-n", "4")) {
            launcher.awaitLines(4);
            LauncherProcess.awaitThat("three ranks wait", () -> {
                LauncherProcess.signal("QUIT", launcher.handle());
                return launcher.err().contains("ranks 0-1, 3 are in barrier");
            });
            LauncherProcess.signal(signal, launcher.handle());
            assertThat(launcher.status()).isEqualTo(signal.equals("TERM") ? 143 : 130);
            var report = report(launcher);
            assertThat(cause(report)).isEqualTo("killed");
            assertThat(sentence(report)).isEqualTo(BEHIND);
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }

    @Test
    void shouldTellWhichCallsDiffer() throws Exception {
        try (var launcher = run("if (rank == 2) { world.broadcast(new int[3], 1); }", "-n", "4", "--call-sites")) {
            assertThat(launcher.status()).isEqualTo(1);
            var report = report(launcher);
            assertThat(report.getAsJsonObject("firstDifference").get("kind").getAsString()).isEqualTo("mismatch");
            assertThat(sentence(report)).isEqualTo("call 101 of the world differs: rank 2 made a broadcast of 12 B "
                    + "with root 1, and ranks 0-1, 3 made a barrier.");
            assertThat(lastCall(report, 2).get("root").getAsInt()).isEqualTo(1);
            assertThat(lastCall(report, 2).get("text").getAsString()).isEqualTo("Program:10");
            assertThat(lastCall(report, 0).get("text").getAsString()).isEqualTo("Program:11");
        }
    }

    @Tag("thorough")
    @Test
    void shouldTellWhoLeftEarlyWhenTheTimeIsOver() throws Exception {
        var body = "if (rank == 2) { IO.println(\"left\"); Thread.sleep(600_000); }";
        try (var launcher = run(body, "-n", "4", "--nodes", "2", "--timeout", "8s")) {
            assertThat(launcher.status()).isEqualTo(124);
            var report = report(launcher);
            assertThat(cause(report)).isEqualTo("timed-out");
            assertThat(sentence(report)).isEqualTo(BEHIND);
            assertThat(rank(report, 3).get("node").getAsInt()).isEqualTo(1);
        }
    }

    @Test
    void shouldTellTheCallsOfRanksOfOtherHosts() throws Exception {
        var script = LauncherProcess.script(directory);
        var body = "if (rank == 2) { throw new IllegalStateException(\"the cause\"); }";
        try (var launcher = run(body, "--hosts", "a:1,b:3", "--remote-tutti", script.toString(), "--agent",
                "env HOST={host}")) {
            assertThat(launcher.status()).isEqualTo(1);
            var report = report(launcher);
            assertThat(sentence(report)).isEqualTo(BEHIND);
            assertThat(IntStream.range(0, 4).mapToObj(rank -> rank(report, rank).get("host").getAsString()))
                    .containsExactly("a", "b", "b", "b");
            assertThat(IntStream.range(0, 4).mapToObj(rank -> rank(report, rank).getAsJsonArray("lastCalls").size()))
                    .containsOnly(64);
        }
    }

    @Tag("thorough")
    @Test
    void shouldListRanksOfALostHostAsNotAvailable() throws Exception {
        var script = LauncherProcess.script(directory);
        var body = """
                if (rank == 1) {
                    var host = ProcessHandle.current().parent().orElseThrow();
                    new ProcessBuilder("kill", "-9", String.valueOf(host.pid())).start().waitFor();
                    Thread.sleep(600_000);
                }""";
        try (var launcher = run(body, "--hosts", "a:1,b:1", "--remote-tutti", script.toString(), "--agent",
                "env HOST={host}")) {
            assertThat(launcher.status()).isEqualTo(1);
            var report = report(launcher);
            assertThat(rank(report, 0).get("available").getAsBoolean()).isTrue();
            assertThat(rank(report, 1).get("available").getAsBoolean()).isFalse();
            assertThat(rank(report, 1).has("lastCalls")).isFalse();
            assertThat(report.has("firstDifference")).as("nothing is known of the failed rank").isFalse();
        }
    }

    @Tag("thorough")
    @Test
    void shouldReportAHangAndLeaveTheJobRunning() throws Exception {
        try (var launcher = run("if (rank == 2) { Thread.sleep(600_000); }", "-n", "4", "--hang-report", "1s")) {
            launcher.awaitError("the last calls of each rank are in");
            assertThat(launcher.handle().isAlive()).isTrue();
            assertThat(cause(report(launcher))).isEqualTo("hanging");
            assertThat(sentence(report(launcher))).isEqualTo(BEHIND);
        }
    }

    @Test
    void shouldWriteNothingWhenAJobEndsWellOrTheUserWantsNoReport() throws Exception {
        try (var launcher = run("", "-n", "2")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.err()).isEmpty();
        }
        Files.createFile(directory.resolve("none"));
        try (var launcher = run("if (rank == 1) { System.exit(3); }", "-n", "2", "--report", "none")) {
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.err()).doesNotContain("last calls");
        }
        assertThat(reports(directory)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/full", "Program.java"})
    void shouldStartNoJobWhoseReportHasNoDirectory(String place) throws Exception {
        try (var launcher = run("", "-n", "2", "--report", place)) {
            assertThat(launcher.status()).isEqualTo(2);
            assertThat(launcher.err()).contains("--report " + place + " is no directory; name one, or none");
        }
    }

    @Test
    void shouldKeepTheStatusWhenTheReportCannotBeWritten() throws Exception {
        try (var launcher = run("if (rank == 1) { System.exit(3); }", "-n", "2", "--report", "/proc")) {
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.err().lines().filter(line -> line.contains("the last calls of each rank"))).hasSize(1)
                    .allMatch(line -> line.matches("tutti: the last calls of each rank could not be written to /proc"
                            + "/tutti-\\S+\\.report\\.json \\(.+\\); name a directory with room by --report\\."));
        }
    }

    @Test
    void shouldWriteToADirectoryThatItMakes() throws Exception {
        try (var launcher = run("if (rank == 1) { System.exit(3); }", "-n", "2", "--report", "new/reports", "--env",
                "PASSWORD=hunter2", "-J-Dtoken=hunter3")) {
            assertThat(launcher.status()).isEqualTo(3);
            var files = reports(directory.resolve("new/reports"));
            assertThat(files).hasSize(1);
            assertThat(files.getFirst()).content().contains("\"state\": \"failed\"").doesNotContain("hunter",
                    "PASSWORD", directory.toString());
        }
    }
}
