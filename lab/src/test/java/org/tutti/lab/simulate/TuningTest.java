/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.choice.Choice;
import org.tutti.job.launch.TuningFile;
import org.tutti.lab.simulate.Measurements.Cell;

import static org.assertj.core.api.Assertions.assertThat;

/** Proposals, best chunks and rules against what is known of invented figures. */
class TuningTest {
    private static Cell cell(Collective collective, String algorithm, long bytes, double micros) {
        return new Cell(collective, Catalogue.find(collective, algorithm), 1, 2, bytes, micros, micros);
    }

    private static double predict(Cell cell) {
        return switch (cell.algorithm().description().name()) {
            case "srm@8k", "srm@16k" -> 5;
            case "index-range@4k" -> cell.bytes() == 1024 ? 1 : 3;
            case "index-range@8k" -> 2;
            default -> 9;
        };
    }

    @Test
    void shouldFindProposalsAndTheBestOfEachAlgorithmAndSize() {
        Tuning tuning = new Tuning(List.of(cell(Collective.BARRIER, "srm", 0, 1),
                cell(Collective.REDUCE, "srm", 1024, 8), cell(Collective.REDUCE, "srm@4k", 1024, 4),
                cell(Collective.REDUCE, "srm@8k", 1024, 16), cell(Collective.REDUCE, "srm@16k", 1024, 6),
                cell(Collective.ALLREDUCE, "index-range", 1024, 10),
                cell(Collective.ALLREDUCE, "index-range@4k", 1024, 20),
                cell(Collective.ALLREDUCE, "index-range@8k", 1024, 30),
                cell(Collective.ALLREDUCE, "index-range", 2048, 90),
                cell(Collective.ALLREDUCE, "index-range@4k", 2048, 50),
                cell(Collective.ALLREDUCE, "index-range@8k", 2048, 40)), TuningTest::predict);
        // the proposals take 4, 1 and 1 times as long as the best ones, the usual chunks 2, 0.5 and 2.25 times
        assertThat(tuning.markdown()).isEqualTo("""
                | operation | algorithm | bytes | proposed | predicted, µs | measured, µs | best | µs | usual, µs |
                |---|---|---:|---:|---:|---:|---:|---:|---:|
                | reduce | srm | 1024 | 8k | 5.00 | 16.00 | 4k | 4.00 | 8.00 |
                | allreduce | index-range | 1024 | 4k | 1.00 | 20.00 | 4k | 20.00 | 10.00 |
                | allreduce | index-range | 2048 | 8k | 2.00 | 40.00 | 8k | 40.00 | 90.00 |

                The proposed chunks take 1.59 times as long as the best of the sweep, the usual ones 1.31 times \
                (geometric means).
                """);
    }

    private static String name(Choice choice, Collective collective, String shape, long bytes) {
        return choice.shortlist(Shape.topology(shape.charAt(0) - '0', shape.charAt(2) - '0'))
                .algorithm(collective, bytes, true).description().name();
    }

    @Test
    void shouldWriteRulesThatCanBeReadBack(@TempDir Path directory) throws IOException {
        List<Cell> cells =
                List.of(cell(Collective.REDUCE, "flat", 1024, 10), cell(Collective.REDUCE, "srm@4k", 1024, 8),
                        cell(Collective.REDUCE, "srm", 1024, 9), cell(Collective.REDUCE, "flat", 65536, 100),
                        cell(Collective.REDUCE, "srm@4k", 65536, 96), cell(Collective.REDUCE, "flat", 1 << 20, 500.25),
                        cell(Collective.REDUCE, "index-range", 1 << 20, 50), cell(Collective.BARRIER, "tree", 0, 0.5),
                        cell(Collective.BARRIER, "flat", 0, 1));
        String text = TuningRules.text(cells, cell -> Catalogue.find(cell.collective(), "flat"));
        assertThat(text).isEqualTo("""
                # algorithms that take at least 5 % less time than Tutti's choices
                1x2: barrier=tree:0-    # 0.50 µs; flat 1.00 µs
                1x2: reduce=srm@4k:1k-64k    # 8.00 µs; flat 10.00 µs
                1x2: reduce=index-range:1m-    # 50.00 µs; flat 500.25 µs
                """);
        Choice choice = Choice.parse(TuningFile.read(Files.writeString(directory.resolve("rules"), text).toString()));
        assertThat(name(choice, Collective.REDUCE, "1x2", 1023)).isEqualTo("flat");
        assertThat(name(choice, Collective.REDUCE, "1x2", 1024)).isEqualTo("srm@4k");
        assertThat(name(choice, Collective.REDUCE, "1x2", 65535)).isEqualTo("srm@4k");
        assertThat(name(choice, Collective.REDUCE, "1x2", 65536))
                .isEqualTo(name(Choice.DEFAULT, Collective.REDUCE, "1x2", 65536));
        assertThat(name(choice, Collective.REDUCE, "1x2", 1 << 20)).isEqualTo("index-range");
        assertThat(name(choice, Collective.BARRIER, "1x2", 0)).isEqualTo("tree");
        assertThat(name(choice, Collective.BARRIER, "1x4", 0)).isEqualTo("flat");
    }

    @Test
    void shouldWriteACommentIfNothingIsFaster() {
        assertThat(TuningRules.text(List.of(cell(Collective.BARRIER, "flat", 0, 1)),
                cell -> Catalogue.find(cell.collective(), "flat")))
                .isEqualTo("# algorithms that take at least 5 % less time than Tutti's choices: none\n");
    }
}
