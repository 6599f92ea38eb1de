/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.JobStartException;
import org.tutti.Topology;
import org.tutti.choice.Choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tuning files: the rules of their lines, where the variable names the file, and why a file is refused. */
class TuningFileTest {
    private static final String FILE = """
            # for the cluster
            allreduce=rabenseifner:0-64k     # short ones

            4x2: allreduce=ring:0-64k,index-radix:64k-
              reduce=srm@32k\r
            """;

    @TempDir
    private Path directory;

    private String file(String text) throws IOException {
        return Files.writeString(directory.resolve("tuning"), text).toString();
    }

    private static String allreduce(Choice choice, Topology topology, long bytes) {
        return choice.shortlist(topology).algorithm(Collective.ALLREDUCE, bytes, true).description().name();
    }

    @Test
    void shouldReadTheRulesOfAllLines() throws IOException {
        assertThat(TuningFile.read(file(FILE))).isEqualTo("allreduce=rabenseifner:0-64k,"
                + "4x2: allreduce=ring:0-64k,index-radix:64k-,reduce=srm@32k");
        assertThat(TuningFile.read(file(""))).isEmpty();
        assertThat(TuningFile.read(file("#\n\n \n# allreduce=best"))).isEmpty();
    }

    @Test
    void shouldChooseByLayoutAndLetTheVariableOfAlgorithmsWin() throws IOException {
        Topology fourByTwo = new Topology(new int[]{0, 0, 1, 1, 2, 2, 3, 3});
        Topology twoByOne = new Topology(new int[]{0, 1});
        Choice tuned = JobEnvironment.choice(Map.of(JobEnvironment.TUNING, file(FILE)));
        assertThat(allreduce(tuned, fourByTwo, 65535)).isEqualTo("ring");
        assertThat(allreduce(tuned, fourByTwo, 65536)).isEqualTo("index-radix");
        assertThat(allreduce(tuned, twoByOne, 65535)).isEqualTo("rabenseifner");
        assertThat(allreduce(tuned, twoByOne, 65536)).isEqualTo(allreduce(Choice.DEFAULT, twoByOne, 65536));
        Choice both = JobEnvironment.choice(Map.of(JobEnvironment.TUNING, file(FILE), JobEnvironment.ALGORITHM,
                "allreduce=recursive-doubling:1k-"));
        assertThat(allreduce(both, fourByTwo, 1023)).isEqualTo("ring");
        assertThat(allreduce(both, fourByTwo, 1024)).isEqualTo("recursive-doubling");
        assertThat(allreduce(JobEnvironment.choice(Map.of(JobEnvironment.TUNING, "")), fourByTwo, 8))
                .isEqualTo(allreduce(Choice.DEFAULT, fourByTwo, 8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "#;allreduce=best;    | 2 | there is no algorithm \"best\" for allreduce; there are flat, ",
            "allreduce=ring;;srm:64k- | 3 | \"srm:64k-\" is neither of the form collective=algorithm or ",
            "4xx: allreduce=ring   | 1 | \"4xx\" is no layout; give NODESxRANKS",
            "barrier=flat:8-8      | 1 | the range 8-8 is empty"})
    void shouldNameTheLineThatCannotBeUsed(String lines, int line, String message) throws IOException {
        String file = file(lines.replace(';', '\n'));
        assertThatThrownBy(() -> TuningFile.read(file)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(file + ", line " + line + ": " + message);
        assertThatThrownBy(() -> JobEnvironment.choice(Map.of(JobEnvironment.TUNING, file)))
                .isInstanceOf(JobStartException.class)
                .hasMessageStartingWith("TUTTI_TUNING=" + file + ", line " + line + ": " + message);
    }

    @Test
    void shouldRefuseWhatIsNoFileOrTooLong() throws IOException {
        assertThatThrownBy(() -> TuningFile.read("/no/file"))
                .hasMessage("/no/file is no file; name a text file of rules");
        assertThatThrownBy(() -> TuningFile.read("/dev/zero"))
                .hasMessage("/dev/zero is no file; name a text file of rules");
        String longest = file("#".repeat(TuningFile.BYTES_MAX));
        assertThat(TuningFile.read(longest)).isEmpty();
        String tooLong = file("#".repeat(TuningFile.BYTES_MAX + 1));
        assertThatThrownBy(() -> TuningFile.read(tooLong))
                .hasMessage(tooLong + " is longer than 65536 bytes; remove some rules");
        String most = file("barrier=flat,barrier=srm\n".repeat(TuningFile.RULES_MAX / 2));
        assertThat(TuningFile.read(most)).hasSizeGreaterThan(TuningFile.RULES_MAX);
        String tooMany = file("barrier=flat,barrier=srm\n".repeat(TuningFile.RULES_MAX / 2) + "\nbarrier=tree");
        assertThatThrownBy(() -> TuningFile.read(tooMany))
                .hasMessage(tooMany + ", line 502: this is more than 1000 rules; remove some");
    }

    @Test
    void shouldReadAFileThatIsNotUtf8() throws IOException {
        Path file =
                Files.write(directory.resolve("latin"), "barrier=flat # für\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(TuningFile.read(file.toString())).isEqualTo("barrier=flat");
        byte[] noise = new byte[1000];
        Arrays.fill(noise, (byte) -1);
        Files.write(file, noise);
        assertThatThrownBy(() -> TuningFile.read(file.toString())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("latin, line 1: ");
    }
}
