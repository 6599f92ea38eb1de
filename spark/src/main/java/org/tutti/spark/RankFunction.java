/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.Serializable;
import java.util.Iterator;

import org.tutti.Job;

/**
 * The function that each task of a barrier stage runs as a rank. It is sent to the executors, so all objects that it
 * refers to must be serializable.
 *
 * @param <T> the type of the RDD's elements
 * @param <R> the type of a partition's result, which must also be serializable
 */
@FunctionalInterface
public interface RankFunction<T, R> extends Serializable {
    /**
     * Runs one rank, on the thread of its task.
     *
     * @param job the job, in which this rank's number is the partition's; it is closed when this method returns
     * @param partition the elements of the rank's partition; they can be read once
     * @return the result of the partition
     * @throws Exception if the rank fails. The stage fails, and the calls of the other ranks end with an exception.
     */
    R run(Job job, Iterator<T> partition) throws Exception;
}
