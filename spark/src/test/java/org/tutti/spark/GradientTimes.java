/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.tutti.spark.LogisticRegression.Point;
import scala.Function1;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Measures the table of docs/spark.md: seconds a step of {@link LogisticRegression}, and what entering a stage costs.
 * It starts a standalone cluster of two executors with two slots each, whose second one has a memory directory of its
 * own if one is given: {@code GradientTimes [/dev/shm/other]}.
 */
final class GradientTimes {
    private static final int PARTITIONS = 4;
    private static final int[] LENGTHS = {1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20};
    private static final int FEATURES_MAX = 1 << 20;
    private static final int POINTS_MAX = 64;
    private static final int REPEATS = 5;
    private static final int STAGES = 31;
    private static final double TOLERANCE = 1e-9;

    /** What is timed. */
    private interface Descent {
        double[] run(JavaRDD<Point> points, int length, int steps);
    }

    private GradientTimes() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, String> second = arguments.length == 0 ? Map.of() : Map.of("TUTTI_MEMORY", arguments[0]);
        try (var cluster = StandaloneCluster.start(Files.createTempDirectory("tutti-spark"), second)) {
            Path jar = cluster.jarOfClasses();
            try (var spark = new JavaSparkContext(new SparkConf().setMaster(cluster.url()).setAppName("gradient")
                    .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
                    .set("spark.executor.memory", "900m").set("spark.jars", jar.toString())
                    .set("spark.driver.maxResultSize", "0")
                    .set("spark.executor.extraJavaOptions", "--add-modules jdk.incubator.vector")
                    .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s"))) {
                entering(spark);
                for (int length : LENGTHS) {
                    steps(spark, length);
                }
            }
        }
    }

    private static void steps(JavaSparkContext spark, int length) {
        int perPartition = Math.clamp(FEATURES_MAX / length, 1, POINTS_MAX);
        JavaRDD<Point> points = LogisticRegression.points(spark, length, perPartition, PARTITIONS);
        double[] tree = LogisticRegression.byTreeAggregate(points, length, 3);
        double[] ranks = LogisticRegression.byAllreduce(points, length, 3);
        for (int i = 0; i < length; i++) {
            if (Math.abs(tree[i] - ranks[i]) > TOLERANCE * Math.max(Math.abs(tree[i]), 1e-3)) {
                throw new IllegalStateException("element " + i + " is " + tree[i] + " and " + ranks[i]);
            }
        }
        double[] treeSeconds = new double[REPEATS];
        double[] rankSeconds = new double[REPEATS];
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            treeSeconds[repeat] = secondsAStep(LogisticRegression::byTreeAggregate, points, length, 2, 12);
            rankSeconds[repeat] = secondsAStep(LogisticRegression::byAllreduce, points, length, 10, 210);
        }
        points.unpersist(true);
        System.out.printf("%,9d doubles, %d points a rank: treeAggregate %.4f s, allreduce %.5f s, %.0f times%n",
                length, perPartition, median(treeSeconds), median(rankSeconds),
                median(treeSeconds) / median(rankSeconds));
    }

    /** What more steps take, without what it takes to begin. */
    private static double secondsAStep(Descent descent, JavaRDD<Point> points, int length, int few, int many) {
        long start = System.nanoTime();
        descent.run(points, length, few);
        long between = System.nanoTime();
        descent.run(points, length, many);
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
