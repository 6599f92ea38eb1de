/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.Installation;
import org.tutti.tool.Terminal;

import static org.assertj.core.api.Assertions.assertThat;

/** The JSON of {@code tutti status}, printed once and printed by {@code --watch}. */
@Timeout(300)
class StatusTest {
    /** Rank 0 sleeps in line 9, rank 1 waits for it in line 11, rank 2 in line 13, and rank 3 in line 15. */
    private static final String PROGRAM = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    var world = job.world();
                    var pair = world.split(job.rank() == 1 ? 1 : 0, job.rank());
                    IO.println(job.rank());
                    if (job.rank() == 0) {
                        Thread.sleep(600_000);
                    } else if (job.rank() == 1) {
                        world.allreduce(new long[4], Reduction.SUM);
                    } else if (job.rank() == 2) {
                        world.receive(new int[1], 0, 3);
                    } else {
                        world.nonBlocking().receive(new int[1], Communicator.ANY_RANK, 4).await();
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    private LauncherProcess run(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(LauncherProcess.compiled(directory, PROGRAM));
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    private static CommandProcess.Ended status(String... words) {
        try {
            return CommandProcess
                    .runShared(Stream.concat(Stream.of("status"), Stream.of(words)).toArray(String[]::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonObject json(String line) {
        var answer = JsonParser.parseString(line).getAsJsonObject();
        assertThat(answer.get("version").getAsInt()).isEqualTo(1);
        return answer;
    }

    /** {@return the first job of an answer whose last three ranks wait} */
    private static JsonObject stuck(LauncherProcess launcher) {
        var pid = String.valueOf(launcher.handle().pid());
        List<JsonObject> jobs = new ArrayList<>();
        LauncherProcess.awaitThat("three ranks wait", () -> {
            var answer = json(status(pid, "--json").out());
            assertThat(answer.getAsJsonArray("jobs")).hasSize(1);
            jobs.add(answer.getAsJsonArray("jobs").get(0).getAsJsonObject());
            return Stream.of(1, 2, 3).allMatch(rank -> word(rank(jobs.getLast(), rank), "state").equals("waiting"));
        });
        return jobs.getLast();
    }

    private static JsonObject rank(JsonObject job, int rank) {
        return job.getAsJsonArray("ranks").get(rank).getAsJsonObject();
    }

    private static String word(JsonObject of, String field) {
        return of.get(field).getAsString();
    }

    /** {@return the fields of a rank that are the same in each run} */
    private static Map<String, String> fields(JsonObject rank) {
        Map<String, String> fields = new HashMap<>();
        rank.entrySet().stream()
                .filter(each -> !List.of("waitedSeconds", "host", "processId", "algorithm").contains(each.getKey()))
                .forEach(each -> fields.put(each.getKey(), each.getValue().getAsString()));
        return fields;
    }

    @Test
    void shouldDescribeEachRankOfSeveralNodes() throws Exception {
        try (var launcher = run("-n", "4", "--nodes", "2", "--env", "PASSWORD=sesame-opens")) {
            launcher.awaitLines(4);
            var job = stuck(launcher);
            assertThat(word(job, "job")).startsWith(launcher.handle().pid() + "-");
            assertThat(word(job, "state")).isEqualTo("running");
            assertThat(job.get("size").getAsInt()).isEqualTo(4);
            assertThat(job.get("nodes").getAsInt()).isEqualTo(2);
            assertThat(job.get("elapsedSeconds").getAsDouble()).isPositive();
            assertThat(fields(rank(job, 0))).isEqualTo(Map.of("rank", "0", "state", "computing", "node", "0", "line",
                    "Program:9"));
            assertThat(fields(rank(job, 1))).containsAllEntriesOf(Map.of("rank", "1", "node", "0", "call", "allreduce",
                    "communicator", "the world", "bytes", "32", "line", "Program:11"))
                    .containsKeys("operation", "awaited");
            assertThat(word(rank(job, 1), "algorithm")).isNotEmpty();
            assertThat(fields(rank(job, 2))).isEqualTo(Map.of("rank", "2", "state", "waiting", "node", "1", "call",
                    "receive", "details", "tag 3", "communicator", "the world", "line", "Program:13", "awaited", "0"));
            assertThat(fields(rank(job, 3))).isEqualTo(Map.of("rank", "3", "state", "waiting", "node", "1", "call",
                    "receive", "through", "await", "details", "tag 4", "communicator", "the world", "line",
                    "Program:15", "awaitsAny", "true"));
            var host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            var processes = launcher.ranks().stream().map(ProcessHandle::pid).toList();
            for (int rank = 0; rank < 4; rank++) {
                assertThat(word(rank(job, rank), "host")).isEqualTo(host);
                assertThat(processes).contains(rank(job, rank).get("processId").getAsLong());
            }
            assertThat(rank(job, 2).get("waitedSeconds").getAsDouble()).isPositive();
            assertThat(job.getAsJsonArray("text").get(1).getAsString())
                    .isEqualTo("  rank 0 is in no call, at Program:9");
            assertThat(job.toString()).doesNotContainIgnoringCase("sesame", "secret");
        }
    }

    @Test
    void shouldShowTwoJobsAndALauncherThatDoesNotAnswer() throws Exception {
        var temporary = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + directory);
        assertThat(json(CommandProcess.run(directory, temporary, "status", "--json").out()).getAsJsonArray("jobs"))
                .isEmpty();
        var second = Files.createDirectory(directory.resolve("second"));
        try (var one = run("-n", "4");
                var two = LauncherProcess.run(second, Stream.concat(Stream.of("-n", "4"),
                        LauncherProcess.compiled(second, PROGRAM).stream()).toArray(String[]::new))) {
            one.awaitLines(4);
            two.awaitLines(4);
            assertThat(states()).containsEntry(one.handle().pid(), "running").containsEntry(two.handle().pid(),
                    "running");
            LauncherProcess.signal("STOP", two.handle());
            assertThat(states()).containsEntry(one.handle().pid(), "running").containsEntry(two.handle().pid(),
                    "no-answer");
            var stopped = status(String.valueOf(two.handle().pid()), "--json");
            assertThat(stopped.status()).isEqualTo(1);
            assertThat(stopped.err()).contains("its launcher does not answer within 8 seconds");
            LauncherProcess.signal("CONT", two.handle());
        }
    }

    /** {@return the state of each job by the process of its launcher; other tests may run jobs, too} */
    private static Map<Long, String> states() {
        Map<Long, String> states = new HashMap<>();
        json(status("--json").out()).getAsJsonArray("jobs").forEach(job -> states.put(
                Long.parseLong(word(job.getAsJsonObject(), "job").split("-")[0]),
                word(job.getAsJsonObject(), "state")));
        return states;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldWatchUntilTheJobEnds(boolean asJson) throws Exception {
        try (var launcher = run("-n", "4")) {
            launcher.awaitLines(4);
            var out = directory.resolve("watch.out");
            List<String> command = new ArrayList<>(Installation.command());
            command.addAll(List.of("status", String.valueOf(launcher.handle().pid()), "--watch=1"));
            if (asJson) {
                command.add("--json");
            }
            var watch = new ProcessBuilder(command).redirectOutput(out.toFile())
                    .redirectError(directory.resolve("watch.err").toFile()).start();
            try {
                String head = asJson ? "\"version\":1," : ", every 1 s:\njob ";
                LauncherProcess.awaitThat("two answers", () -> read(out).split(head, -1).length > 2);
                launcher.handle().destroy();
                assertThat(watch.waitFor(200, TimeUnit.SECONDS)).isTrue();
                assertThat(watch.exitValue()).isZero();
            } finally {
                watch.destroyForcibly();
            }
            assertThat(read(directory.resolve("watch.err"))).isEmpty();
            assertThat(read(out)).doesNotContain("\033");
            if (asJson) {
                read(out).lines().forEach(line -> assertThat(json(line).getAsJsonArray("jobs")).hasSize(1));
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command timeout ends the watch by SIGINT, as Ctrl-C does. */
    @Test
    void shouldRepaintATerminalUntilCtrlC() throws Exception {
        var words = "timeout --foreground -s INT 4 '" + String.join("' '", Installation.command())
                + "' status --watch 1; test $? = 124";
        var shown = Terminal.run(directory, List.of("sh", "-c", words));
        assertThat(shown).startsWith("\033[H\033[2J").contains(", every 1 s:").doesNotContain("Exception");
        assertThat(shown.split("\033\\[H\033\\[2J")).hasSizeGreaterThan(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "3601", "1.5", "-1", "9372-mwu3fnk6", "99999999999"})
    void shouldRefuseAStrangeInterval(String interval) {
        var ended = status("--watch=" + interval);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err().lines()).hasSize(1);
        assertThat(ended.err()).contains("'" + interval + "' is no interval of --watch");
    }
}
