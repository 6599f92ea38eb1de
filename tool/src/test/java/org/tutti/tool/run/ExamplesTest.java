/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.tool.Shapes;

import static org.assertj.core.api.Assertions.assertThat;

/** The programs that newcomers start first. */
@Timeout(300)
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("").toAbsolutePath().getParent().resolve("examples");

    @TempDir
    private Path directory;

    private LauncherProcess run(String options, String example, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(options.split(" ")));
        all.add(EXAMPLES.resolve(example).toString());
        all.addAll(List.of(arguments));
        return LauncherProcess.run(directory, all.toArray(String[]::new));
    }

    @ParameterizedTest
    @Shapes({"-n 3", "-n 3 --nodes 2"})
    void shouldFindPi(String options) throws Exception {
        try (var launcher = run(options, "Pi.java")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).isEqualTo("pi is 3.141592653590, from 3 processes\n");
        }
    }

    /** The program itself compares its sums with the number of messages. */
    @ParameterizedTest
    @Shapes({"-n 2", "-n 2 --nodes 2"})
    void shouldPlayPingPong(String options) throws Exception {
        try (var launcher = run(options, "PingPong.java")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSize(6)
                    .allMatch(line -> line.matches(" *\\d+ bytes: +\\d+\\.\\d\\d microseconds one way"));
        }
    }

    /** The program compares the number of primes with that of a sieve. */
    @ParameterizedTest
    @Shapes({"-n 2", "-n 5 --nodes 2 --ranks-per-process 2", "-n 3 --nodes 2"})
    void shouldCountPrimesWithATaskFarm(String options) throws Exception {
        try (var launcher = run(options, "TaskFarm.java", "100000", "3")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out())
                    .matches("9592 primes below 100000, .*, workers: \\d+, .* ms, tasks of the ranks: "
                            + "\\[0(, \\d+)+]; the count is right\n");
        }
    }

    /** The program compares all points, bit by bit, with those of a plain computation. */
    @ParameterizedTest
    @Shapes({"-n 1", "-n 4 --nodes 4", "-n 5 --nodes 2 --ranks-per-process 2", "-n 3"})
    void shouldSpreadHeatByMessages(String options) throws Exception {
        try (var launcher = run(options, "HeatByMessages.java", "23", "40")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("23 x 23 points, .*, a step in .* ms, .* ms of them waiting; the "
                    + "temperatures are right\n");
        }
    }

    /** Each rank compares its block with that of a plain computation of the whole board. */
    @ParameterizedTest
    @Shapes({"-n 1", "-n 2", "-n 5 --nodes 2 --ranks-per-process 2", "-n 4 --nodes 2"})
    void shouldPlayTheGameOfLifeOnAGrid(String options) throws Exception {
        try (var launcher = run(options, "GameOfLife.java", "23", "40")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out())
                    .matches("23 x 23 cells, \\d x \\d ranks, .*, a generation in .* ms; the board is "
                            + "right\n");
        }
    }

    /** The program itself compares its solution with a plain one. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 5 --nodes 4", "-n 3"})
    void shouldSolveTheEllipticProblem(String options) throws Exception {
        try (var launcher = run(options, "ConjugateGradient.java", "12", "1")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().skip(3)).hasSize(4)
                    .allMatch(line -> line.matches("\\S+ +\\d\\.\\de-1\\d +\\d+\\.\\d\\d"));
        }
    }

    /** The program compares all points, bit by bit, with those that one rank has computed alone. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 1", "-n 3", "-n 5 --nodes 2 --ranks-per-process 2", "-n 4 --nodes 4"})
    void shouldSpreadHeat(String options) throws Exception {
        try (var launcher = run(options, "HeatEquation.java", "23", "40")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("23 x 23 points, .*, a step in .* ms, .* ms of them waiting; the "
                    + "temperatures are right\nlook how much of a step is waiting, .*\n");
        }
    }

    /** The program compares the product with a plain one. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 4", "-n 5 --nodes 2 --ranks-per-process 2"})
    void shouldMultiplyMatricesTaskByTask(String options) throws Exception {
        try (var launcher = run(options, "MatrixMultiplication.java", "70")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("70 x 70 doubles, .*, 27 tasks in .* ms, of the ranks: "
                    + "\\[\\d+(, \\d+)*]; the product is right\n");
        }
    }

    /** The program compares the count with that of a plain loop. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 4", "-n 5 --nodes 2 --ranks-per-process 2"})
    void shouldCountATreeByStealingWork(String options) throws Exception {
        try (var launcher = run(options, "WorkStealing.java", "200")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("\\d{4,} nodes, .*, \\d+ chunks stolen, nodes of the ranks: "
                    + "\\[\\d+(, \\d+)*]; the count is right\n");
        }
    }

    /** The program compares the order with that of a plain sort. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 3", "-n 5 --nodes 2 --ranks-per-process 2"})
    void shouldSortNumbersThatAreSpreadOverAllRanks(String options) throws Exception {
        try (var launcher = run(options, "SampleSort.java", "40000")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("\\d{6} numbers, .* in .* ms, of the ranks: \\[\\d+(, \\d+)*]; "
                    + "the order is right\n");
        }
    }

    /** The program compares the order with that of a plain sort. */
    @ParameterizedTest
    @Shapes({"-n 3", "-n 5 --nodes 2 --ranks-per-process 2", "-n 4 --nodes 4 --algorithm allgather=bruck"})
    void shouldSortKeysDigitByDigit(String options) throws Exception {
        try (var launcher = run(options, "RadixSort.java", "3001", "2")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("\\d+ keys, .*, in .* ms, .* ms of them communication, .* ms in "
                    + "allgathers; the order is right\n");
        }
    }

    /** The program compares the eigenvalue with that of a plain computation. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 3", "-n 5 --nodes 2 --ranks-per-process 2"})
    void shouldFindTheGreatestEigenvalue(String options) throws Exception {
        try (var launcher = run(options, "PowerIteration.java", "500")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("500 rows, .*, 100 iterations in .* ms, rows of the ranks: "
                    + "\\[\\d+(, \\d+)*]; the eigenvalue is \\d+\\.\\d{6}\n");
        }
    }

    /** The program compares the bodies, bit by bit, with those that one rank has moved alone. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 3", "-n 5 --nodes 2 --ranks-per-process 2", "-n 4 --nodes 4 --algorithm allgather=bruck"})
    void shouldMoveBodiesThatAttractEachOther(String options) throws Exception {
        try (var launcher = run(options, "NBody.java", "200", "10")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("200 bodies, .*, a step in .* ms, .* ms of them communication, .* ms in "
                    + "short allgathers; the bodies are right, and the energy has changed by \\d\\.\\de-\\d+\n");
        }
    }

    /** The program compares the weights of both ways with those that one rank has found alone. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 3", "-n 5 --nodes 2 --ranks-per-process 2"})
    void shouldFindTheWeightsOfARegression(String options) throws Exception {
        try (var launcher = run(options, "LogisticRegression.java", "1003", "17", "5")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).matches("17 rows of 1003 features, .*, a step in .* ms, with overlap .* ms; "
                    + "the weights are right\nlook what overlap gains .*\n");
        }
    }
}
