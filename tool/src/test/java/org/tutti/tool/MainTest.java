/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

import static org.assertj.core.api.Assertions.assertThat;

/** The help and the messages of the command line. */
@Timeout(120)
class MainTest {
    @ParameterizedTest
    @CsvSource({"help,Usage: tutti", "--help,Usage: tutti", "help run,Usage: tutti run", "version,tutti 0",
            "--version,tutti 0", "run --help,tutti run -n 4 Program.java", "status --help,tutti status 9372-mwu3fnk6"})
    void shouldSayWhatThereIs(String arguments, String text) throws Exception {
        var ended = CommandProcess.runShared(arguments.split(" "));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains(text);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldGiveAnExampleOfEachCommand(String command) throws Exception {
        var ended = CommandProcess.runShared((command + " --help").strip().split(" "));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("\nExamples?\\b.*:\n  .*tutti " + command);
    }

    private static Stream<String> commands() {
        return Stream.concat(Stream.of("", "version"),
                Main.COMMANDS.stream().map(type -> type.getAnnotation(Command.class).name()));
    }

    @ParameterizedTest
    @CsvSource({"benc,there is no command benc; did you mean bench?", "xyz,there is no command xyz (see",
            "bench now,tutti bench takes no argument now", "bench --byte=8,there is no option --byte=8; did you mean "
                    + "--bytes?",
            "run -npx4 Program,Invalid value for option '--ranks': 'px4' is no number of ranks; "
                    + "write it like -n 4",
            "run -np0 Program,-n 0 is not possible", "help xyz,Unknown subcommand 'xyz' (see tutti --help)",
            "info --layout 2x2,--layout has no meaning without --algorithms",
            "info --choices --layout 2x2,--layout has no meaning without --algorithms",
            "info --algorithms --choices,--algorithms and --choices exclude each other",
            "info --tuning file,--tuning has no meaning without --choices",
            "info --algorithms --rails lo,--rails has no meaning with --algorithms or --choices",
            "run -n 2 --nodes 2 --rails nope0 Program,the rails \"nope0\" cannot be used",
            "bench -n 2 --nodes 2 --repeats 5 --rails nope0,the rails \"nope0\" cannot be used",
            "bench -n 1 --csv /proc/file,--csv /proc/file cannot be written"})
    void shouldSayWhatThereIsNot(String arguments, String sentence) throws Exception {
        var ended = CommandProcess.runShared(arguments.split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith("tutti: " + sentence).hasLineCount(1);
    }

    @Test
    void shouldNotPassControlCharactersOnToTheTerminal() throws Exception {
        assertThat(CommandProcess.runShared("bench", "--call", "\u001B[2Jx\ny").err())
                .startsWith("tutti: --call ?[2Jx?y is not one of ").hasLineCount(1);
        assertThat(CommandProcess.runShared("\u001B[2J").err()).contains("there is no command ?[2J").hasLineCount(1);
    }

    /** The file looks writable until it is written. */
    @ParameterizedTest
    @ValueSource(strings = {"--collective barrier", "--collective barrier --virtual", "--messages --operation latency",
            "--one-sided --operation lock"})
    void shouldSayInASentenceThatADiskIsFull(String options, @TempDir Path directory) throws Exception {
        var ended = CommandProcess.run(directory, Map.of(),
                ("bench -n 2 --bytes 8 --repeats 5 --csv /dev/full " + options).split(" "));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).matches("tutti: /dev/full could not be written \\(.*\\); make room for it, or name "
                + "another file\ntutti: rank 0 \\(pid \\d+\\) exited with status 1; the job was ended\\.\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compare", "simulate", "draw", "chart", "tune"})
    void shouldSayWhatACheckoutHas(String command) throws Exception {
        var ended = CommandProcess.runShared(command, "--help");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).isEqualTo("tutti: " + command + " is part of a checkout of Tutti, and not of tutti.jar;"
                + " run ./tutti " + command + " there (see tutti --help)\n");
        assertThat(CommandProcess.runShared("--help").out()).contains("  bench ").doesNotContain("  " + command);
    }
}
