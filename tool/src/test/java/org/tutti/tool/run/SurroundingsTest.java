/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.Installation;

import static org.assertj.core.api.Assertions.assertThat;

/** The launcher without its script in surroundings that a JVM takes badly. */
@Timeout(300)
class SurroundingsTest {
    private static final long PATIENCE_SECONDS = 240;
    private static final String READS = "IO.println(System.in.readAllBytes().length);";
    private static final String PRINTS = "IO.println(String.join(\",\", arguments));";

    @TempDir
    private Path directory;

    private record Ended(int status, String out, String err) {}

    private List<String> program(String body) throws IOException {
        return LauncherProcess.compiled(directory, "import module org.tutti;\n"
                + "void main(String[] arguments) throws Exception { Tutti.join().close(); " + body + " }");
    }

    /** Runs the launcher from a shell, which closes descriptors as its command says. */
    private Ended run(Path where, Map<String, String> environment, String redirections, List<String> command)
            throws Exception {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", "exec \"$@\" " + redirections, "sh"));
        words.addAll(command);
        var out = directory.resolve("out");
        var err = directory.resolve("err");
        var builder = new ProcessBuilder(words).directory(where.toFile()).redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ended in time").isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static List<String> launcher(List<String> program, String... options) {
        List<String> words = new ArrayList<>(Installation.command());
        words.add("run");
        words.addAll(List.of(options));
        words.addAll(program);
        return words;
    }

    private String[] onOneHost(String agent) throws IOException {
        return new String[]{"--hosts", "b:1", "--agent", agent, "--remote-tutti",
                LauncherProcess.script(directory).toString()};
    }

    // ---- closed descriptors

    @Test
    void shouldGiveRankZeroAnEmptyInputWhenTheLauncherHasNone() throws Exception {
        var ended = run(directory, Map.of(), "<&-", launcher(program(READS), "-n", "2"));
        assertThat(ended).isEqualTo(new Ended(0, "0\n0\n", ""));
    }

    @Test
    void shouldGiveRankZeroOfAnotherHostAnEmptyInputWhenTheLauncherHasNone() throws Exception {
        var ended = run(directory, Map.of(), "<&-", launcher(program(READS), onOneHost("env HOST={host}")));
        assertThat(ended).isEqualTo(new Ended(0, "0\n", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {">&-", "<&- >&-"})
    void shouldNotLoseOutputWithoutAWord(String redirections) throws Exception {
        var ended = run(directory, Map.of(), redirections, launcher(program(PRINTS), "-n", "1"));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).startsWith("tutti: the output of the ranks could not be written to standard output (");
    }

    @Test
    void shouldSayThatACommandsOutputIsLost() throws Exception {
        List<String> words = new ArrayList<>(Installation.command());
        words.add("version");
        var ended = run(directory, Map.of(), ">/dev/full", words);
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).startsWith("tutti: standard output could not be written to");
    }

    @Test
    void shouldEndACommandSilentlyWhenTheReaderOfItsOutputHasEnded() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString()).start().waitFor()).isZero();
        List<String> words = new ArrayList<>(Installation.command());
        words.add("info");
        var ended = run(directory, Map.of(), "3<>pipe >pipe 3<&-", words);
        assertThat(ended).isEqualTo(new Ended(141, "", ""));
    }

    // ---- locales

    @Test
    void shouldSayWhichLocaleLosesAnArgument() throws Exception {
        var words = launcher(program(PRINTS), "-n", "1");
        words.add("grün");
        var ended = run(directory, Map.of("LC_ALL", "C"), "", words);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).startsWith("tutti: argument ").contains("\"gr", "n\", is no text in US-ASCII",
                "LC_ALL=C)").hasLineCount(1);
    }

    @Test
    void shouldSayWhichLocaleLosesTheWorkingDirectory() throws Exception {
        var where = Files.createDirectory(directory.resolve("größe"));
        var ended = run(where, Map.of("LC_ALL", "C"), "", launcher(program(PRINTS), "-n", "1"));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith("tutti: the working directory ").contains("LC_ALL=C)").hasLineCount(1);
    }

    @Test
    void shouldSayWhichHostsLocaleLosesAnArgument() throws Exception {
        var words = launcher(program(PRINTS), onOneHost("env LC_ALL=C HOST={host}"));
        words.add("grün");
        var ended = run(directory, Map.of(), "", words);
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).startsWith("tutti: host b could not be started: \"gr").contains("LC_ALL=C)")
                .hasLineCount(1);
    }

    @Test
    void shouldPassAllCharactersOn() throws Exception {
        for (var options : new String[][]{{"-n", "1"}, onOneHost("env HOST={host}")}) {
            var words = launcher(program(PRINTS), options);
            words.addAll(List.of("grün", "日本", "a b", "", "\n", "'\""));
            assertThat(run(directory, Map.of(), "", words)).isEqualTo(new Ended(0, "grün,日本,a b,,\n,'\"\n", ""));
        }
    }

    // ---- options of JVMs in the environment

    @Test
    void shouldSayOnceThatOptionsArePickedUp() throws Exception {
        var ended = run(directory, Map.of("JAVA_TOOL_OPTIONS", "-Dsome=grün"), "",
                launcher(program("IO.println(System.getProperty(\"some\"));"), "-n", "3"));
        assertThat(ended).isEqualTo(
                new Ended(0, "grün\n".repeat(3), "Picked up JAVA_TOOL_OPTIONS: -Dsome=grün\n"));
    }

    @Test
    void shouldGiveRanksTheCollectorOfTheirEnvironment() throws Exception {
        var ended = run(directory, Map.of(), "", launcher(program("""
                IO.println(java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().getFirst().getName());
                """), "-n", "2", "--env", "JAVA_TOOL_OPTIONS=-XX:+UseParallelGC"));
        assertThat(ended).isEqualTo(new Ended(0, "PS MarkSweep\n".repeat(2),
                "Picked up JAVA_TOOL_OPTIONS: -XX:+UseParallelGC\n"));
    }

    // ---- a moved installation

    @Test
    void shouldRunItsOwnJarsAfterItWasCopied() throws Exception {
        var words = launcher(program("IO.println(System.getProperty(\"java.class.path\"));"), "-n", "1");
        var copy = Files.createDirectory(directory.resolve("a copy"));
        var ended = run(directory, Map.of(), "", Installation.copied(copy, words));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).startsWith(copy.toString());
        assertThat(ended.err()).isEmpty();
    }
}
