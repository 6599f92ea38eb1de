/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Job;
import org.tutti.RankFailedException;
import org.tutti.Reduction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Spark with two executors, processes of this host, that have two slots each. */
@Timeout(180)
class ClusterSparkTest {
    private static final int RANKS = 4;
    private static final int LENGTH = 100_000;
    private static final String JOIN_TIMEOUT_MILLIS = "8000";

    /** How the kernel writes that a socket listens. */
    private static final String LISTENS = "0A";

    @TempDir
    private Path markers;

    private static Path memory;
    private static StandaloneCluster cluster;
    private static String jars;

    /** The observations of a rank. */
    private record Seen(long process, int nodes, boolean hasWorldsSum, String loader) implements Serializable {}

    @BeforeAll
    static void start() throws IOException {
        memory = Files.createTempDirectory(Path.of("/dev/shm"), "tutti-test");
        cluster = StandaloneCluster.start(Files.createTempDirectory("tutti-spark"),
                Map.of("TUTTI_MEMORY", memory.toString()));
        jars = cluster.jarsOfProgram();
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
        assertThat(filesLeft()).isEmpty();
        Files.delete(memory);
    }

    private static List<String> filesLeft() throws IOException {
        try (Stream<Path> here = Files.list(Path.of("/dev/shm")); Stream<Path> there = Files.list(memory)) {
            return Stream.concat(here, there).map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("tutti-spark-")).toList();
        }
    }

    private static JavaSparkContext connect(Map<String, String> more) {
        SparkConf conf = new SparkConf().setMaster(cluster.url()).setAppName("tutti").set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1").set("spark.executor.memory", "512m")
                .set("spark.jars", jars)
                .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
                .set("spark.executor.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        more.forEach(conf::set);
        return new JavaSparkContext(conf);
    }

    private static JavaRDD<Long> numbers(JavaSparkContext spark) {
        return spark.parallelize(LongStream.range(0, RANKS).boxed().toList(), RANKS);
    }

    private static Seen see(Job job) {
        long[] values = new long[LENGTH];
        for (int round = 0; round < 20; round++) {
            Arrays.fill(values, 1L << job.rank());
            job.world().allreduce(values, Reduction.SUM);
        }
        return new Seen(ProcessHandle.current().pid(), job.world().topology().nodes(),
                Arrays.stream(values).allMatch(sum -> sum == (1 << RANKS) - 1),
                job.getClass().getClassLoader().getClass().getName());
    }

    private static void requireKilledExecutorIsNamed(JavaSparkContext spark) {
        assertThatThrownBy(() -> TuttiSpark.of(numbers(spark)).barrier((job, _) -> {
            job.world().barrier();
            if (job.rank() == 3) {
                new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
            }
            job.world().barrier();
            return 0;
        })).isInstanceOf(RankFailedException.class).hasMessageContaining(" was lost: its task in executor ")
                .hasMessageContaining("on host 127.0.0.1").hasCauseInstanceOf(SparkException.class);
    }

    private static void requireATaskThatNeverComesEndsTheStage(JavaSparkContext spark) {
        JavaRDD<Long> stuck = numbers(spark).mapPartitionsWithIndex((partition, numbers) -> {
            while (partition == 1 && !TaskContext.get().isInterrupted()) { // until Spark gives it up
                Thread.sleep(10);
            }
            return numbers;
        }, false);
        assertThatThrownBy(() -> TuttiSpark.of(stuck).barrier((job, _) -> job.rank()))
                .isInstanceOf(RankFailedException.class).hasMessageContaining("JobStartException: rank ")
                .hasMessageContaining(" waited " + JOIN_TIMEOUT_MILLIS + " ms at the driver for all 4 ranks")
                .hasMessageContaining("; those that did not come: rank 1 in executor ");
    }

    private static void requireTwoExecutors(JavaSparkContext spark, int nodes) {
        List<Seen> seen = TuttiSpark.of(numbers(spark)).barrier((job, _) -> see(job));
        assertThat(seen).hasSize(RANKS).allMatch(Seen::hasWorldsSum).allMatch(rank -> rank.nodes() == nodes);
        assertThat(seen).allMatch(rank -> rank.loader().equals("org.apache.spark.util.MutableURLClassLoader"));
        Set<Long> processes = new TreeSet<>(seen.stream().map(Seen::process).toList());
        assertThat(processes).hasSize(2).doesNotContain(ProcessHandle.current().pid());
    }

    @Test
    @Tag("thorough")
    void shouldShareMemoryBetweenExecutorsOfAHost() throws Exception {
        try (var spark = connect(Map.of("spark.executorEnv.TUTTI_MEMORY", "/dev/shm",
                "spark.executorEnv.TUTTI_JOIN_TIMEOUT_MILLIS", JOIN_TIMEOUT_MILLIS))) {
            requireTwoExecutors(spark, 1);
            requireATaskThatNeverComesEndsTheStage(spark);
            requireTwoExecutors(spark, 1);
            requireKilledExecutorIsNamed(spark);
            requireTwoExecutors(spark, 1);
        }
    }

    @Test
    @Tag("thorough")
    void shouldConnectExecutorsThatShareNoMemoryAndOutliveOneThatIsKilled() throws Exception {
        try (var spark = connect(Map.of())) {
            requireTwoExecutors(spark, 2); // they have come
            Set<String> before = holdings(spark);
            assertThat(before).hasSize(2).allMatch(holding -> holding.contains(" [] "));
            requireTwoExecutors(spark, 2);
            assertThat(holdings(spark)).isEqualTo(before);
            requireKilledExecutorIsNamed(spark);
            requireTwoExecutors(spark, 2);
        }
    }

    /** Kills its process when it is serialized the first time, which is when its rank has returned. */
    private record Deadly(String marker) implements Serializable {
        @Serial
        private Object writeReplace() {
            killOnce(marker);
            return this;
        }
    }

    /** Kills this process, unless the file is there. */
    private static void killOnce(String marker) {
        try {
            Files.createFile(Path.of(marker));
            new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        } catch (FileAlreadyExistsException _) {
            return; // it was killed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private String marker(String name) {
        return markers.resolve(name).toString();
    }

    private static JavaRDD<Long> killing(JavaRDD<Long> numbers, String marker) {
        return numbers.mapPartitionsWithIndex((partition, elements) -> {
            if (partition == 3) {
                killOnce(marker);
            }
            return elements;
        }, false);
    }

    @Test
    @Tag("thorough")
    void shouldRunAStageAgainWheneverAnExecutorIsLost() {
        try (var spark = connect(Map.of())) {
            requireTwoExecutors(spark, 2); // they have come
            String lost = "rank \\d was lost: its task in executor \\d+ on host 127\\.0\\.0\\.1 has gone .*";
            var before = killing(numbers(spark), marker("before its rank has come"));
            assertThatThrownBy(() -> TuttiSpark.of(before).barrier((job, _) -> job.rank()))
                    .isInstanceOf(RankFailedException.class).hasMessageMatching(lost)
                    .hasCauseInstanceOf(SparkException.class);
            var again = killing(numbers(spark), marker("before its rank has come, again"));
            assertThat(TuttiSpark.of(again).withAttempts(3).barrier((job, _) -> job.rank()))
                    .containsExactly(0, 1, 2, 3);
            String returned = marker("when its result is on its way");
            assertThat(TuttiSpark.of(numbers(spark)).withAttempts(3).barrier((_, _) -> new Deadly(returned)))
                    .hasSize(RANKS);
            String amid = marker("amid a call");
            assertThat(TuttiSpark.of(numbers(spark)).withAttempts(3).barrier((job, _) -> {
                job.world().barrier();
                if (job.rank() == 3) {
                    killOnce(amid);
                }
                job.world().barrier();
                return job.rank();
            })).containsExactly(0, 1, 2, 3);
            assertThat(markers).isDirectoryContaining("glob:**amid*");
        }
    }

    /** What each executor has: its number, the threads of ours, and the ports that it listens at. */
    private static Set<String> holdings(JavaSparkContext spark) {
        return new TreeSet<>(numbers(spark).map(_ -> ProcessHandle.current().pid() + " "
                + Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                        .filter(name -> name.startsWith("tutti")).sorted().toList()
                + " " + listening()).collect());
    }

    private static List<String> listening() throws IOException {
        List<String> sockets;
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            sockets = files.map(ClusterSparkTest::target).filter(target -> target.startsWith("socket:"))
                    .map(target -> target.replaceAll("\\D", "")).toList();
        }
        List<String> ports = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            Files.readAllLines(Path.of("/proc/self/net/" + table)).stream().map(line -> line.strip().split(" +"))
                    .filter(fields -> fields[3].equals(LISTENS) && sockets.contains(fields[9]))
                    .forEach(fields -> ports.add(fields[1]));
        }
        return ports;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (NoSuchFileException _) {
            return ""; // closed meanwhile
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("thorough")
    void shouldLeaveItToSparkToRefuseDynamicAllocation() {
        try (var spark = connect(Map.of("spark.dynamicAllocation.enabled", "true",
                "spark.dynamicAllocation.shuffleTracking.enabled", "true"))) {
            assertThatThrownBy(() -> TuttiSpark.of(numbers(spark)).barrier((job, _) -> job.rank()))
                    .isInstanceOf(SparkException.class).hasMessageContaining("dynamic resource allocation");
        }
    }
}
