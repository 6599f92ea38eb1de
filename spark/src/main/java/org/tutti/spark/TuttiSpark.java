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
 * Tutti inside Apache Spark: each task of a barrier stage becomes a rank, and together they are a job.
 *
 * <pre>{@code
 * List<double[]> models = TuttiSpark.of(points.rdd()).barrier((job, partition) -> train(job.world(), partition));
 * }</pre>
 *
 * <p>The ranks of an executor are threads of its process; executors of one host share memory; others are connected by
 * TCP. They meet at a port of the driver, which is open as long as the stage runs.
 *
 * @param <T> the elements of the RDD
 */
public final class TuttiSpark<T> {
    /** Where ranks reach the driver: 0, any free port, unless the configuration of Spark says another one. */
    public static final String PORT = "spark.tutti.driver.port";

    /** How Spark calls it that somebody has cancelled a job. */
    private static final String CANCELLED = "SPARK_JOB_CANCELLED";

    private static final System.Logger LOG = System.getLogger(TuttiSpark.class.getName());

    private final RDD<T> rdd;
    private final int attempts;

    private TuttiSpark(RDD<T> rdd, int attempts) {
        this.rdd = Objects.requireNonNull(rdd, "rdd");
        this.attempts = attempts;
    }

    /**
     * Begins with an RDD, of which each partition becomes a rank's.
     *
     * @param <T> its elements
     * @param rdd of Scala's kind
     * @return what runs on it
     */
    public static <T> TuttiSpark<T> of(RDD<T> rdd) {
        return new TuttiSpark<>(rdd, 1);
    }

    /**
     * Begins with an RDD, of which each partition becomes a rank's.
     *
     * @param <T> its elements
     * @param rdd of Java's kind
     * @return what runs on it
     */
    public static <T> TuttiSpark<T> of(JavaRDD<T> rdd) {
        return of(rdd.rdd());
    }

    /**
     * The same, but a stage in which a rank or its task fails, or an executor is lost, runs again, as a job of its own:
     * also when that happens before the rank has begun, while functions of earlier RDDs run, or after it has returned.
     * Spark does not do that by itself where results go to the driver. What a rank has done elsewhere, such as written
     * a file, it does again.
     *
     * @param most how often the stage may run in all, 1 or more; 1 unless told
     * @return what runs on the RDD
     */
    public TuttiSpark<T> withAttempts(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("a stage has 1 attempt or more, not " + most);
        }
        return new TuttiSpark<>(rdd, most);
    }

    /**
     * Runs a barrier stage in which each task is a rank, and returns when all have ended. Spark starts all tasks at
     * once or none, so there must be a slot for each partition; it says so if not. It says as well that it does not do
     * that with dynamic allocation. When the stage is cancelled, the ranks' threads are interrupted.
     *
     * @param <R> what comes of a partition
     * @param function what each rank runs
     * @return what came of each partition, in their order
     * @throws IllegalArgumentException when there are more partitions than a job has ranks, 4,096
     * @throws RankFailedException when a rank or its task threw, or its executor was lost, in the last attempt: says
     *             which one was the first, what it threw or where it was, and has Spark's exception as the cause;
     *             failures of earlier attempts are suppressed exceptions of it
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
            } catch (Throwable failure) { // of any kind, as Scala declares nothing
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

    /** Whether somebody has cancelled the stage, so that what became of the ranks is not why it failed. */
    private static boolean isCancelled(Throwable stage) {
        return stage instanceof SparkThrowable failure && CANCELLED.equals(failure.getCondition());
    }

    /** Throws what javac does not know of. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException undeclared(Throwable failure) throws E {
        throw (E) failure;
    }
}
