/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.Installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Jobs that record, and the recordings that are left. */
@Timeout(300)
class RecordTest {
    private static final String STEP = "program.Step";

    /** Programs record steps of their own, which a test can count. */
    private static final String PROGRAM = """
            import module jdk.jfr;
            import module org.tutti;

            @Name("program.Step")
            @StackTrace(false)
            static class Step extends Event {}

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    int rank = job.rank();
                    var world = job.world();
                    %s
                }
            }
            """;

    private static final String STEPS_FOR_EVER = """
            world.barrier();
            IO.println(rank + " runs as " + ProcessHandle.current().pid());
            while (true) {
                new Step().commit();
                Thread.sleep(0, 100_000);
            }
            """;

    private static final int FLUSHED_BYTES = 50_000;

    @TempDir
    private Path directory;

    private Path recordings() {
        return directory.resolve("recordings");
    }

    private LauncherProcess run(String body, String... options) throws IOException {
        return run(body, List.of(), options);
    }

    private LauncherProcess run(String body, List<String> arguments, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("--record", recordings().toString()));
        words.addAll(List.of(options));
        words.addAll(LauncherProcess.compiled(directory, PROGRAM.formatted(body)));
        words.addAll(arguments);
        return LauncherProcess.run(directory, words.toArray(String[]::new));
    }

    private String[] hosts(String list, String agent) throws IOException {
        return new String[]{"--hosts", list, "--agent", agent, "--remote-tutti",
                LauncherProcess.script(directory).toString()};
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(recordings())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private long steps(String file) throws IOException {
        return RecordingFile.readAllEvents(recordings().resolve(file)).stream()
                .filter(event -> event.getEventType().getName().equals(STEP)).count();
    }

    @Test
    void shouldLeaveARecordingOfEachProcess() throws Exception {
        try (var launcher = run("for (int i = 0; i <= rank; i++) { new Step().commit(); }", "-n", "3",
                "--ranks-per-process", "2")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out() + launcher.err()).isEmpty();
            assertThat(files()).containsExactly("rank-2.jfr", "ranks-0-1.jfr");
            assertThat(steps("rank-2.jfr")).isEqualTo(3);
            assertThat(steps("ranks-0-1.jfr")).isEqualTo(1 + 2);
        }
    }

    @Test
    void shouldBringRecordingsFromOtherHosts() throws Exception {
        try (var launcher = run("for (int i = 0; i <= rank; i++) { new Step().commit(); }",
                hosts("a:2,b:1", "env HOST={host}"))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.err()).isEmpty();
            assertThat(files()).containsExactly("rank-0.jfr", "rank-1.jfr", "rank-2.jfr");
            for (int rank = 0; rank < 3; rank++) {
                assertThat(steps("rank-" + rank + ".jfr")).isEqualTo(rank + 1);
            }
            assertThat(launcher.left(Path.of(System.getProperty("java.io.tmpdir")))).isEmpty();
        }
    }

    @Test
    void shouldKeepWhatAKilledRankHasRecorded() throws Exception {
        killRankOne("-n", "2");
    }

    @Test
    void shouldKeepWhatAKilledRankHasRecordedOnAnotherHost() throws Exception {
        killRankOne(hosts("a:1,b:1", "env HOST={host}"));
    }

    private void killRankOne(String... options) throws Exception {
        try (var launcher = run(STEPS_FOR_EVER, options)) {
            launcher.awaitLines(2);
            long pid = launcher.out().lines().filter(line -> line.startsWith("1 ")).findFirst()
                    .map(line -> Long.parseLong(line.replaceFirst(".* ", ""))).orElseThrow();
            var chunks = chunks(pid);
            LauncherProcess.awaitThat("rank 1 has flushed", () -> flushedBytes(chunks) > 0);
            long first = flushedBytes(chunks); // these may be descriptions of types alone
            LauncherProcess.awaitThat("rank 1 has flushed steps", () -> flushedBytes(chunks) > first + FLUSHED_BYTES);
            LauncherProcess.signal("KILL", ProcessHandle.of(pid).orElseThrow());
            assertThat(launcher.status()).isEqualTo(137);
            assertThat(launcher.err()).contains("rank 1 (pid ", "was killed by signal 9").doesNotContain("recording");
            assertThat(files()).containsExactly("rank-0.jfr", "rank-1.jfr");
            assertThat(steps("rank-1.jfr")).isGreaterThan(100);
            assertThat(steps("rank-0.jfr")).isPositive();
            launcher.assertThatNothingIsLeft(Duration.ofSeconds(5));
        }
    }

    /** The directory of a process's chunks, as its command line names it. */
    private static Path chunks(long pid) throws IOException {
        return Stream.of(Files.readString(Path.of("/proc", String.valueOf(pid), "cmdline")).split("\0"))
                .filter(option -> option.startsWith("-XX:FlightRecorderOptions:repository="))
                .map(option -> Path.of(option.replaceFirst(".*:repository=", "").replaceFirst(",.*", ""))).findFirst()
                .orElseThrow();
    }

    /** How many bytes the header of a chunk counts. */
    private static long flushedBytes(Path chunks) {
        try (Stream<Path> paths = Files.walk(chunks)) {
            long most = 0;
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                try (var file = new RandomAccessFile(path.toFile(), "r")) {
                    file.seek(8);
                    most = Math.max(most, file.length() < 16 ? 0 : file.readLong());
                }
            }
            return most;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldKeepRecordingsWhenTheLauncherIsTerminated() throws Exception {
        try (var launcher = run(STEPS_FOR_EVER, "-n", "2")) {
            launcher.awaitLines(2);
            launcher.handle().destroy();
            assertThat(launcher.status()).isEqualTo(143);
            assertThat(files()).containsExactly("rank-0.jfr", "rank-1.jfr");
            assertThat(steps("rank-1.jfr")).isPositive();
            launcher.assertThatNothingIsLeft(Duration.ofSeconds(5));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rank-0.jfr", "ranks-0-3.chunks"})
    void shouldRefuseADirectoryWithRecordings(String name) throws Exception {
        Files.createFile(Files.createDirectories(recordings()).resolve(name));
        var result = CommandProcess.runShared("run", "--record", recordings().toString(), "Program.java");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .isEqualTo("tutti: --record " + recordings() + " has recordings of another job, such as "
                        + name + "; delete them, or name another directory\n");
    }

    @Test
    void shouldRefuseAPlaceThatCannotBeWrittenTo() throws Exception {
        var file = Files.createFile(directory.resolve("file"));
        assertThat(CommandProcess.runShared("run", "--record", file.toString(), "Program.java").err())
                .isEqualTo("tutti: --record " + file + " is no directory; name another one\n");
        assertThat(CommandProcess.runShared("run", "--record", file + "/x", "Program.java").err())
                .isEqualTo("tutti: --record " + file + "/x cannot be used (Not a directory); make room or a directory "
                        + "there, or name another one\n");
        assertThat(CommandProcess.runShared("run", "--record", "/proc/x", "Program.java").err())
                .contains("--record /proc/x cannot be used").hasLineCount(1);
        assertThat(CommandProcess.runShared("run", "--record", directory + "/a,b", "Program.java").err())
                .contains("whose name has a comma or a quotation mark").hasLineCount(1);
    }

    /** A disk of 1.5 MB, in a namespace of mounts that ends with the test's command. */
    @Test
    void shouldSayThatTheDiskIsFull() throws Exception {
        var probe = new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "none", directory.toString())
                .redirectErrorStream(true).start();
        assumeTrue(probe.waitFor() == 0, "mounts need root");
        var disk = Files.createDirectory(directory.resolve("disk"));
        List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c",
                "mount -t tmpfs -o size=1500k none '" + disk + "' && \"$@\"; status=$?; ls '" + disk
                        + "/recordings'; exit $status",
                "sh"));
        command.addAll(Installation.command());
        command.addAll(List.of("run", "-n", "2", "--record", disk.resolve("recordings").toString()));
        command.addAll(LauncherProcess.compiled(directory, PROGRAM.formatted(STEPS_FOR_EVER)));
        var out = directory.resolve("out");
        var process = new ProcessBuilder(command).directory(directory.toFile()).redirectOutput(out.toFile())
                .redirectErrorStream(true).start();
        try {
            assertThat(process.waitFor()).isEqualTo(1);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
        }
        assertThat(Files.readString(out)).contains("no space left on device", "tutti: the disk of --record " + disk
                + "/recordings is full, and JFR ends a process that cannot record; make room, or name another "
                + "directory",
                "rank-0.jfr", "rank-1.jfr").doesNotContain(".chunks");
    }

    @Test
    void shouldRecordNoSecrets() throws Exception {
        var agent = LauncherProcess.script(directory.resolve("agent"), "umask 77; tee \"$1.in\" | { shift; \"$@\"; }");
        List<String> options = new ArrayList<>(List.of(hosts("a:1,b:1", agent + " {host}")));
        options.addAll(List.of("--env", "TOKEN=hunter2-environment", "-J-Dpassword=hunter2-property"));
        try (var launcher = run("world.barrier(); world.allreduce(rank, Reduction.SUM); Thread.sleep(1100);",
                List.of("hunter2-argument"), options.toArray(String[]::new))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
        }
        byte[] secret;
        try (var sent = new DataInputStream(Files.newInputStream(directory.resolve("a.in")))) {
            secret = JobDescription.of(SessionFrame.read(sent)).secret().bytes();
        }
        Set<String> types = new TreeSet<>();
        for (String name : files()) {
            Path file = recordings().resolve(name);
            var texts = new StringBuilder(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            for (var event : RecordingFile.readAllEvents(file)) {
                texts.append(event);
                types.add(event.getEventType().getName());
            }
            for (var form : List.of("hunter2", new String(secret, StandardCharsets.ISO_8859_1),
                    HexFormat.of().formatHex(secret), Base64.getEncoder().encodeToString(secret))) {
                assertThat(texts.toString()).doesNotContainIgnoringCase(form);
            }
        }
        assertThat(types).contains("jdk.CPULoad", "jdk.ActiveRecording")
                .allMatch(type -> type.matches("tutti\\..*|jdk\\.(CPULoad|ActiveRecording|GCPhasePause)"));
    }

    /** Rank 2 sleeps before each of the calls that the others make at once. */
    @Test
    void shouldReportTheRankThatComesLate() throws Exception {
        try (var launcher = run("""
                world.barrier();
                for (int round = 0; round < 50; round++) {
                    if (rank == 2) {
                        Thread.sleep(30);
                    }
                    world.allreduce(new long[]{rank}, Reduction.SUM);
                }
                """, "-n", "3")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
        }
        var report = CommandProcess.runShared("report", recordings().toString());
        assertThat(report.err()).isEmpty();
        assertThat(report.out()).matches("(?s)job \\S+: 3 ranks on 1 node, .*"
                + "- Rank 2 was the last to begin (4[5-9]|5\\d) of 5\\d joint calls, .*ms\\s+late in the\\s+"
                + "median,\\s.*");
        assertThat(recordings().resolve("report.html")).isNotEmptyFile();
    }
}
