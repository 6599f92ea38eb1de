/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.Main;

import static org.assertj.core.api.Assertions.assertThat;

/** The script of {@code tutti completion}, in a real bash. */
@Timeout(120)
class CompletionTest {
    private static final Pattern FUNCTION = Pattern.compile("(?ms)^function (_picocli_tutti\\w*)\\(\\) \\{$(.*?)^}$");
    private static final Pattern VALUES = Pattern.compile("local (\\w+_args)=");

    /** Completes the last word as bash does when the user presses the tabulator. */
    private static final String COMPLETES = """
            source completion
            complete -p tutti
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
            COMP_POINT=${#COMP_LINE}
            compopt() { true; } # works only while the shell completes
            _complete_tutti tutti "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\n' "${COMPREPLY[@]}"
            """;

    @TempDir
    private Path directory;

    private static String script() throws Exception {
        var ended = CommandProcess.runShared("completion");
        assertThat(ended.status()).as(ended.err()).isZero();
        return ended.out();
    }

    /** The lines that a shell prints which has the script, and completes these words. */
    private List<String> completed(String... words) throws Exception {
        Files.writeString(directory.resolve("completion"), script());
        var command = Stream.concat(Stream.of("bash", "--norc", "-c", COMPLETES, "bash"), Stream.of(words)).toList();
        var process = new ProcessBuilder(command).directory(directory.toFile())
                .redirectErrorStream(true).redirectOutput(directory.resolve("out").toFile()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ended in time").isTrue();
        return Files.readAllLines(directory.resolve("out"));
    }

    @ParameterizedTest
    @CsvSource({"tutti sta,status", "tutti simu,simulate", "tutti help com,completion compare",
            "tutti run --stri,--striping",
            "tutti run --striping e,even", "tutti bench --collective all-,all-to-all",
            "tutti bench --call over,overlapped",
            "tutti compare --contenders mpi,mpich", "tutti simulate exc,exclusive-scan",
            "tutti simulate allreduce --algorithm slot,slot-ring", "tutti simulate --paper p,portals",
            "tutti explain allreduce --model rd,rdma200"})
    void shouldCompleteCommandsOptionsAndValues(String words, String completions) throws Exception {
        assertThat(completed(words.split(" "))).first().asString().matches("complete .*-F _complete_tutti tutti");
        assertThat(completed(words.split(" ")).stream().skip(1)).containsExactlyInAnyOrder(completions.split(" "));
    }

    @Test
    void shouldOfferAllCommandsThatAreNotHidden() throws Exception {
        assertThat(completed("tutti", "").stream().skip(1))
                .contains("run", "status", "bench", "info", "completion", "help")
                .containsAll(Main.LABORATORY).doesNotContain("host", "prepare");
    }

    /** Two options with one label would offer the values of the last one. */
    @Test
    void shouldKeepTheValuesOfEachOptionApart() throws Exception {
        var functions = FUNCTION.matcher(script()).results().toList();
        assertThat(functions).hasSizeGreaterThan(Main.LABORATORY.size());
        for (MatchResult function : functions) {
            assertThat(VALUES.matcher(function.group(2)).results().map(found -> found.group(1)))
                    .as(function.group(1)).doesNotHaveDuplicates();
        }
    }
}
