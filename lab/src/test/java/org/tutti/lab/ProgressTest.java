/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.tool.Terminal;

import static org.assertj.core.api.Assertions.assertThat;

/** The laboratory's commands have the tool's bar. */
@Timeout(300)
class ProgressTest {
    @TempDir
    private Path directory;

    /** With percentiles, each turn takes a second. */
    @Test
    void shouldShowABarInsteadOfLinesOnATerminal() throws Exception {
        assertThat(Terminal.run(directory, "compare", "-n", "2", "--contenders", "tutti", "--collective", "barrier",
                "--percentiles", "--repeats", "3", "--rounds", "1"))
                .containsPattern("\rcomparing +\\d+% \\[[=> ]*] [1-4]/4 \\(0:.*\\)  1x2, round 1 of 1: barrier")
                .doesNotContain("tutti: 1x2, round");
    }

    @Test
    void shouldLeaveNothingOfABarBehindWhatIsSoonDone() throws Exception {
        assertThat(Terminal.run(directory, "simulate", "barrier", "--algorithm", "flat")).doesNotContain("predicting")
                .contains("critical path");
    }
}
