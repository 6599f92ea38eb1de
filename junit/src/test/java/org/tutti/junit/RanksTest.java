/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.opentest4j.AssertionFailedError;
import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.RankFailedException;
import org.tutti.Reduction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

class RanksTest {
    private static TestExecutionResult result(String name) {
        return TestRuns.of(Examples.class, name);
    }

    private static Throwable failure(String method) {
        assertThat(result(method).getStatus()).isEqualTo(TestExecutionResult.Status.FAILED);
        return result(method).getThrowable().orElseThrow();
    }

    @Test
    @Ranks(4)
    void shouldGiveEachRankItsJobAndWorld(Job job, Communicator world) {
        assertThat(job.size()).isEqualTo(4);
        assertThat(world.rank()).isEqualTo(job.rank());
        assertThat(world.allreduce(1L << world.rank(), Reduction.SUM)).isEqualTo(0b1111);
    }

    @Test
    @Ranks(2)
    void shouldLeaveOtherParametersAsTheyAre(@TempDir Path directory, Communicator world) {
        assertThat(directory).isDirectory();
        assertThat(world.size()).isEqualTo(2);
    }

    @RepeatedTest(2)
    @Ranks(3)
    void shouldRunWhatIsRepeated(Communicator world) {
        assertThat(world.size()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 7})
    @Ranks(3)
    void shouldRunWhatHasParameters(long value, Communicator world) {
        assertThat(world.allreduce(value, Reduction.SUM)).isEqualTo(value + value + value);
    }

    @Test
    void shouldTakeTheRanksOfTheClass() {
        Examples.SEEN.clear();
        assertThat(result("ofClass").getStatus()).isEqualTo(TestExecutionResult.Status.SUCCESSFUL);
        assertThat(Examples.SEEN).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void shouldTakeTheRanksOfTheClassAroundIt() {
        Examples.SEEN.clear();
        assertThat(TestRuns.of(Examples.Inner.class, "ofClassAround").getStatus())
                .isEqualTo(TestExecutionResult.Status.SUCCESSFUL);
        assertThat(Examples.SEEN).containsExactlyInAnyOrder(10, 11);
    }

    @Test
    void shouldRefuseAFactoryOfTests() {
        assertThat(failure("factory")).isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageContaining("@TestFactory").hasMessageContaining("factory()");
    }

    @Test
    void shouldFailWithTheValuesOfTheRankThatFailedFirst() {
        assertThat(failure("wrong")).isInstanceOfSatisfying(AssertionFailedError.class, failure -> {
            assertThat(failure).hasMessageStartingWith("rank 2: ").hasMessageContaining("expected: <5> but was: <6>");
            assertThat(failure.getExpected().getValue()).isEqualTo(5L);
            assertThat(failure.getActual().getValue()).isEqualTo(6L);
        });
    }

    @Test
    void shouldFailWithTheExceptionOfTheRankThatThrew() {
        assertThat(failure("throwing")).isInstanceOf(AssertionError.class)
                .hasMessage("rank 1: java.lang.IllegalStateException: no data")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldSayThatARankLeftTooEarly() {
        assertThat(failure("leaving")).isInstanceOf(AssertionError.class).hasMessageStartingWith("rank ")
                .hasCauseInstanceOf(RankFailedException.class);
    }

    @Test
    void shouldAbortByAnAssumption() {
        assertThat(result("assuming").getStatus()).isEqualTo(TestExecutionResult.Status.ABORTED);
    }

    @Test
    void shouldRefuseANumberThatIsNone() {
        assertThat(failure("none")).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not 0");
    }

    /** The test classes that the tests run. */
    @Tag("example")
    @Ranks(2)
    static class Examples {
        static final Set<Integer> SEEN = ConcurrentHashMap.newKeySet();

        @Test
        void ofClass(Job job) {
            SEEN.add(job.rank());
        }

        @Test
        @Ranks(4)
        void wrong(Communicator world) {
            long sum = world.allreduce((long) world.rank(), Reduction.SUM);
            if (world.rank() == 2) {
                assertEquals(5, sum);
            }
            world.barrier();
        }

        @Test
        @Ranks(4)
        void throwing(Communicator world) {
            if (world.rank() == 1) {
                throw new IllegalStateException("no data");
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
        void assuming(Communicator world) {
            Assumptions.assumeTrue(world.rank() != 1, "rank 1 has nothing to test");
            world.barrier();
        }

        @Test
        @Ranks(0)
        void none() {
            throw new IllegalStateException("it runs on no rank");
        }

        @TestFactory
        List<DynamicTest> factory() {
            return List.of();
        }

        @Nested
        class Inner {
            @Test
            void ofClassAround(Job job) {
                SEEN.add(10 * (job.size() - 1) + job.rank());
            }
        }
    }
}
