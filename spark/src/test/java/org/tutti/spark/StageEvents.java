/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.util.List;
import java.util.Properties;

import org.apache.spark.ExceptionFailure;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.storage.RDDInfo;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Events of a stage, as Spark tells them: rank r's task is in executor r on host h. */
final class StageEvents {
    private static final int RDD = 17;
    private static final int JOB = 4;
    private static final int STAGE = 9;

    private final StageTasks tasks = new StageTasks(RDD);

    StageEvents(int ranks) {
        tasks.onJobStart(new SparkListenerJobStart(JOB, 0, seq(List.of(stage(STAGE - 1, RDD - 1), stage(STAGE, RDD))),
                new Properties()));
        for (int rank = 0; rank < ranks; rank++) {
            tasks.onTaskStart(new SparkListenerTaskStart(STAGE, 0, task(rank)));
        }
    }

    private static <E> Seq<E> seq(List<E> elements) {
        return CollectionConverters.asScala(elements).toSeq();
    }

    private static StageInfo stage(int number, int rdd) {
        var info = new RDDInfo(rdd, "", 1, null, true, seq(List.of()), "", Option.empty(), null);
        return new StageInfo(number, 0, "", 1, seq(List.of(info)), seq(List.of()), "", null, seq(List.of()),
                Option.empty(), 0, false, 0);
    }

    private static TaskInfo task(int rank) {
        return new TaskInfo(rank, rank, 0, rank, 0, String.valueOf(rank), "h", null, false);
    }

    private StageEvents end(int stage, int rank, TaskEndReason reason) {
        tasks.onTaskEnd(new SparkListenerTaskEnd(stage, 0, "", reason, task(rank), null, null));
        return this;
    }

    StageEvents lost(int rank, String reason) {
        return end(STAGE, rank, new ExecutorLostFailure(String.valueOf(rank), true, Option.apply(reason)));
    }

    StageEvents lostResult(int rank) {
        return end(STAGE, rank, TaskResultLost$.MODULE$);
    }

    StageEvents threw(int rank, Exception failure) {
        return end(STAGE, rank, new ExceptionFailure(failure, seq(List.of())));
    }

    StageEvents threwInAnotherStage(int rank, Exception failure) {
        return end(STAGE - 1, rank, new ExceptionFailure(failure, seq(List.of())));
    }

    StageEvents killed(int rank) {
        return end(STAGE, rank, new TaskKilled("Stage cancelled", seq(List.of()), seq(List.of()), seq(List.of())));
    }

    /** {@return what has been told, and that the job has ended} */
    StageTasks end() {
        tasks.onJobEnd(new SparkListenerJobEnd(JOB, 0, JobSucceeded$.MODULE$));
        return tasks;
    }
}
