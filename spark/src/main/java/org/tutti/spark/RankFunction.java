/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Serializable;
import java.util.Iterator;

import org.tutti.Job;

/**
 * What each task of a barrier stage runs as a rank. It is sent to the executors, so what it refers to must be
 * serializable.
 *
 * @param <T> the elements of the RDD
 * @param <R> what comes of a partition, which is serializable, too
 */
@FunctionalInterface
public interface RankFunction<T, R> extends Serializable {
    /**
     * Runs one rank, on the thread of its task.
     *
     * @param job the job, whose rank is the partition's number; it is closed when this returns
     * @param partition the elements of the rank's partition, once
     * @return what comes of them
     * @throws Exception when the rank fails: the stage fails, and the other ranks hear of it
     */
    R run(Job job, Iterator<T> partition) throws Exception;
}
