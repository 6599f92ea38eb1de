/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.Tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

/** Spark in one process, with four slots. */
@Timeout(120)
class LocalSparkTest {
    private static final int SLOTS = 4;
    private static final long NUMBERS = 1000;
    private static final long GRACE_MILLIS = 1500;

    /** By key: ranks run in this process, but what they refer to is serialized. */
    private static final ConcurrentHashMap<String, CountDownLatch> LATCHES = new ConcurrentHashMap<>();
    private static final ConcurrentHashMap<Integer, String> ENDS = new ConcurrentHashMap<>();

    private static final AtomicInteger COUNTS = new AtomicInteger();

    private static JavaSparkContext spark;

    @BeforeAll
    static void start() {
        spark = new JavaSparkContext(new SparkConf().setMaster("local[" + SLOTS + "]").setAppName("tutti")
                .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
                .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
                .set("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "1"));
    }

    @AfterAll
    static void stop() throws IOException {
        spark.stop();
        assertThat(Thread.getAllStackTraces().keySet()).noneMatch(thread -> thread.getName().startsWith("tutti"));
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("tutti-spark-"));
        }
    }

    private static JavaRDD<Long> numbers(int partitions) {
        return spark.parallelize(LongStream.range(0, NUMBERS).boxed().toList(), partitions);
    }

    @Test
    void shouldMakeARankOfEachTask() {
        List<long[]> sums = TuttiSpark.of(numbers(SLOTS)).barrier((job, partition) -> {
            long sum = 0;
            while (partition.hasNext()) {
                sum += partition.next();
            }
            return new long[]{job.rank(), job.size(), sum, job.world().allreduce(sum, Reduction.SUM)};
        });
        assertThat(sums).hasSize(SLOTS);
        long part = NUMBERS / SLOTS;
        for (int rank = 0; rank < SLOTS; rank++) {
            long mine = LongStream.range(rank * part, (rank + 1) * part).sum();
            assertThat(sums.get(rank)).containsExactly(rank, SLOTS, mine, NUMBERS * (NUMBERS - 1) / 2);
        }
    }

    @Test
    void shouldAddUpAsTheDocumentSays() throws IOException {
        var numbers = spark.parallelize(List.of(1L, 2L, 3L, 4L), 4);
        List<Long> sums = TuttiSpark.of(numbers).barrier((job, partition) -> {
            long mine = 0;
            while (partition.hasNext()) {
                mine += partition.next();
            }
            return job.world().allreduce(mine, Reduction.SUM);
        });
        assertThat(sums).containsExactly(10L, 10L, 10L, 10L);
        String source = Files.readString(Path.of("src/test/java/org/tutti/spark/LocalSparkTest.java"));
        List<String> document = Files.readAllLines(Path.of("../docs/spark.md")).stream()
                .filter(line -> line.startsWith("        "))
                .map(line -> line.replaceFirst("//.*", "").strip()).toList();
        assertThat(document).hasSize(8).allSatisfy(line -> assertThat(source).contains(line));
    }

    @Test
    void shouldTakeAnRddOfScala() {
        assertThat(TuttiSpark.of(numbers(2).rdd()).barrier((job, _) -> job.size())).containsExactly(2, 2);
    }

    @Test
    void shouldBeTheJobThatTheProgramJoins() {
        assertThat(TuttiSpark.of(numbers(2)).barrier((job, _) -> job.equals(Tutti.join()))).containsExactly(true, true);
    }

    @Test
    void shouldReturnNothingWhereARankHasNothing() {
        assertThat(TuttiSpark.of(numbers(2)).<String>barrier((job, _) -> job.rank() == 0 ? "one" : null))
                .containsExactly("one", null);
        assertThat(TuttiSpark.of(spark.<Long>emptyRDD()).<Long>barrier((_, _) -> 1L)).isEmpty();
    }

    @Test
    void shouldRunStagesOneAfterTheOtherAndAtOnce() {
        for (int round = 0; round < 3; round++) {
            CountDownLatch all = new CountDownLatch(SLOTS);
            LATCHES.put("at once", all);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var stages = IntStream.range(0, 2).mapToObj(stage -> CompletableFuture.supplyAsync(
                        () -> TuttiSpark.of(numbers(2)).barrier((job, _) -> {
                            LATCHES.get("at once").countDown();
                            LATCHES.get("at once").await(); // for the ranks of both stages
                            return job.world().allreduce((long) stage, Reduction.SUM);
                        }), threads)).toList();
                for (int stage = 0; stage < 2; stage++) {
                    assertThat(stages.get(stage).join()).containsExactly(2L * stage, 2L * stage);
                }
            }
            assertThat(all.getCount()).isZero();
        }
    }

    @Test
    void shouldRunAStageAgainWhoseTaskFailsBeforeOrAfterItsRank() {
        COUNTS.set(0);
        JavaRDD<Long> failsFirst = numbers(2).mapPartitionsWithIndex((partition, numbers) -> {
            if (partition == 1 && COUNTS.incrementAndGet() < 3) {
                throw new IOException("attempt " + COUNTS.get());
            }
            return numbers;
        }, false);
        String text = "rank 1 failed: its task in executor driver on host \\S+ ended with java\\.io\\.IOException: ";
        assertThatThrownBy(() -> TuttiSpark.of(failsFirst).withAttempts(2).barrier((job, _) -> job.rank()))
                .isInstanceOf(RankFailedException.class).hasMessageMatching(text + "attempt 2")
                .hasCauseInstanceOf(SparkException.class)
                .satisfies(failure -> assertThat(failure.getSuppressed()).singleElement()
                        .satisfies(earlier -> assertThat(earlier).hasMessageMatching(text + "attempt 1")));
        assertThat(TuttiSpark.of(failsFirst).withAttempts(2).barrier((job, _) -> job.rank())).containsExactly(0, 1);
        COUNTS.set(0);
        RankFunction<Long, Object> returnsNoData =
                (job, _) -> COUNTS.incrementAndGet() <= 2 ? new Object() : job.rank();
        assertThat(TuttiSpark.of(numbers(2)).withAttempts(2).barrier(returnsNoData)).containsExactly(0, 1);
    }

    @Test
    void shouldFailWithTheFirstCauseInFront() {
        for (int round = 0; round < 3; round++) {
            assertThatThrownBy(() -> TuttiSpark.of(numbers(SLOTS)).barrier((job, _) -> {
                if (job.rank() == 2) {
                    throw new IllegalStateException("no data");
                }
                job.world().barrier();
                return job.rank();
            })).isInstanceOfSatisfying(RankFailedException.class, failure -> assertThat(failure.rank()).isEqualTo(2))
                    .hasMessage("rank 2 failed: java.lang.IllegalStateException: no data")
                    .hasCauseInstanceOf(SparkException.class)
                    .cause().message().contains("no data").doesNotContain("RankFailedException");
        }
        assertThat(TuttiSpark.of(numbers(SLOTS)).barrier((job, _) -> job.size())).containsOnly(SLOTS);
    }

    @Test
    void shouldRunAStageAgainAsAJobOfItsOwn() {
        COUNTS.set(0);
        RankFunction<Long, Integer> failsOnce = (job, _) -> {
            if (job.rank() == 1 && COUNTS.incrementAndGet() < 3) {
                throw new IllegalStateException("attempt " + COUNTS.get());
            }
            job.world().barrier();
            return job.rank();
        };
        assertThatThrownBy(() -> TuttiSpark.of(numbers(2)).withAttempts(2).barrier(failsOnce))
                .hasMessage("rank 1 failed: java.lang.IllegalStateException: attempt 2")
                .satisfies(failure -> assertThat(failure.getSuppressed()).singleElement()
                        .isInstanceOf(RankFailedException.class).extracting(Throwable::getMessage)
                        .isEqualTo("rank 1 failed: java.lang.IllegalStateException: attempt 1"));
        COUNTS.set(0);
        assertThat(TuttiSpark.of(numbers(2)).withAttempts(3).barrier(failsOnce)).containsExactly(0, 1);
        assertThatThrownBy(() -> TuttiSpark.of(numbers(2)).withAttempts(0)).hasMessageContaining("not 0");
    }

    @Tag("thorough")
    @Test
    void shouldRunAStageAgainWhoseRankHasLeftTooEarly() {
        COUNTS.set(0);
        RankFunction<Long, Integer> leavesOnce = (job, _) -> {
            if (job.rank() == 1 && COUNTS.incrementAndGet() == 1) {
                return -1;
            }
            job.world().barrier();
            return job.rank();
        };
        assertThatThrownBy(() -> TuttiSpark.of(numbers(2)).barrier(leavesOnce))
                .isInstanceOfSatisfying(RankFailedException.class, failure -> assertThat(failure.rank()).isEqualTo(1));
        COUNTS.set(0);
        assertThat(TuttiSpark.of(numbers(2)).withAttempts(2).barrier(leavesOnce)).containsExactly(0, 1);
    }

    @Test
    void shouldLearnTheModelThatSparkLearns() {
        var points = LogisticRegression.points(spark, 50, 20, SLOTS);
        double[] expected = LogisticRegression.byTreeAggregate(points, 50, 10);
        assertThat(expected[0]).isPositive();
        assertThat(LogisticRegression.byAllreduce(points, 50, 10)).containsExactly(expected, offset(1e-12));
    }

    @Test
    void shouldFindTheClustersThatSparkFinds() {
        var points = KMeans.points(spark, 64, 20, SLOTS);
        double[] expected = KMeans.byTreeAggregate(points, 64, 5);
        for (int cluster = 0; cluster < KMeans.CLUSTERS; cluster++) {
            assertThat(expected[cluster * 16 + cluster]).isCloseTo(64, offset(1.0));
        }
        assertThat(KMeans.byAllreduce(points, 64, 5)).containsExactly(expected, offset(1e-12));
    }

    @Test
    void shouldInterruptRanksThatAreCancelled() throws Exception {
        CountDownLatch in = new CountDownLatch(3);
        LATCHES.put("cancelled", in);
        ENDS.clear();
        var stage = CompletableFuture.supplyAsync(() -> {
            spark.setJobGroup("cancelled", "ranks that wait");
            return TuttiSpark.of(numbers(3)).withAttempts(2).barrier((job, _) -> {
                try {
                    LATCHES.get("cancelled").countDown();
                    if (job.rank() == 0) {
                        new CountDownLatch(1).await(); // and not in any call of Tutti's
                    }
                    job.world().barrier();
                } catch (Throwable end) {
                    ENDS.put(job.rank(), end.toString());
                    throw end;
                }
                return 0;
            });
        });
        assertThat(in.await(60, TimeUnit.SECONDS)).isTrue();
        spark.cancelJobGroup("cancelled");
        assertThatThrownBy(stage::join).cause().isInstanceOf(SparkException.class).hasMessageContaining("cancelled");
        while (ENDS.size() < 3) {
            Thread.sleep(1);
        }
        assertThat(ENDS.get(0)).contains("InterruptedException");
    }

    @Test
    void shouldRefuseMorePartitionsThanAJobHasRanks() {
        var many = TuttiSpark.of(spark.<Long>emptyRDD().repartition(4097));
        assertThatThrownBy(() -> many.barrier((job, _) -> job.rank())).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the RDD has 4097 partitions, but a job has at most 4096 ranks; repartition it");
    }

    @Test
    void shouldLeaveItToSparkToSayThatThereAreTooFewSlots() {
        assertThatThrownBy(() -> TuttiSpark.of(numbers(SLOTS + 1)).barrier((job, _) -> job.rank()))
                .isInstanceOf(SparkException.class).hasMessageContaining("requires more slots");
    }

    @Test
    void shouldLeaveItToSparkToSayThatPartitionsAreNotThoseOfTheTasks() {
        assertThatThrownBy(() -> TuttiSpark.of(numbers(SLOTS).coalesce(2)).barrier((job, _) -> job.rank()))
                .isInstanceOf(SparkException.class).hasMessageContaining("RDD chain");
    }

    @Test
    void shouldEndTheCallsOfAnAbortedJobAndNotTheProcess() {
        assertThatThrownBy(() -> TuttiSpark.of(numbers(2)).barrier((job, _) -> {
            try {
                if (job.rank() == 1) {
                    job.abort(3);
                }
                job.world().barrier();
            } finally {
                Thread.sleep(GRACE_MILLIS); // by then a process that was started for the job has ended
            }
            return 0;
        })).isInstanceOf(RankFailedException.class).hasMessageStartingWith("rank 1 failed: ")
                .hasMessageEndingWith("rank 1 aborted the job with status 3");
    }
}
