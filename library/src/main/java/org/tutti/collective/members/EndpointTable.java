/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import java.util.function.IntToLongFunction;

/**
 * How a team's ranks on other nodes are reached: for each rank of the communicator the process that it is in, by its
 * first rank in the job, and the handle by which that process lets others address its node's ring of the communicator.
 *
 * <p>Safe for use by any number of threads: they find the same handle.
 */
public final class EndpointTable {
    private final int[] processes;
    private final long[] rings;
    private final IntToLongFunction handles;

    /**
     * How the ranks of a job are reached, all of which have said before where their rings are.
     *
     * @param processes for each rank its process
     * @param rings for each rank the handle of the ring
     */
    public EndpointTable(int[] processes, long[] rings) {
        this.processes = processes;
        this.rings = rings;
        this.handles = null;
    }

    /**
     * How the ranks of a group are reached, whose handles can be computed: others may not have made their rings yet.
     *
     * @param processes for each rank its process
     * @param handles tells the handle of a process's ring, never 0
     */
    public EndpointTable(int[] processes, IntToLongFunction handles) {
        this.processes = processes;
        this.rings = new long[processes.length];
        this.handles = handles;
    }

    /** {@return how many ranks the communicator has} */
    public int size() {
        return processes.length;
    }

    /**
     * Finds the process of a rank.
     *
     * @param rank a rank of the communicator
     * @return its process, by its first rank in the job
     */
    public int process(int rank) {
        return processes[rank];
    }

    /** The handle by which the process of a rank lets others address the ring. */
    public long ring(int rank) {
        long handle = rings[rank];
        if (handle == 0 && handles != null) {
            handle = handles.applyAsLong(processes[rank]);
            rings[rank] = handle;
        }
        return handle;
    }
}
