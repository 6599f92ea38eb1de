/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.simulator.Levels;
import org.tutti.simulator.Model;
import org.tutti.tool.UsageException;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Figures of bench/growth get the times of a model, and are drawn. */
class GrowthTest {
    private static final String HEADER =
            "against,operation,layout,ranks,bytes,microseconds,low,high,model_microseconds,memory_bytes\n";

    /** Only crossing a rail costs, 4 µs, and a call 0.5; so a barrier of two nodes takes 4.5. */
    private static final Model MODEL = new Model("own", 0.5, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 1024, 8, 1, 0, 0,
            Levels.NONE);

    @TempDir
    private Path directory;

    private Path file(String text) throws Exception {
        return Files.writeString(directory.resolve("growth.csv"), text);
    }

    private Growth growth() throws Exception {
        return new Growth(file(HEADER + """
                processes,barrier,1x2,2,0,0.2500,0.2000,0.3000,,80000000
                processes,barrier,1x4,4,0,1.5000,1.2000,1.9000,7.0,160000000
                virtual,allreduce,1x1000,1000,8,99.0000,98.0000,97.0000,,250000000
                nodes,barrier,2x1,2,0,9.0000,8.0000,9.5000,,90400000
                bytes,broadcast,1x2,2,8,0.1000,0.1000,0.1000,,70000000
                bytes,broadcast,1x2,2,1024,0.3000,0.3000,0.3000,,70000000
                """), MODEL);
    }

    @Test
    void shouldPutTheModelsTimesIntoTheFileAndTheTable() throws Exception {
        assertThat(growth().csv()).isEqualTo((HEADER + """
                processes,barrier,1x2,2,0,0.2500,0.2000,0.3000,0.5000,80000000
                processes,barrier,1x4,4,0,1.5000,1.2000,1.9000,0.5000,160000000
                virtual,allreduce,1x1000,1000,8,99.0000,98.0000,97.0000,,250000000
                nodes,barrier,2x1,2,0,9.0000,8.0000,9.5000,4.5000,90400000
                bytes,broadcast,1x2,2,8,0.1000,0.1000,0.1000,0.5000,70000000
                bytes,broadcast,1x2,2,1024,0.3000,0.3000,0.3000,0.5000,70000000
                """).lines().toList());
        assertThat(growth().markdown().lines().toList()).hasSize(2 + 6)
                .contains("| nodes | barrier | 2x1 | 0 | 9.0000 | 8.0000 | 9.5000 | 4.5000 | 90 |",
                        "| virtual | allreduce | 1x1000 | 8 | 99.0000 | 98.0000 | 97.0000 |  | 250 |");
    }

    @Test
    void shouldDrawTheModelBesideWhatWasMeasured() throws Exception {
        var drawing = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(growth().chart())));
        // a pair for each collective and thing, and the memory of all but one of these
        assertThat(drawing.getElementsByTagName("polyline").getLength()).isEqualTo(4 * 2 + 3);
        // each figure once, its prediction if there is one, and a memory for each layout
        assertThat(drawing.getElementsByTagName("circle").getLength()).isEqualTo(6 + 5 + 4);
        assertThat(drawing.getDocumentElement().getTextContent()).contains("barrier, µs over processes",
                "allreduce, µs over ranks as virtual threads", "memory of a node, MB over nodes", "8 B, model",
                "broadcast, µs over bytes", "1k").doesNotContain("memory of a node, MB over bytes");
    }

    @Test
    void shouldPredictTheAlgorithmThatTuttiChooses() {
        // Choice: long sums by index range on one node, by srm below 64 KiB on several
        assertThat(List.of(name(1, 16 << 10), name(2, 16 << 10), name(4, 1 << 20)))
                .containsExactly("index-range", "srm", "index-range");
    }

    private static String name(int nodes, long bytes) {
        return Shape.chosen(Collective.ALLREDUCE, Shape.topology(nodes, 2), bytes).description().name();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"nothing | does not begin with",
            "HEADER processes,barrier,1x2,2,0,1,1,1, | line 2: there are 9 columns instead of 10",
            "HEADER time,barrier,1x2,2,0,1,1,1,,1 | line 2: \"time\" is not one of processes",
            "HEADER nodes,gossip,1x2,2,0,1,1,1,,1 | line 2: there is no collective \"gossip\"",
            "HEADER nodes,barrier,2,2,0,1,1,1,,1 | line 2: \"2\" is not a layout, such as 4x2",
            "HEADER nodes,barrier,0x2,2,0,1,1,1,,1 | line 2: \"0\" is no number from 1 to",
            "HEADER nodes,barrier,1x2,2,-8,1,1,1,,1 | line 2: \"-8\" is no number from 0 to",
            "HEADER nodes,barrier,1x2,2,0,0,1,1,,1 | line 2: \"0\" is no time in microseconds",
            "HEADER nodes,barrier,1x2,2,0,1,1,1,,much | line 2: \"much\" is no number from 0 to"})
    void shouldRefuseWhatCannotBeRead(String text, String message) throws Exception {
        Path file = file(text.replace("HEADER ", HEADER));
        assertThatThrownBy(() -> new Growth(file, MODEL)).isInstanceOf(UsageException.class)
                .hasMessageStartingWith(file.toString()).hasMessageContaining(message);
    }
}
