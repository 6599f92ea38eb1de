/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;
import org.tutti.tool.Installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The page of {@code tutti bench --html} when its ranks are on several nodes or hosts. */
@Timeout(300)
class BenchOnHostsTest {
    @TempDir
    private Path directory;

    private Ended bench(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("bench", "--collective", "allreduce", "--bytes", "8,1k",
                "--repeats", "1", "--html", "page.html"));
        all.addAll(List.of(options));
        return CommandProcess.run(directory, Map.of(), all.toArray(String[]::new));
    }

    private String[] hosts(String agent) throws Exception {
        return new String[]{"--hosts", "a:1,b:1", "--agent", agent, "--remote-tutti",
                script("tutti", "exec '" + String.join("' '", Installation.command()) + "' \"$@\"").toString()};
    }

    private Path script(String name, String body) throws Exception {
        var file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    private void requireFigures(String layout, int ranks) throws Exception {
        var page = Files.readString(directory.resolve("page.html")).replaceAll("<[^>]*>", " ");
        assertThat(page).contains("--html page.html").contains(ranks + " ranks, " + layout)
                .containsPattern("tutti +allreduce +" + layout + " +" + ranks + " +8 ")
                .containsPattern("tutti +allreduce +" + layout + " +" + ranks + " +1,024 ");
    }

    @Test
    void shouldHaveTheFiguresOfSeveralNodes() throws Exception {
        var ended = bench("-n", "3", "--nodes", "2");
        assertThat(ended.status()).as(ended.err()).isZero();
        requireFigures("2 nodes", 3);
    }

    @Test
    void shouldHaveTheFiguresOfSeveralHosts() throws Exception {
        var ended = bench(hosts("env HOST={host}"));
        assertThat(ended.status()).as(ended.err()).isZero();
        requireFigures("2 nodes", 2);
    }

    /** A host with a file system of its own: a mount that only the ranks of the host see. */
    @Test
    void shouldSayThatTheFiguresAreOnAnotherHost() throws Exception {
        var figures = Files.createDirectory(directory.resolve("figures"));
        assumeTrue(new ProcessBuilder("unshare", "--mount", "mount", "-t", "tmpfs", "none", figures.toString())
                .start().waitFor() == 0, "skipped: only root makes mounts");
        var agent = script("agent", "shift; exec unshare --mount sh -c 'mount -t tmpfs none " + figures
                + " && exec \"$@\"' sh \"$@\"");
        List<String> options = new ArrayList<>(List.of(hosts(agent + " {host}")));
        options.addAll(List.of("--csv", figures.resolve("figures.csv").toString()));
        var ended = bench(options.toArray(String[]::new));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).endsWith("tutti: --html page.html cannot be written, because rank 0 has written the "
                + "figures on another host; run tutti bench there\n");
        assertThat(directory.resolve("page.html")).doesNotExist();
    }
}
