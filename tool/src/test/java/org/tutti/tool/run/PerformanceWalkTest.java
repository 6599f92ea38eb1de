/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.tool.CommandProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** The walk of docs/performance.md: a program with two faults, its report, the mended program, its report. */
@Timeout(300)
class PerformanceWalkTest {
    private static final Path PROGRAM = Path.of("").toAbsolutePath().getParent()
            .resolve("examples/PairDistances.java");

    private static final int STEPS = 60;
    private static final int SLOW_CALLS = 64 * STEPS + 1; // one for each class, and one after the steps

    @TempDir
    private Path directory;

    /** Runs the program, which compares its sums with a plain count, and returns its report without line breaks. */
    private String reportOf(String way, String share) throws Exception {
        Path recordings = directory.resolve(way);
        try (var launcher = LauncherProcess.run(directory, "-n", "2", "--record", recordings.toString(),
                PROGRAM.toString(), way, "3000", Integer.toString(STEPS))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("3000 points, 2 ranks, " + way
                    + ": a step in \\d+\\.\\d\\d ms, " + share
                    + " % of the pairs at the busiest rank; the counts are right\n");
        }
        var report = CommandProcess.runShared("report", recordings.toString());
        assertThat(report.status()).as(report.err()).isZero();
        return report.out().replaceAll("\\s+", " ");
    }

    @Test
    void shouldNameBothFaults() throws Exception {
        String report = reportOf("slow", "75\\.0");
        assertThat(report).contains("allreduce 8 B %,d ".formatted(2 * SLOW_CALLS))
                .containsPattern("Rank 0 was the last to begin [\\d,]+ of [\\d,]+ joint calls, [^-]* of their time "
                        + "for it: give it less work, or see what slows it down there\\.")
                .containsPattern("calls of allreduce of 8 B in PairDistances:\\d+ directly follow another one like "
                        + "them, [^-]*: combine their elements into one call\\.");
    }

    @Test
    void shouldNameNoneOfThemWhenTheProgramIsMended() throws Exception {
        assertThat(reportOf("mended", "50\\.0")).contains("allreduce 512 B %,d ".formatted(2 * STEPS))
                .doesNotContain("directly follow another one");
    }
}
