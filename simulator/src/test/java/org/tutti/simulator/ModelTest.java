/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Files of models: read, and refused with the place of what is wrong. */
class ModelTest {
    private static final String TEXT = """
            # a comment
            memoryLatencyMicros = 0.1
            memoryOverheadMicros = 0.01   # another one
            memoryNanosPerByte = 0.2
            combineNanosPerByte = 0.3
            railLatencyMicros = 4
            railOverheadMicros = 5
            railNanosPerByte = 6
            rails = 2
            stripeBytes = 1024
            cores = 16

            switchMicros = 0
            pollMicros = 0.7
            callMicros = 0.02
            crossNanosPerByte = 0.4
            railOverheadNanosPerByte = 0.5
            railGapMicros = 5.5
            nodesPerHost = 3
            combineMicros = 0.03
            railReceiveMicros = 4.5
            railReceiveNanosPerByte = 0.6
            """;

    @Test
    void shouldReadEveryFigure(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("own.model"), TEXT);
        assertThat(Model.of(file.toString()))
                .isEqualTo(new Model(file.toString(), 0.02, 0.1, 0.01, 0.2, 0.4, 0.03, 0.3, 4, 5, 0.5, 4.5, 0.6, 5.5,
                        6, 2, 1024,
                        16, 3, 0, 0.7, Levels.NONE));
    }

    @Test
    void shouldReadAFigureForEachRail() {
        Model model = Model.parse("own", TEXT.replace("railNanosPerByte = 6", "railNanosPerByte = 8, 24"));
        assertThat(model.railNanosPerByte(0)).isEqualTo(8);
        assertThat(model.railNanosPerByte(1)).isEqualTo(24);
        assertThat(model.railShare(0)).isEqualTo(0.75);
        assertThat(model.railShare(1)).isEqualTo(0.25);
    }

    @Test
    void shouldReadLevels() {
        Model model = Model.parse("own", TEXT + """
                levels = 2, 4
                levelLatencyMicros = 0.02, 0.05
                levelCrossNanosPerByte = 0.1, 0.2
                queueNanos = 7
                """);
        assertThat(model.levels())
                .isEqualTo(new Levels(List.of(2, 4), List.of(0.02, 0.05), List.of(0.1, 0.2), 7));
        assertThat(model.levels().meeting(2, 3)).isZero();
        assertThat(model.levels().meeting(1, 2)).isEqualTo(1);
        assertThat(model.levels().meeting(3, 4)).isEqualTo(2);
        assertThat(model.latencyNanos(1)).isEqualTo(50);
        assertThat(model.latencyNanos(2)).isEqualTo(100);
        assertThat(model.crossNanosPerByte(1)).isEqualTo(0.2);
        assertThat(model.crossNanosPerByte(2)).isEqualTo(0.4);
        assertThatThrownBy(() -> Model.parse("own", TEXT + "levels = 2, 4")).hasMessageContaining("as many of each");
        assertThatThrownBy(() -> Model.parse("own", TEXT + "levels = 4, 2"))
                .hasMessageContaining("own: levels must be");
    }

    @Test
    void shouldHaveReadyMadeOnes() {
        assertThat(Model.of("gigabit").railNanosPerByte(0)).isGreaterThan(8);
        assertThat(Model.of("rdma200").railNanosPerByte(0)).isBetween(0.04, 0.05);
        assertThat(Model.of("epyc128").levels().sizes()).containsExactly(8, 64);
        assertThat(Model.of("qsnet2").rails()).isEqualTo(2);
        assertThat(Model.READY_MADE).allSatisfy(name -> assertThat(Model.of(name).name()).isEqualTo(name));
    }

    @Test
    void shouldGiveTheRanksOfAFlatCommunicatorTheRailsAndTheMemoryOfTheirHost() {
        Model flat = Model.parse("own", TEXT + "hostLatencyMicros = 1.5").flat(4);
        assertThat(flat.crossesMemory(4, 7)).isTrue();
        assertThat(flat.crossesMemory(3, 4)).isFalse();
        assertThat(flat.firstRailOf(7)).isEqualTo(2);
        assertThat(flat.withRails(1).firstRailOf(8)).isEqualTo(2);
        assertThat(Model.parse("own", TEXT).flat(4).crossesMemory(4, 7)).isFalse();
        Model namespaces = Model.parse("own", TEXT + "hostLatencyMicros = 1.5");
        assertThat(namespaces.crossesMemory(0, 1)).isFalse();
        assertThat(namespaces.firstRailOf(1)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "rails = 2             | rails = 0        | rails must be a whole number from 1 to 1048576, not 0",
            "rails = 2             | rails = 1.5      | own, line 9: rails must be a whole number",
            "railLatencyMicros = 4 | railLatencyMicros = -4  | own, line 6: railLatencyMicros must be 0 to",
            "railLatencyMicros = 4 | railLatencyMicros = NaN | own, line 6: railLatencyMicros must be 0",
            "railLatencyMicros = 4 | railLatencyMicros = x   | own, line 6: \"x\" is no figure for railLatencyMicros",
            "railLatencyMicros = 4 | railLatencyMicros       | own, line 6: \"railLatencyMicros\" is not of the form",
            "railLatencyMicros = 4 | latency = 4      | own, line 6: there is no key \"latency\"",
            "cores = 16            | rails = 2        | own, line 11: rails is there twice",
            "cores = 16            | # nothing        | own has no figure for cores",
            "railNanosPerByte = 6  | railNanosPerByte = 6, 7, 8 | own: railNanosPerByte has 3 figures, and there are 2",
            "railNanosPerByte = 6  | railNanosPerByte = 6, x | own, line 8: \"x\" is no figure for rail"})
    void shouldSayWhereSomethingIsWrong(String right, String wrong, String message) {
        assertThatThrownBy(() -> Model.parse("own", TEXT.replace(right, wrong)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void shouldSayThatAModelIsMissing() {
        assertThatThrownBy(() -> Model.of("no-such-model")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such-model").hasMessageContaining("gigabit, rdma200");
    }
}
