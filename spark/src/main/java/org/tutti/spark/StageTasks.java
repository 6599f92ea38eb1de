/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.spark.ExceptionFailure;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Records from Spark's events where the tasks of one attempt of a stage are, and which of them have failed. The events
 * are needed because a task may fail without a message of its rank to the driver. This may happen before the rank has
 * connected, while functions of earlier RDDs run. It may also happen after the rank has ended, while its result is on
 * its way.
 *
 * <p>A thread of Spark delivers the events in their order. The last ones come a moment after the stage has failed.
 */
final class StageTasks extends SparkListener {
    private static final int TEXT_MAX = 2000;

    /** The longest wait for the event that the stage's job has begun. Most failures come after that event. */
    private static final long BEGIN_MILLIS_MAX = 1000;

    /** The longest wait for the events of a failed job. */
    private static final long END_MILLIS_MAX = 10_000;

    private static final int NONE = -1;

    /**
     * The failure of a task.
     *
     * @param cause the task's rank, and a description of the failure
     * @param isLost whether the task's executor or its result was lost
     */
    record Failure(Gathering.Cause cause, boolean isLost) {}

    private final int rdd;
    private final Map<Integer, String> places = new HashMap<>(); // by rank
    private final List<Failure> failures = new ArrayList<>();
    private int job = NONE;
    private int stage = NONE;
    private boolean hasEnded;

    /**
     * Creates a listener for the events of a stage.
     *
     * @param rdd the number of the RDD that the stage computes
     */
    StageTasks(int rdd) {
        this.rdd = rdd;
    }

    @Override
    public synchronized void onJobStart(SparkListenerJobStart start) {
        CollectionConverters.asJava(start.stageInfos()).stream().filter(this::isOurs).findFirst().ifPresent(ours -> {
            job = start.jobId();
            stage = ours.stageId();
            notifyAll();
        });
    }

    private boolean isOurs(StageInfo info) {
        return CollectionConverters.asJava(info.rddInfos()).stream().anyMatch(each -> each.id() == rdd);
    }

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart start) {
        if (start.stageId() == stage) {
            places.put(start.taskInfo().partitionId(), place(start.taskInfo()));
        }
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        if (end.stageId() == stage && end.reason() instanceof TaskFailedReason reason
                && !(reason instanceof TaskKilled)) {
            failures.add(failure(end.taskInfo(), reason));
        }
    }

    @Override
    public synchronized void onJobEnd(SparkListenerJobEnd end) {
        if (end.jobId() == job) {
            hasEnded = true;
            notifyAll();
        }
    }

    private static String place(TaskInfo task) {
        return "executor " + task.executorId() + " on host " + task.host();
    }

    private static Failure failure(TaskInfo task, TaskFailedReason reason) {
        int rank = task.partitionId();
        String of = "its task in " + place(task);
        return isLost(reason)
                ? new Failure(new Gathering.Cause(rank, "rank " + rank + " was lost: " + of + " has gone ("
                        + text(reason) + ")"), true)
                : new Failure(new Gathering.Cause(rank, "rank " + rank + " failed: " + of + " ended with "
                        + text(reason)), false);
    }

    private static boolean isLost(TaskEndReason reason) {
        return reason instanceof ExecutorLostFailure || reason.equals(TaskResultLost$.MODULE$);
    }

    private static String text(TaskFailedReason reason) {
        String text = switch (reason) {
            case ExecutorLostFailure lost when lost.reason().isDefined() -> lost.reason().get();
            case ExceptionFailure thrown when thrown.description() == null -> thrown.className();
            case ExceptionFailure thrown -> thrown.className() + ": " + thrown.description();
            default -> reason.toErrorString();
        };
        return Message.cut(text.lines().findFirst().orElse(""), TEXT_MAX);
    }

    /**
     * {@return the location of a rank's task, such as {@code executor 1 on host b}; empty if the task has not started}
     */
    synchronized String place(int rank) {
        return places.getOrDefault(rank, "");
    }

    /** {@return the failures of tasks of a failed stage, in the order in which Spark has noticed them} */
    synchronized List<Failure> failures() {
        try {
            awaitUntil(() -> job != NONE, BEGIN_MILLIS_MAX);
            awaitUntil(() -> job == NONE || hasEnded, END_MILLIS_MAX);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return List.copyOf(failures);
    }

    private void awaitUntil(BooleanSupplier condition, long millis) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; !condition.getAsBoolean() && left > 0;) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        }
    }
}
