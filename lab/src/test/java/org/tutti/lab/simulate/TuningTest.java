/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.lab.simulate.Measurements.Cell;

import static org.assertj.core.api.Assertions.assertThat;

/** Proposals and best chunks against what is known of invented figures. */
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
}
