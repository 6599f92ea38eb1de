/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The report on the terminal. */
class ReportTextTest {
    @Test
    void shouldPrintOneReadablePage() {
        var job = RecordedJob.ofRanks(2).collective(0, "barrier", 1, 100, 300, 150)
                .collective(1, "barrier", 1, 290, 300, 0).end(0, 1_000_000).end(1, 1_000_000)
                .event("rank 1 failed: its process was killed by signal 9");
        assertThat(String.join("\n", ReportText.of(Analysis.of(job.recording())))).isEqualTo("""
                job 7-job: 2 ranks on 1 node, 1 s, 2 calls
                rank 1 failed: its process was killed by signal 9

                  rank  computing   calling   waiting      came last   late by others waited
                     0    100.0 %     0.0 %     0.0 %          0.0 %         -          0 ns
                     1    100.0 %     0.0 %     0.0 %        100.0 %    190 µs        190 µs

                group      call                    bytes     calls     time  waiting algorithm
                world      barrier                   8 B         2   210 µs   71.4 % flat

                - Nothing stands out: no rank is late as a rule, and no calls could be combined.""");
    }

    @Test
    void shouldFitOnAPageWhateverTheJob() {
        var job = RecordedJob.ofRanks(1000);
        for (int call = 0; call < 60; call++) {
            for (int rank = 0; rank < 1000; rank++) {
                job.collective(rank, "all-to-all-" + call, "a-very-long-algorithm@240k", 3L << call, call + 1,
                        1000L * call + rank, 1000L * call + 1000, 500);
            }
        }
        IntStream.range(0, 20).forEach(i -> job.event("rank " + i + " failed: " + "because ".repeat(40)));
        var lines = ReportText.of(Analysis.of(job.recording()));
        assertThat(lines).hasSizeLessThanOrEqualTo(50).allMatch(line -> line.length() <= 80);
        assertThat(lines).contains("The others waited less for the 988 other ranks.");
    }

    @Test
    void shouldWriteFiguresWithUnits() {
        assertThat(IntStream.of(0, 999, 1000, 1240, 99_940, 99_960, 1_234_567).mapToObj(Units::time))
                .containsExactly("0 ns", "999 ns", "1 µs", "1.2 µs", "99.9 µs", "100 µs", "1.2 ms");
        assertThat(IntStream.of(0, 1023, 1024, 1536, 65536, 1_200_000_000).mapToObj(Units::bytes))
                .containsExactly("0 B", "1,023 B", "1 KiB", "1.5 KiB", "64 KiB", "1.1 GiB");
    }
}
