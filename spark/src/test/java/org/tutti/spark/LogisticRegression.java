/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.tutti.Reduction;

/** Logistic regression by gradient descent on an RDD: once as Spark does it, once by ranks. */
final class LogisticRegression {
    private static final double RATE = 0.5;
    private static final double[] NOTHING = {};

    /** An example to learn from: its features, and its label. */
    record Point(double[] features, boolean label) implements Serializable {}

    private LogisticRegression() {}

    /** Draws points of so many features, whose label mostly is the sign of the first one. */
    static JavaRDD<Point> points(JavaSparkContext spark, int length, int perPartition, int partitions) {
        List<Integer> seeds = new ArrayList<>();
        for (int seed = 0; seed < perPartition * partitions; seed++) {
            seeds.add(seed);
        }
        return spark.parallelize(seeds, partitions).map(seed -> {
            var random = new SplittableRandom(seed);
            double[] features = random.doubles(length, -1, 1).toArray();
            return new Point(features, features[0] + random.nextDouble() / 2 > 0);
        }).cache();
    }

    /** A stage and a broadcast for each step: workers add up, and the driver has the model. */
    static double[] byTreeAggregate(JavaRDD<Point> points, int length, int steps) {
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(points.context());
        double[] model = new double[length];
        for (int step = 0; step < steps; step++) {
            Broadcast<double[]> now = spark.broadcast(model);
            double[] gradient = points.treeAggregate(NOTHING, (sum, point) -> {
                double[] added = sum.length == 0 ? new double[length] : sum;
                addGradient(now.value(), point, added);
                return added;
            }, LogisticRegression::sum, 2);
            now.destroy();
            step(model, gradient);
        }
        return model;
    }

    /** One stage: every rank has its points, and all of them the model. */
    static double[] byAllreduce(JavaRDD<Point> points, int length, int steps) {
        return TuttiSpark.of(points).barrier((job, partition) -> {
            List<Point> mine = new ArrayList<>();
            partition.forEachRemaining(mine::add);
            double[] model = new double[length];
            double[] gradient = new double[length];
            for (int step = 0; step < steps; step++) {
                Arrays.fill(gradient, 0);
                for (Point point : mine) {
                    addGradient(model, point, gradient);
                }
                job.world().allreduce(gradient, Reduction.SUM);
                step(model, gradient);
            }
            return job.rank() == 0 ? model : null;
        }).getFirst();
    }

    private static void addGradient(double[] model, Point point, double[] gradient) {
        double[] features = point.features();
        double margin = 0;
        for (int i = 0; i < features.length; i++) {
            margin += model[i] * features[i];
        }
        double error = 1 / (1 + Math.exp(-margin)) - (point.label() ? 1 : 0);
        for (int i = 0; i < features.length; i++) {
            gradient[i] += error * features[i];
        }
    }

    /** Adds up, in one of the two. */
    static double[] sum(double[] left, double[] right) {
        if (left.length == 0 || right.length == 0) {
            return left.length == 0 ? right : left;
        }
        for (int i = 0; i < left.length; i++) {
            left[i] += right[i];
        }
        return left;
    }

    private static void step(double[] model, double[] gradient) {
        for (int i = 0; i < model.length; i++) {
            model[i] -= RATE / model.length * gradient[i];
        }
    }
}
