/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The handling of the ranks' standard streams. */
@Timeout(300)
class OutputTest {
    @TempDir
    private Path directory;

    private LauncherProcess run(String input, String body, String... options) throws IOException {
        var program = LauncherProcess.compiled(directory, """
                int rank = Integer.parseInt(System.getenv("TUTTI_RANK"));

                void main() throws Exception {
                    %s
                }
                """.formatted(body));
        var arguments = Stream.concat(Stream.of(options), program.stream()).toArray(String[]::new);
        return LauncherProcess.runWithInput(directory, input, arguments);
    }

    @Test
    void shouldNotInterleaveWithinALine() throws Exception {
        var body = """
                for (int line = 0; line < 2000; line++) {
                    for (int part = 0; part < 10; part++) {
                        System.out.write(("" + rank).repeat(10).getBytes());
                        System.out.flush();
                    }
                    System.out.println();
                }
                """;
        try (var launcher = run("", body, "-n", "4")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out().lines()).hasSize(8000).allMatch(line -> line.matches("(\\d)\\1{99}"));
        }
    }

    @Test
    void shouldKeepTheStreamsApart() throws Exception {
        try (var launcher = run("", "System.out.println(\"good\"); System.err.println(\"bad\");", "-n", "2")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out()).isEqualTo("good\ngood\n");
            assertThat(launcher.err()).isEqualTo("bad\nbad\n" + LauncherProcess.nobodyJoined(2));
        }
    }

    @Test
    void shouldPassBytesOnUnchanged() throws Exception {
        var body =
                "byte[] all = new byte[512]; for (int i = 0; i < 512; i++) { all[i] = (byte) i; } "
                        + "System.out.write(all);";
        try (var launcher = run("", body, "-n", "1")) {
            assertThat(launcher.status()).isZero();
            var expected = new byte[512];
            for (int index = 0; index < expected.length; index++) {
                expected[index] = (byte) index;
            }
            assertThat(Files.readAllBytes(directory.resolve("launcher.out"))).isEqualTo(expected);
        }
    }

    @Test
    void shouldEndALastLineWhenOthersFollow() throws Exception {
        try (var launcher =
                run("", "try (var job = org.tutti.Tutti.join()) { job.world().barrier(); } "
                        + "Thread.sleep(400 * rank); System.out.print(rank); System.out.flush();", "-n", "3")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out()).isEqualTo("0\n1\n2");
        }
    }

    @Test
    void shouldPassALineOfAMegabyteOn() throws Exception {
        try (var launcher = run("", "System.out.println(\"x\".repeat(1 << 20));", "-n", "1")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out()).isEqualTo("x".repeat(1 << 20) + "\n");
        }
    }

    @Test
    void shouldTagLines() throws Exception {
        try (var launcher = run("", "System.out.print(\"a\\nb\");", "-n", "1", "--tag-output")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out()).isEqualTo("[0] a\n[0] b");
        }
    }

    @Test
    void shouldWriteAFilePerRank() throws Exception {
        var body = "System.out.println(\"out \" + rank); System.err.println(\"err \" + rank);";
        try (var launcher = run("", body, "-n", "2", "--output-directory", "logs/today")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out()).isEmpty();
            assertThat(launcher.err()).isEqualTo(LauncherProcess.nobodyJoined(2));
            for (int rank = 0; rank < 2; rank++) {
                assertThat(directory.resolve("logs/today/rank-" + rank + ".out")).hasContent("out " + rank);
                assertThat(directory.resolve("logs/today/rank-" + rank + ".err")).hasContent("err " + rank);
            }
        }
    }

    @Test
    void shouldEndTheJobWhenOutputCannotBeWritten() throws Exception {
        Files.createDirectory(directory.resolve("logs"));
        Files.createSymbolicLink(directory.resolve("logs/rank-0.out"), Path.of("/dev/full"));
        try (var launcher = run("", "System.out.println(1); Thread.sleep(600_000);", "-n", "1", "--output-directory",
                "logs")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err())
                    .startsWith("tutti: the output of the ranks could not be written to logs/rank-0.out");
        }
    }

    @Test
    void shouldGiveStandardInputToRankZero() throws Exception {
        try (var launcher = run("first\nsecond\n",
                "IO.println(rank + \" \" + new String(System.in.readAllBytes()).lines().toList());",
                "-n", "3")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0 [first, second]", "1 []", "2 []");
        }
    }
}
