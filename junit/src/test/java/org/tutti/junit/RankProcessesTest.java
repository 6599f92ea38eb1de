/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.opentest4j.AssertionFailedError;
import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.JobAbortedException;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.Tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Ranks that are processes. */
@Timeout(120)
class RankProcessesTest {
    private static final String PROPERTY = "tutti.junit.set-by-the-test";

    private static Throwable failure(String method) {
        TestExecutionResult result = TestRuns.of(Examples.class, method);
        assertThat(result.getStatus()).isEqualTo(TestExecutionResult.Status.FAILED);
        return result.getThrowable().orElseThrow();
    }

    private static List<Path> directories(long process) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("tutti-junit-" + process + "-"))
                    .toList();
        }
    }

    private static boolean isRank(ProcessHandle process) {
        return process.info().arguments().stream().flatMap(Arrays::stream).anyMatch(RankMain.class.getName()::equals);
    }

    @BeforeEach
    void setProperty() {
        if (RankMain.current().isEmpty()) {
            System.setProperty(PROPERTY, "here");
        }
    }

    @AfterEach
    void shouldLeaveNothing() throws IOException {
        if (RankMain.current().isEmpty()) {
            System.clearProperty(PROPERTY);
            assertThat(directories(ProcessHandle.current().pid())).isEmpty();
            assertThat(ProcessHandle.current().descendants().filter(RankProcessesTest::isRank)).isEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(each -> each.getName().startsWith("tutti output"));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = 7)
    @Ranks(value = 2, processes = true)
    void shouldRunEachRankInAProcessOfItsOwnWithAllThatIsAroundTheTest(long value, Job job, Communicator world,
            @TempDir Path own) {
        long process = ProcessHandle.current().pid();
        assertThat(world.allreduce(process, Reduction.MAX)).isNotEqualTo(world.allreduce(process, Reduction.MIN));
        assertThat(world.allreduce(value, Reduction.SUM)).isEqualTo(value + value);
        assertThat(world.topology().nodes()).isEqualTo(1);
        assertThat(job).isEqualTo(Tutti.join());
        assertThat(own).isDirectory();
        assertThat(System.getProperty(PROPERTY)).isEqualTo("here");
    }

    @Test
    void shouldFailWithTheValuesOfTheRankThatFailedFirst() {
        assertThat(failure("wrong")).isInstanceOfSatisfying(AssertionFailedError.class, failure -> {
            assertThat(failure).hasMessageStartingWith("rank 1: ").hasMessageContaining("expected: <5> but was: <1>");
            assertThat(failure.getExpected().getValue()).isEqualTo(5L);
            assertThat(failure.getActual().getValue()).isEqualTo(1L);
            assertThat(failure.getCause().getStackTrace()).anyMatch(frame -> frame.getMethodName().equals("wrong"));
            assertThat(failure.getSuppressed()).isEmpty();
        });
    }

    @Test
    @Tag("thorough")
    void shouldSayThatARankWasKilled() {
        assertThat(failure("killed")).isInstanceOf(AssertionError.class)
                .hasMessageMatching("rank 1: its process \\d+ was killed by signal 9 before the test had ended there; "
                        + "see what it has printed");
    }

    @Test
    @Tag("thorough")
    void shouldSayThatARankHasExited() {
        assertThat(failure("exiting")).hasMessageMatching("rank 0: its process \\d+ exited with status 3 before .*");
    }

    @Test
    @Tag("thorough")
    void shouldSayThatARankLeftTooEarlyOrAborted() {
        assertThat(failure("leaving")).isInstanceOf(AssertionError.class).hasMessageStartingWith("rank 1: ")
                .hasCauseInstanceOf(RankFailedException.class);
        assertThat(failure("aborting")).isInstanceOf(JobAbortedException.class);
    }

    @Test
    @Tag("thorough")
    void shouldAbortByAnAssumption() {
        assertThat(TestRuns.of(Examples.class, "assuming").getStatus()).isEqualTo(TestExecutionResult.Status.ABORTED);
    }

    @Test
    @Tag("thorough")
    void shouldFailWithWhatCannotBeSerialized() {
        assertThat(failure("unserializable")).isInstanceOf(AssertionError.class)
                .hasMessage("rank 1: java.lang.IllegalStateException: no data").cause()
                .satisfies(cause -> assertThat(cause.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("unserializable")))
                .hasRootCauseMessage(Unserializable.class.getName() + ": the cause");
    }

    @Test
    @Tag("thorough")
    void shouldFailWhenWhatIsBeforeTheMethodFailsInARank() {
        assertThat(TestRuns.of(Examples.Inner.class, "neverRuns").getThrowable().orElseThrow())
                .hasMessage("rank 1: java.lang.IllegalStateException: nothing is prepared");
    }

    @Test
    @Tag("thorough")
    void shouldSayWhereRanksWereWhenTheTimeIsUp() {
        Throwable failure = failure("hanging");
        assertThat(failure).isInstanceOf(TimeoutException.class);
        assertThat(failure.getSuppressed()).singleElement().satisfies(ranks -> {
            assertThat(ranks).isInstanceOf(AssertionError.class).hasMessageStartingWith("rank ");
            assertThat(ranks.getSuppressed()).singleElement().asString().contains("rank ");
        });
    }

    @Test
    @Tag("thorough")
    void shouldKillARankThatDoesNotEndWhenAnotherOneHasFailed() {
        assertThat(failure("deaf")).hasMessage("rank 1: java.lang.IllegalStateException: no data");
    }

    @Test
    @Tag("thorough")
    void shouldRefuseANumberThatIsNone() {
        assertThat(failure("none")).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not 0");
    }

    /** By -9 alone, or by a signal to it and its ranks at once, as Ctrl-C sends it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("thorough")
    void shouldPassOnWhatRanksPrintAndLeaveNothingWhenJUnitItselfIsKilled(boolean withRanks) throws Exception {
        Process junit = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dstdout.encoding=UTF-8", "-cp", System.getProperty("java.class.path"),
                RankProcessesTest.class.getName()).redirectErrorStream(true).start();
        List<ProcessHandle> ranks;
        try (BufferedReader out = junit.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.lines().filter(line -> line.matches("rank [01] of 2 hangs, \u00e4h")).limit(2))
                    .hasSize(2);
            ranks = junit.descendants().toList();
            assertThat(ranks).hasSize(2);
            if (withRanks) {
                List<String> kill = new ArrayList<>(List.of("kill", "-TERM", String.valueOf(junit.pid())));
                ranks.forEach(rank -> kill.add(String.valueOf(rank.pid())));
                assertThat(new ProcessBuilder(kill).start().waitFor()).isZero();
                assertThat(junit.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            junit.destroyForcibly().waitFor();
        }
        for (ProcessHandle rank : ranks) {
            rank.onExit().get(20, TimeUnit.SECONDS);
        }
        assertThat(directories(junit.pid())).isEmpty();
    }

    /** Is JUnit's process of the test before. */
    public static void main(String[] arguments) {
        TestRuns.of(Examples.class, "printing");
    }

    private static final class Unserializable extends Exception {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings({"unused", "serial"})
        private final Object thread = Thread.currentThread();

        private Unserializable() {
            super("the cause");
        }
    }

    /** The test classes that the tests run. */
    @Tag("example")
    @Ranks(value = 2, processes = true)
    static class Examples {
        @Test
        void wrong(Communicator world) {
            long sum = world.allreduce((long) world.rank(), Reduction.SUM);
            if (world.rank() == 1) {
                assertEquals(5, sum);
            }
            world.barrier();
        }

        @Test
        void killed(Communicator world) throws Exception {
            world.barrier();
            if (world.rank() == 1) {
                new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
            }
            world.barrier();
        }

        @Test
        void exiting(Communicator world) {
            world.barrier();
            if (world.rank() == 0) {
                System.exit(3);
            }
            world.barrier();
        }

        @Test
        void leaving(Communicator world) {
            if (world.rank() == 0) {
                world.barrier();
            }
        }

        @Test
        void aborting(Job job) {
            if (job.rank() == 1) {
                job.abort(3);
            }
            job.world().barrier();
        }

        @Test
        void assuming(Communicator world) {
            Assumptions.assumeTrue(world.rank() != 1, "rank 1 has nothing to test");
            world.barrier();
        }

        @Test
        void unserializable(Communicator world) {
            if (world.rank() == 1) {
                throw new IllegalStateException("no data", new Unserializable());
            }
            world.barrier();
        }

        @Test
        @Timeout(3)
        void hanging(Communicator world) throws InterruptedException {
            if (world.rank() == 1) {
                new CountDownLatch(1).await();
            }
            world.barrier();
        }

        @Test
        void printing(Job job) {
            System.out.println("rank " + job.rank() + " of " + job.size() + " hangs, \u00e4h");
            while (true) {
                Thread.onSpinWait();
            }
        }

        @Test
        void deaf(Job job) {
            if (job.rank() == 1) {
                throw new IllegalStateException("no data");
            }
            while (true) {
                Thread.onSpinWait();
            }
        }

        @Test
        @Ranks(value = 0, processes = true)
        void none() {
            throw new IllegalStateException("it runs on no rank");
        }

        @Nested
        class Inner {
            @BeforeEach
            void prepare() {
                if (RankMain.current().filter(rank -> rank.rank() == 1).isPresent()) {
                    throw new IllegalStateException("nothing is prepared");
                }
            }

            @Test
            void neverRuns(Communicator world) {
                world.barrier();
            }
        }
    }
}
