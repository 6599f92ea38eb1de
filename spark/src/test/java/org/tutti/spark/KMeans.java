/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.tutti.Reduction;

/**
 * K-means by Lloyd's algorithm on an RDD: once as Spark does it, once by ranks. In each step the ranks exchange the
 * sums of the points nearest to each centroid, one after the other, and then the numbers of these points.
 */
final class KMeans {
    static final int CLUSTERS = 4;

    private static final double[] NOTHING = {};

    private KMeans() {}

    /** Draws points around as many places as there are clusters, which together have so many coordinates. */
    static JavaRDD<double[]> points(JavaSparkContext spark, int length, int perPartition, int partitions) {
        List<Integer> seeds = IntStream.range(0, perPartition * partitions).boxed().toList();
        return spark.parallelize(seeds, partitions).map(seed -> {
            double[] point = new SplittableRandom(seed).doubles(length / CLUSTERS, -1, 1).toArray();
            point[seed % CLUSTERS] += length;
            return point;
        }).cache();
    }

    /** Where the centroids begin: not far from the places, but at none of them. */
    private static double[] start(int length) {
        double[] centroids = new double[length];
        for (int cluster = 0; cluster < CLUSTERS; cluster++) {
            centroids[cluster * (length / CLUSTERS) + cluster] = 1;
        }
        return centroids;
    }

    /** A stage and a broadcast for each step: workers add up, and the driver has the centroids. */
    static double[] byTreeAggregate(JavaRDD<double[]> points, int length, int steps) {
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(points.context());
        double[] centroids = start(length);
        for (int step = 0; step < steps; step++) {
            Broadcast<double[]> now = spark.broadcast(centroids);
            double[] sums = points.treeAggregate(NOTHING, (before, point) -> {
                double[] added = before.length == 0 ? new double[length + CLUSTERS] : before;
                addToNearest(now.value(), point, added);
                return added;
            }, LogisticRegression::sum, 2);
            now.destroy();
            move(centroids, sums);
        }
        return centroids;
    }

    /** One stage: every rank has its points, and all of them the centroids. */
    static double[] byAllreduce(JavaRDD<double[]> points, int length, int steps) {
        return TuttiSpark.of(points).barrier((job, partition) -> {
            List<double[]> mine = new ArrayList<>();
            partition.forEachRemaining(mine::add);
            double[] centroids = start(length);
            double[] sums = new double[length + CLUSTERS];
            for (int step = 0; step < steps; step++) {
                Arrays.fill(sums, 0);
                for (double[] point : mine) {
                    addToNearest(centroids, point, sums);
                }
                job.world().allreduce(sums, Reduction.SUM);
                move(centroids, sums);
            }
            return job.rank() == 0 ? centroids : null;
        }).getFirst();
    }

    private static void addToNearest(double[] centroids, double[] point, double[] sums) {
        int nearest = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int cluster = 0; cluster < CLUSTERS; cluster++) {
            double squares = 0;
            for (int i = 0; i < point.length; i++) {
                double distance = point[i] - centroids[cluster * point.length + i];
                squares += distance * distance;
            }
            if (squares < least) {
                least = squares;
                nearest = cluster;
            }
        }
        for (int i = 0; i < point.length; i++) {
            sums[nearest * point.length + i] += point[i];
        }
        sums[centroids.length + nearest]++;
    }

    /** A centroid to which no point is nearest stays where it is. */
    private static void move(double[] centroids, double[] sums) {
        int coordinates = centroids.length / CLUSTERS;
        for (int i = 0; i < centroids.length; i++) {
            double points = sums[centroids.length + i / coordinates];
            centroids[i] = points > 0 ? sums[i] / points : centroids[i];
        }
    }
}
