/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** Processes that are short of direct memory or of open files, in a JVM of their own. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class StarvedProcessTest {
    private static String run(String prefix, String what) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder("bash", "-c", prefix + " exec \"$@\"", "bash", java, "-XX:+UseSerialGC",
                "-Xmx64m", "-XX:MaxDirectMemorySize=2m", "-cp", System.getProperty("java.class.path"),
                StarvedMain.class.getName(), what).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Tag("thorough")
    @Test
    void shouldConnectWhenThereIsMemoryAgain() throws Exception {
        String output = run("", "memory-for-a-while");
        assertThat(output).contains("put: true").containsOnlyOnce("has no memory for a connection")
                .doesNotContain("failed:").doesNotContain("lost");
    }

    @Tag("thorough")
    @Test
    void shouldBlameItselfWhenThereIsNoMemoryForAConnection() throws Exception {
        String output = run("", "memory");
        assertThat(output).contains("put: false")
                .containsPattern("0 failed: java.lang.OutOfMemoryError: the process of rank 0 has no memory for a"
                        + " connection with that of rank 1 \\(.*\\); allow more with -XX:MaxDirectMemorySize")
                .doesNotContain("lost").doesNotContain("secret");
    }

    @Test
    void shouldBlameItselfAndGoOnLaterWhenThereAreNoFilesForConnections() throws Exception {
        String output = run("ulimit -n 200;", "files");
        assertThat(output).contains("rank 0 cannot open a connection with the process of rank 1: Too many open files; "
                + "see the limits of this host, such as ulimit -n").contains("put: true").doesNotContain("lost")
                .doesNotContain("failed:").containsOnlyOnce("cannot accept connections");
    }
}
