/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.apache.spark.SparkContext;
import org.apache.spark.SparkThrowable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.tutti.RankFailedException;
import org.tutti.job.launch.JobEnvironment;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Runs ranks of Tutti inside Apache Spark. Each task of a barrier stage becomes a rank, and together they are a job.
 *
 * <pre>{@code
 * List<double[]> models = TuttiSpark.of(points.rdd()).barrier((job, partition) -> train(job.world(), partition));
 * }</pre>
 *
 * <p>The ranks of an executor are threads of its process. Executors on one host share memory, and executors on
 * different hosts are connected by TCP. The ranks meet at a port of the driver, which is open as long as the stage
 * runs.
 *
 * @param <T> the type of the RDD's elements
 */
public final class TuttiSpark<T> {
    /**
     * The property of Spark's configuration that sets the driver's port for ranks. The default is 0, for any free port.
     */
    public static final String PORT = "spark.tutti.driver.port";

    /** The name of Spark's error condition for a cancelled job. */
    private static final String CANCELLED = "SPARK_JOB_CANCELLED";

    private static final System.Logger LOG = System.getLogger(TuttiSpark.class.getName());

    private final RDD<T> rdd;
    private final int attempts;

    private TuttiSpark(RDD<T> rdd, int attempts) {
        this.rdd = Objects.requireNonNull(rdd, "rdd");
        this.attempts = attempts;
    }

    /**
     * Creates a runner for an RDD. Each partition of the RDD becomes the input of a rank.
     *
     * @param <T> the type of the RDD's elements
     * @param rdd the RDD of Spark's Scala API
     * @return a runner with one attempt
     */
    public static <T> TuttiSpark<T> of(RDD<T> rdd) {
        return new TuttiSpark<>(rdd, 1);
    }

    /**
     * Creates a runner for an RDD. Each partition of the RDD becomes the input of a rank.
     *
     * @param <T> the type of the RDD's elements
     * @param rdd the RDD of Spark's Java API
     * @return a runner with one attempt
     */
    public static <T> TuttiSpark<T> of(JavaRDD<T> rdd) {
        return of(rdd.rdd());
    }

    /**
     * Returns a runner that runs a failed stage again. A stage fails when a rank or its task fails, or an executor is
     * lost. That includes failures before the rank has begun, while functions of earlier RDDs run, and after the rank
     * has returned. Each attempt is a job of its own. Spark does not repeat such a stage by itself when its results go
     * to the driver. Side effects of a rank, such as writing a file, happen again.
     *
     * @param most the greatest number of attempts, 1 or more; the default is 1
     * @return a runner for the same RDD
     */
    public TuttiSpark<T> withAttempts(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("a stage has 1 attempt or more, not " + most);
        }
        return new TuttiSpark<>(rdd, most);
    }

    /**
     * Runs a barrier stage in which each task is a rank, and returns when all ranks have ended. Spark starts either all
     * tasks together or none. Therefore the cluster must have a slot for each partition; Spark throws if it has too
     * few. Spark also throws if dynamic allocation is on. When the stage is cancelled, the ranks' threads are
     * interrupted.
     *
     * @param <R> the type of a partition's result
     * @param function the function that each rank runs
     * @return the result of each partition, in the order of the partitions
     * @throws IllegalArgumentException if there are more partitions than a job has ranks, 4,096
     * @throws RankFailedException if a rank or its task threw, or its executor was lost, in the last attempt. The
     *             message names the rank that failed first, and its exception or its executor. The cause is Spark's
     *             exception. Failures of earlier attempts are suppressed exceptions.
     */
    public <R> List<R> barrier(RankFunction<T, R> function) {
        Objects.requireNonNull(function, "function");
        int ranks = rdd.getNumPartitions();
        if (ranks == 0) {
            return List.of();
        }
        if (ranks > JobEnvironment.SIZE_MAX) {
            throw new IllegalArgumentException("the RDD has " + ranks + " partitions, but a job has at most "
                    + JobEnvironment.SIZE_MAX + " ranks; repartition it");
        }
        List<RankFailedException> earlier = new ArrayList<>();
        for (int attempt = 1;; attempt++) {
            try {
                return attempt(ranks, function);
            } catch (Throwable failure) { // of any kind, because Scala declares none
                if (attempt == attempts || !(failure instanceof RankFailedException failed)) {
                    earlier.forEach(failure::addSuppressed);
                    throw failure;
                }
                earlier.add(failed);
                LOG.log(System.Logger.Level.WARNING, "attempt " + attempt + " of at most " + attempts
                        + " has failed, and the stage runs again: " + failure.getMessage());
            }
        }
    }

    private <R> List<R> attempt(int ranks, RankFunction<T, R> function) {
        SparkContext context = rdd.sparkContext();
        try (var meeting = Meeting.open(context.getConf(), ranks)) {
            ClassTag<R> any = ClassTag$.MODULE$.apply(Object.class);
            RDD<R> results = rdd.barrier().mapPartitions(
                    new RankTask<T, R>(meeting.host(), meeting.port(), meeting.secret(), function),
                    false, any);
            var tasks = new StageTasks(results.id());
            context.addSparkListener(tasks);
            try {
                return JavaRDD.fromRDD(results, any).collect();
            } catch (Throwable stage) { // as above
                if (context.isStopped() || isCancelled(stage)) {
                    throw undeclared(stage);
                }
                throw meeting.firstCause(tasks).<RuntimeException>map(cause -> cause.exception(stage))
                        .orElseGet(() -> undeclared(stage));
            } finally {
                context.removeSparkListener(tasks);
            }
        }
    }

    /** Returns whether the stage was cancelled. In that case failures of ranks are not the cause. */
    private static boolean isCancelled(Throwable stage) {
        return stage instanceof SparkThrowable failure && CANCELLED.equals(failure.getCondition());
    }

    /** Throws an exception that javac does not know of. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException undeclared(Throwable failure) throws E {
        throw (E) failure;
    }
}
