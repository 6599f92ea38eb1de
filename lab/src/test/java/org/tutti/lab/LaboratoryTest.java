/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.Main;
import picocli.CommandLine.Command;

import static org.assertj.core.api.Assertions.assertThat;

/** The command line of a checkout has the commands of users, and those of the laboratory. */
@Timeout(120)
class LaboratoryTest {
    private static Stream<String> commands() {
        return Laboratory.COMMANDS.stream().map(type -> type.getAnnotation(Command.class).name());
    }

    @Test
    void shouldListTheCommandsOfBoth() throws Exception {
        var ended = CommandProcess.runShared("--help");
        assertThat(ended.status()).isZero();
        assertThat(ended.out()).contains("  run ", "  status ", "  bench ", "  info ")
                .contains(commands().map(name -> "  " + name + " ").toList());
    }

    @Test
    void shouldHaveTheCommandsThatTheToolSaysItLacks() {
        assertThat(commands()).containsExactlyElementsOf(Main.LABORATORY);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldSayHowEachOfItsCommandsIsUsed(String command) throws Exception {
        var ended = CommandProcess.runShared(command, "--help");
        assertThat(ended.status()).isZero();
        assertThat(ended.out()).startsWith("Usage: tutti " + command)
                .containsPattern("\nExamples?:\n  tutti " + command);
    }

    /** Files are those of the kernel: a directory, one that is no text, and one without room. */
    @ParameterizedTest
    @CsvSource({"2,chart /,/ does not end with .csv", "2,chart / -o drawing.svg,/ cannot be read",
            "2,simulate allreduce --model {java},--model {java}: {java} cannot be read",
            "2,simulate --verify --replay x,'--verify, --replay=run are mutually exclusive'",
            "2,draw barrier --algorithm flat -o /proc/file,--output /proc/file cannot be written",
            "1,draw barrier --algorithm flat -o /dev/full,/dev/full could not be written (No space left on device)",
            "1,'simulate allreduce --bytes 8,16 --chart /dev/full',/dev/full could not be written (No space left"})
    void shouldSayInASentenceWhichFileCannotBeUsed(int status, String arguments, String sentence) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var ended = CommandProcess.runShared(arguments.replace("{java}", java).split(" "));
        assertThat(ended.status()).isEqualTo(status);
        assertThat(ended.err()).startsWith("tutti: " + sentence.replace("{java}", java)).hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({"simulat,there is no command simulat; did you mean simulate?",
            "simulate allreduce --seed=3,there is no option --seed=3; did you mean --seeds?",
            "bench now,tutti bench takes no argument now"})
    void shouldSayWhatThereIsNot(String arguments, String sentence) throws Exception {
        var ended = CommandProcess.runShared(arguments.split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith("tutti: " + sentence).hasLineCount(1);
    }
}
