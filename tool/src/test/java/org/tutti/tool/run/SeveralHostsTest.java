/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.node.Secret;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs on several hosts, which are this one under several names: the agent just starts what it is given. */
@Timeout(300)
class SeveralHostsTest {
    private static final Duration SOON = Duration.ofSeconds(6);
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    @TempDir
    private Path directory;
    private Path script;

    @BeforeEach
    void writeScript() throws IOException {
        script = LauncherProcess.script(directory);
    }

    private LauncherProcess run(String body, String... options) throws IOException {
        return runWithInput("", body, options);
    }

    private LauncherProcess runWithInput(String input, String body, String... options) throws IOException {
        Files.writeString(directory.resolve("Program.java"), """
                int rank = Integer.parseInt(System.getenv("TUTTI_RANK"));

                void main() throws Exception {
                    %s
                }

                String tutti(String name) {
                    return System.getenv("TUTTI_" + name);
                }
                """.formatted(body));
        List<String> arguments = new ArrayList<>();
        if (!List.of(options).contains("--remote-tutti")) {
            arguments.addAll(List.of("--remote-tutti", script.toString()));
        }
        if (!List.of(options).contains("--agent")) {
            arguments.addAll(List.of("--agent", "env HOST={host}"));
        }
        arguments.addAll(List.of(options));
        arguments.add("Program.java");
        return LauncherProcess.runWithInput(directory, input, arguments.toArray(String[]::new));
    }

    private void assertThatItCannotStart(LauncherProcess launcher, String sentence) throws InterruptedException {
        assertThat(launcher.status()).isEqualTo(1);
        var last = launcher.err().lines().reduce((first, second) -> second).orElse("");
        assertThat(last).startsWith("tutti: host b could not be started: ").contains(sentence)
                .endsWith("; the job was ended.");
        assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        assertThat(launcher.left(TEMPORARY)).isEmpty();
    }

    @Test
    void shouldStartTheRanksOfEachHostThere() throws Exception {
        var body = """
                IO.println(rank + " of " + tutti("SIZE") + " on " + System.getenv("HOST") + ", node " + tutti("NODE")
                        + " of " + tutti("NODES") + " with " + tutti("NODE_RANKS") + " " + System.getenv("COLOR")
                        + System.getProperty("shape") + Path.of("").toAbsolutePath().equals(Path.of("%s")));
                """.formatted(directory);
        try (var launcher = run(body, "--hosts", "a:2,b,a:1", "--env", "COLOR=r e d;", "-J-Dshape=x y")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder(
                    "0 of 4 on a, node 0 of 3 with 2 r e d;x ytrue", "1 of 4 on a, node 0 of 3 with 2 r e d;x ytrue",
                    "2 of 4 on b, node 1 of 3 with 1 r e d;x ytrue", "3 of 4 on a, node 2 of 3 with 1 r e d;x ytrue");
            assertThat(launcher.err()).isEqualTo(LauncherProcess.nobodyJoined(4));
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
            assertThat(launcher.left(TEMPORARY)).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void shouldPassMuchOutputOnInWholeLines() throws Exception {
        var body = """
                for (int line = 0; line < 20_000; line++) {
                    System.out.println(("" + rank).repeat(100));
                }
                System.err.println("end of " + rank);
                """;
        try (var launcher = run(body, "--hosts", "a:1,b:2")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSize(60_000).allMatch(line -> line.matches("(\\d)\\1{99}"));
            assertThat(launcher.err().lines()).containsExactlyInAnyOrder("end of 0", "end of 1", "end of 2",
                    LauncherProcess.nobodyJoined(3).strip());
        }
    }

    @Tag("thorough")
    @Test
    void shouldGiveStandardInputToRankZero() throws Exception {
        var input = "line\n".repeat(100_000);
        try (var launcher = runWithInput(input, "IO.println(rank + \" \" + System.in.readAllBytes().length);",
                "--hosts", "a:2,b:1")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0 500000", "1 0", "2 0");
        }
    }

    @Tag("thorough")
    @Test
    void shouldNotWaitForARankZeroThatReadsNothing() throws Exception {
        try (var launcher = runWithInput("x".repeat(1 << 20), "IO.println(rank);", "--hosts", "a:1,b:1")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0", "1");
        }
    }

    @Test
    void shouldSayWhichRankFailedOnWhichHost() throws Exception {
        var body = "IO.println(rank); if (rank == 2) { Thread.sleep(300); System.exit(3); } Thread.sleep(600_000);";
        try (var launcher = run(body, "--hosts", "a:2,b:1")) {
            launcher.awaitLines(3);
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.err())
                    .matches("tutti: rank 2 \\(pid \\d+ on b\\) exited with status 3; the job was ended\\.\n");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Tag("thorough")
    @Test
    void shouldReportAnExceptionBeforeItsConsequences() throws Exception {
        try (var launcher = run("if (rank == 1) { throw new IllegalStateException(\"the cause\"); } "
                + "Thread.sleep(600_000);", "--hosts", "a:1,b:1")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsSubsequence("Exception in rank 1: ", "the cause", "tutti: rank 1 (pid ",
                    "on b) exited with status 1");
        }
    }

    @Tag("thorough")
    @Test
    void shouldLeaveTheOthersRunningWhenAskedTo() throws Exception {
        var body = "if (rank == 0) { System.exit(5); } Thread.sleep(700); IO.println(\"done\");";
        try (var launcher = run(body, "--hosts", "a:1,b:2", "--keep-going")) {
            assertThat(launcher.status()).isEqualTo(5);
            assertThat(launcher.out()).isEqualTo("done\ndone\n");
            assertThat(launcher.err()).contains("rank 0 (pid ", " on a) exited with status 5; the others go on.")
                    .hasLineCount(1);
        }
    }

    @Tag("thorough")
    @Test
    void shouldStopAllRanksWhenTheLauncherIsTerminated() throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:2")) {
            launcher.awaitLines(3);
            launcher.handle().destroy();
            assertThat(launcher.status()).isEqualTo(143);
            launcher.assertThatNothingIsLeft(Duration.ZERO);
            assertThat(launcher.left(TEMPORARY)).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void shouldLeaveNothingWhenTheLauncherIsKilled() throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:2")) {
            launcher.awaitLines(3);
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNothingIsLeft(SOON);
            assertThat(launcher.left(TEMPORARY)).as("but the launcher's own classes").hasSizeLessThanOrEqualTo(1);
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameTheHostWhoseProcessIsKilled() throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:2")) {
            launcher.awaitLines(3);
            host(launcher, "b").destroyForcibly();
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).contains("tutti: host b was lost, so ranks 1-2 count as failed: its agent, ",
                    "ended with status 137; the job was ended.");
            launcher.assertThatNoProcessIsLeft(SOON);
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameTheHostThatIsSilent() throws Exception {
        var body = "IO.println(rank); while (rank == 1 || !Files.exists(Path.of(\"go\"))) { Thread.sleep(20); }";
        try (var launcher = run(body, "--hosts", "a:1,b:1", "--heartbeat", "1s", "--keep-going")) {
            launcher.awaitLines(2);
            var host = host(launcher, "b");
            new ProcessBuilder("kill", "-STOP", String.valueOf(host.pid())).start().waitFor();
            LauncherProcess.awaitThat("it is reported", () -> launcher.err().contains("the others go on"));
            assertThat(launcher.err()).contains("tutti: host b was lost, so rank 1 counts as failed: nothing was heard "
                    + "of it for the --heartbeat of 1 s; the others go on.");
            assertThat(host(launcher, "a").isAlive()).isTrue();
            Files.createFile(directory.resolve("go"));
            assertThat(launcher.status()).isEqualTo(1);
            launcher.assertThatNoProcessIsLeft(SOON);
        }
    }

    @Tag("thorough")
    @Test
    void shouldEndTheRanksOfALauncherThatIsSilent() throws Exception {
        try (var launcher =
                run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:1", "--heartbeat", "1s")) {
            launcher.awaitLines(2);
            new ProcessBuilder("kill", "-STOP", String.valueOf(launcher.handle().pid())).start().waitFor();
            var hosts = launcher.handle().children().toList(); // which nobody buries
            LauncherProcess.awaitThat("all ranks have ended", () -> launcher.ranks().stream()
                    .filter(process -> !hosts.contains(process)).noneMatch(ProcessHandle::isAlive));
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNothingIsLeft(SOON);
        }
    }

    @Test
    void shouldSayThatItDidNotAnswerWhenItWasStopped() throws Exception {
        try (var launcher =
                run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:1", "--heartbeat", "1s")) {
            launcher.awaitLines(2);
            LauncherProcess.signal("STOP", launcher.handle());
            Thread.sleep(2500);
            LauncherProcess.signal("CONT", launcher.handle());
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).matches("tutti: host [ab] was lost, so rank [01] counts as failed: it has heard "
                    + "nothing from this launcher for the --heartbeat of 1 s, as when the launcher is stopped "
                    + "\\(Ctrl-Z\\) or the network between them is down; the job was ended\\.\n");
            launcher.assertThatNothingIsLeft(SOON);
        }
    }

    @Test
    void shouldSayThatTheProcessOfAHostWasToldToEnd() throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:1")) {
            launcher.awaitLines(2);
            host(launcher, "b").destroy();
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err())
                    .isEqualTo("tutti: host b was lost, so rank 1 counts as failed: its process there "
                            + "was told to end, by a signal; the job was ended.\n");
            launcher.assertThatNothingIsLeft(SOON);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndStoppedRanksWhenWhatHasStartedThemIsKilled(boolean host) throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "--hosts", "a:1,b:2")) {
            launcher.awaitLines(3);
            var b = host(launcher, "b");
            var ranks = b.children().toList();
            assertThat(ranks).hasSize(2);
            LauncherProcess.signal("STOP", ranks);
            LauncherProcess.signal("KILL", host ? b : launcher.handle());
            launcher.await().assertThatNothingIsLeft(SOON);
        }
    }

    @Test
    void shouldEndAHostThatIsToldNonsense() throws Exception {
        var in = Files.writeString(directory.resolve("in"), "GET / HTTP/1.1\r\n\r\n").toFile();
        var out = directory.resolve("out");
        var host = new ProcessBuilder(script.toString(), "host").redirectInput(in).redirectOutput(out.toFile()).start();
        assertThat(host.waitFor()).isEqualTo(1);
        try (var said = new DataInputStream(Files.newInputStream(out))) {
            assertThat(Greeting.read(said)).isEqualTo(Greeting.OWN);
            var refusal = SessionFrame.read(said);
            assertThat(refusal.kind()).isEqualTo(FrameKind.REFUSED);
            assertThat(refusal.text()).contains("what arrived is no message of Tutti's");
            assertThat(SessionFrame.read(said)).isNull();
        }
    }

    /** The process that stands for the launcher on a host is its child, and has the host's name as a variable. */
    private static ProcessHandle host(LauncherProcess launcher, String name) {
        return launcher.handle().children().filter(child -> {
            try {
                return Files.readString(Path.of("/proc/" + child.pid() + "/environ")).contains("HOST=" + name + "\0");
            } catch (IOException e) {
                return false;
            }
        }).findFirst().orElseThrow();
    }

    @Test
    void shouldExplainThatTheAgentDoesNotExist() throws Exception {
        try (var launcher = run("", "--hosts", "b:1", "--agent", "no-such-agent {host}")) {
            assertThatItCannotStart(launcher, "the command no-such-agent of --agent cannot be run");
        }
    }

    @Tag("thorough")
    @Test
    void shouldExplainThatTheAgentFails() throws Exception {
        var agent = LauncherProcess.script(directory.resolve("agent"), "echo 'no route to host' >&2; exit 255");
        try (var launcher = run("", "--hosts", "b:1", "--agent", agent + " {host}")) {
            assertThatItCannotStart(launcher, "ended with status 255 before Tutti answered");
            assertThat(launcher.err()).startsWith("b: no route to host\n");
        }
    }

    @Test
    void shouldExplainWhyTheAgentMayHaveEndedItself() throws Exception {
        var agent = LauncherProcess.script(directory.resolve("agent"), "exit 143");
        try (var launcher = run("", "--hosts", "b:1", "--agent", agent.toString(), "--heartbeat", "7s")) {
            assertThatItCannotStart(launcher, "ended with status 143 (somebody terminated it, or it had heard nothing "
                    + "from this launcher for the --heartbeat of 7 s) before Tutti answered");
        }
    }

    @Test
    void shouldExplainThatTuttiIsNotThere() throws Exception {
        try (var launcher = run("", "--hosts", "b:1", "--remote-tutti", "/nowhere/tutti")) {
            assertThatItCannotStart(launcher, "ended with status 127 (command not found) before Tutti answered; see "
                    + "that it works by itself and asks for nothing, and that the same Tutti is at /nowhere/tutti");
        }
    }

    @Tag("thorough")
    @Test
    void shouldExplainThatTheAgentPrintsSomethingElse() throws Exception {
        try (var launcher = run("", "--hosts", "b:1", "--agent", "echo Welcome to {host}")) {
            assertThatItCannotStart(launcher, "printed \"Welcome to b ");
        }
    }

    @Test
    void shouldExplainThatTheAgentHangs() throws Exception {
        var agent = LauncherProcess.script(directory.resolve("agent"), "exec sleep 600");
        try (var launcher = run("", "--hosts", "b:1", "--agent", agent.toString(), "--join-timeout", "500ms")) {
            assertThatItCannotStart(launcher, "said nothing for the --join-timeout of 500 ms");
        }
    }

    @Test
    void shouldExplainThatTheVersionsDiffer() throws Exception {
        var other = LauncherProcess.script(directory.resolve("agent"), "echo tutti-host 1 25 0.0.1; exec sleep 600");
        try (var launcher = run("", "--hosts", "b:1", "--agent", other.toString())) {
            assertThatItCannotStart(launcher, "Tutti 0.0.1 is at");
        }
    }

    @Test
    void shouldGiveUpAHostThatTalksNonsense() throws Exception {
        var greeting = new String(Greeting.OWN.line()).strip();
        var other = LauncherProcess.script(directory.resolve("agent"), "echo '" + greeting + "'; exec yes");
        try (var launcher = run("", "--hosts", "b:1", "--agent", other.toString())) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).contains("host b was lost", "what arrived is no message of Tutti's")
                    .hasLineCount(1);
        }
    }

    @Test
    void shouldExplainThatAnotherHostLacksTheDirectoryOrTheClassPath() throws Exception {
        var removes = LauncherProcess.script(directory.resolve("agent"), "shift; rm -r extra; exec \"$@\"");
        Files.createDirectory(directory.resolve("extra"));
        try (var launcher = run("", "--hosts", "b:1", "--agent", removes + " {host}", "-cp", "extra")) {
            assertThatItCannotStart(launcher, "the class path names extra, and there is no " + directory
                    + "/extra on host b; copy it there");
        }
    }

    @Tag("thorough")
    @Test
    void shouldShowTheSecretToNobody() throws Exception {
        var agent = LauncherProcess.script(directory.resolve("agent"),
                "umask 77; tee \"$1.in\" | { shift; \"$@\"; }");
        var body = """
                for (var name : List.of("cmdline", "environ")) {
                    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
                        for (var process : processes) {
                            try {
                                System.out.write(Files.readAllBytes(process.resolve(name)));
                            } catch (IOException e) {
                                continue;
                            }
                        }
                    }
                }
                IO.println("seen");
                """;
        try (var launcher = run(body, "--hosts", "a:1,b:1", "--agent", agent + " {host}")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            var seen = Files.readString(directory.resolve("launcher.out"), StandardCharsets.ISO_8859_1);
            assertThat(seen).contains("TUTTI_JOB=", "seen");
            var secret = secret("a");
            assertThat(secret).isEqualTo(secret("b")).hasSize(Secret.BYTES);
            for (var form : List.of(new String(secret, StandardCharsets.ISO_8859_1), HexFormat.of().formatHex(secret),
                    Base64.getEncoder().encodeToString(secret))) {
                assertThat(seen).doesNotContainIgnoringCase(form);
                assertThat(launcher.err()).doesNotContainIgnoringCase(form);
            }
        }
    }

    /** What the launcher sent to a host. */
    private byte[] secret(String host) throws IOException {
        try (var sent = new DataInputStream(Files.newInputStream(directory.resolve(host + ".in")))) {
            return JobDescription.of(SessionFrame.read(sent)).secret().bytes();
        }
    }
}
