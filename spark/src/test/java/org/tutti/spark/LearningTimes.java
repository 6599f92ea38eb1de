/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Serializable;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Map;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Measures the tables of docs/spark.md: seconds a step of {@link LogisticRegression} or of {@link KMeans}, and the cost
 * of entering a stage. It starts a standalone cluster of two executors with two slots each. The second executor has a
 * memory directory of its own if one is given: {@code LearningTimes (logistic-regression | k-means) [/dev/shm/other]}.
 */
final class LearningTimes {
    private static final int PARTITIONS = 4;
    private static final int[] LENGTHS = {1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20};
    private static final int FEATURES_MAX = 1 << 20;
    private static final int POINTS_MAX = 64;
    private static final int REPEATS = 5;
    private static final int STAGES = 31;
    private static final double TOLERANCE = 1e-9;

    /** The program that is timed. */
    private interface Learner {
        double[] learn(int steps);
    }

    private LearningTimes() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, String> second = arguments.length < 2 ? Map.of() : Map.of("TUTTI_MEMORY", arguments[1]);
        try (var cluster = StandaloneCluster.start(Files.createTempDirectory("tutti-spark"), second)) {
            String jars = cluster.jarsOfProgram();
            try (var spark = new JavaSparkContext(new SparkConf().setMaster(cluster.url()).setAppName("learning")
                    .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
                    .set("spark.executor.memory", "900m").set("spark.jars", jars)
                    .set("spark.driver.maxResultSize", "0")
                    .set("spark.executor.extraJavaOptions", "--add-modules jdk.incubator.vector")
                    .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s"))) {
                entering(spark);
                for (int length : LENGTHS) {
                    switch (arguments[0]) {
                        case "logistic-regression" -> regress(spark, length);
                        case "k-means" -> cluster(spark, length);
                        default -> throw new IllegalArgumentException(arguments[0]);
                    }
                }
            }
        }
    }

    private static int perPartition(int length) {
        return Math.clamp(FEATURES_MAX / length, 1, POINTS_MAX);
    }

    private static void regress(JavaSparkContext spark, int length) {
        var points = LogisticRegression.points(spark, length, perPartition(length), PARTITIONS);
        measure(length, steps -> LogisticRegression.byTreeAggregate(points, length, steps),
                steps -> LogisticRegression.byAllreduce(points, length, steps));
        points.unpersist(true);
    }

    private static void cluster(JavaSparkContext spark, int length) {
        var points = KMeans.points(spark, length, perPartition(length), PARTITIONS);
        measure(length, steps -> KMeans.byTreeAggregate(points, length, steps),
                steps -> KMeans.byAllreduce(points, length, steps));
        points.unpersist(true);
    }

    private static void measure(int length, Learner tree, Learner ranks) {
        double[] expected = tree.learn(3);
        double[] actual = ranks.learn(3);
        for (int i = 0; i < length; i++) {
            if (Math.abs(expected[i] - actual[i]) > TOLERANCE * Math.max(Math.abs(expected[i]), 1e-3)) {
                throw new IllegalStateException("element " + i + " is " + expected[i] + " and " + actual[i]);
            }
        }
        double[] treeSeconds = new double[REPEATS];
        double[] rankSeconds = new double[REPEATS];
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            treeSeconds[repeat] = secondsAStep(tree, 2, 12);
            rankSeconds[repeat] = secondsAStep(ranks, 10, 210);
        }
        System.out.printf("%,9d doubles, %d points a rank: treeAggregate %.4f s, allreduce %.5f s, %.0f times%n",
                length, perPartition(length), median(treeSeconds), median(rankSeconds),
                median(treeSeconds) / median(rankSeconds));
    }

    /** What more steps take, without what it takes to begin. */
    private static double secondsAStep(Learner learner, int few, int many) {
        long start = System.nanoTime();
        learner.learn(few);
        long between = System.nanoTime();
        learner.learn(many);
        return (System.nanoTime() - between - (between - start)) / 1e9 / (many - few);
    }

    private static void entering(JavaSparkContext spark) {
        JavaRDD<Integer> four = spark.parallelize(Arrays.asList(0, 1, 2, 3), PARTITIONS);
        ClassTag<Integer> any = ClassTag$.MODULE$.apply(Object.class);
        double[] empty = new double[STAGES];
        double[] ranks = new double[STAGES];
        for (int stage = -STAGES; stage < STAGES; stage++) {
            long start = System.nanoTime();
            JavaRDD.fromRDD(four.rdd().barrier().mapPartitions(
                    (Function1<Iterator<Integer>, Iterator<Integer>> & Serializable) partition -> partition, false,
                    any), any).collect();
            long between = System.nanoTime();
            TuttiSpark.of(four).barrier((job, _) -> job.rank());
            if (stage >= 0) {
                empty[stage] = (between - start) / 1e9;
                ranks[stage] = (System.nanoTime() - between) / 1e9;
            }
        }
        System.out.printf("an empty barrier stage %.4f s, one of ranks %.4f s%n", median(empty), median(ranks));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
