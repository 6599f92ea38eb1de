/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Commands that take longer than two seconds have a bar on a terminal, and none in a pipe. */
@Timeout(300)
class ProgressTest {
    /** With percentiles, each repeat takes a second. */
    private static final String[] LONG = {"bench", "-n", "1", "--collective", "barrier,broadcast", "--bytes", "8",
            "--percentiles", "--repeats", "3"};

    private static final String BAR = "\rmeasuring +\\d+% \\[[=> ]*] [01]/2 \\(0:.*\\)  [^\r\n]*";
    private static final String ERASED = "\r {79}\r";

    @TempDir
    private Path directory;

    @Test
    void shouldShowABarOnATerminalBelowTheFigures() throws Exception {
        String shown = Terminal.run(directory, LONG);
        assertThat(shown).containsPattern(BAR).containsPattern(ERASED + "broadcast ").endsWith("\n")
                .doesNotContain("\u001F");
        var left = Stream.of(shown.split("\r?\n")).map(line -> line.substring(line.lastIndexOf('\r') + 1)).toList();
        assertThat(left).as("what a person sees at the end").noneMatch(line -> line.contains("measuring"))
                .anyMatch(line -> line.startsWith("barrier ")).anyMatch(line -> line.startsWith("broadcast "));
    }

    @Test
    void shouldShowNoBarInAPipe() throws Exception {
        var ended = CommandProcess.run(directory, Map.of(), LONG);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out() + ended.err()).doesNotContain("measuring", "\r", "\u001F");
        assertThat(ended.out()).hasLineCount(5).containsPattern("\nbarrier .*\nbroadcast ");
    }

    @Test
    void shouldPassOnWhatLooksLikeAStepOfAUsersProgram() throws Exception {
        var program = Files.writeString(directory.resolve("Program.java"),
                "void main() { IO.println(\"\\u001F1/2 step\"); }");
        var ended = CommandProcess.run(directory, Map.of(), "run", "-n", "1", program.toString());
        assertThat(ended.out()).isEqualTo("\u001F1/2 step\n");
    }
}
