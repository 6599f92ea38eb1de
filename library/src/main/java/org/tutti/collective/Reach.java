/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * How a team's ranks on other nodes are reached: for each rank of the communicator the process that it is in, by its
 * first rank in the job, and the handle by which that process lets others address its node's ring of the communicator.
 *
 * @param processes for each rank its process
 * @param rings for each rank the handle of the ring
 */
public record Reach(int[] processes, long[] rings) {}
