/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.tool.page.WrittenPage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** The page of a benchmark, with ratios computed by hand. */
class BenchPageTest {
    private static final String MEANS = "All operations, geometric mean over the sizes";

    @TempDir
    private Path directory;

    private WrittenPage page(String... csv) throws Exception {
        var file = directory.resolve("page.html");
        BenchPage.of(List.of(csv), List.of("bench")).write("--html", file);
        return new WrittenPage(file);
    }

    @Test
    void shouldDivideByTheChosenAlgorithm() throws Exception {
        var page = page(BenchCommand.CSV_COLUMNS, "tutti,barrier,one node,2,0,2.0,1.0,3.0,17,0.0",
                "tutti flat,barrier,one node,2,0,3.0,1.0,4.0,17,0.0", "tutti,allreduce,one node,2,8,1.0,1.0,1.0,9,0.5",
                "tutti flat,allreduce,one node,2,8,8.0,1.0,1.0,9,0.5",
                "tutti,allreduce,one node,2,1024,4.0,1.0,1.0,9,0.5",
                "tutti flat,allreduce,one node,2,1024,2.0,1.0,1.0,9,0.5",
                "tutti ring,allreduce,one node,2,1024,6.0,1.0,1.0,9,0.5",
                "tutti,scan,one node,2,8,6.0,1.0,1.0,9,0.5");
        assertThat(page.titles()).containsExactly(MEANS, "allreduce over bytes", "allreduce, µs over bytes",
                "Operations of one size");
        assertThat(page.groups(MEANS)).as("operations with several contenders").containsExactly("barrier", "allreduce");
        assertThat(page.series(MEANS)).containsExactly("tutti", "tutti flat", "tutti ring");
        assertThat(page.values(MEANS, "tutti flat").get(0)).isEqualTo(1.5);
        assertThat(page.values(MEANS, "tutti flat").get(1)).isCloseTo(2, within(1e-12)); // of 8 and 0.5
        assertThat(page.values(MEANS, "tutti ring").getFirst()).isNaN();
        assertThat(page.groups("allreduce over bytes")).containsExactly("8", "1k");
        assertThat(page.values("allreduce over bytes", "tutti")).containsExactly(1.0, 1.0);
        assertThat(page.values("allreduce over bytes", "tutti ring").getFirst()).isNaN();
        assertThat(page.values("allreduce over bytes", "tutti ring").getLast()).isCloseTo(1.5, within(1e-12));
        assertThat(page.values("allreduce, µs over bytes", "tutti").getLast()).isCloseTo(4, within(1e-12));
        assertThat(page.rows()).hasSize(8).contains(List.of("tutti", "barrier", "one node", "2", "0", "2.000", "1.000",
                "3.000", "17", "0.000"));
    }

    @Test
    void shouldHaveTimesWithoutRatiosOfALoneContender() throws Exception {
        var page = page(BenchCommand.CSV_COLUMNS, "tutti,latency,one node,2,8,0.0,0.0,0.0,17,0.0",
                "tutti,latency,one node,2,64,0.5,0.4,0.6,17,0.0");
        assertThat(page.titles()).containsExactly("latency, µs over bytes");
        assertThat(page.values("latency, µs over bytes", "tutti").getFirst()).as("too short to be measured")
                .isPositive().isLessThan(0.001);
    }

    @Test
    void shouldShowEachPercentile() throws Exception {
        var page = page(BenchCommand.PERCENTILES_CSV_COLUMNS, "tutti,scan,2 nodes,4,8,1.0,5.0,9.0,100,0.1",
                "tutti ring,scan,2 nodes,4,8,2.0,5.0,3.0,100,0.1");
        assertThat(page.groups("All operations, geometric mean over the sizes")).containsExactly("scan p50", "scan p99",
                "scan p99.9");
        assertThat(page.values(MEANS, "tutti ring").get(0)).isCloseTo(2, within(1e-12));
        assertThat(page.values(MEANS, "tutti ring").get(2)).isCloseTo(1 / 3.0, within(1e-12));
    }
}
