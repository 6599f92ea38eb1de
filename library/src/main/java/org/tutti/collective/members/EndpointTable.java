/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import java.util.function.IntToLongFunction;

/**
 * The addresses of a communicator's ranks on the fabric: for each rank, the process that it is in, named by its first
 * rank in the job, and the handle by which that process lets others address the communicator's block on its node.
 *
 * <p>Safe for use by any number of threads: they find the same handles.
 */
public final class EndpointTable {
    private final int[] processes;
    private final long[] rings;
    private final IntToLongFunction handles;

    /**
     * Makes the table of a job, in which all ranks have told where their blocks are.
     *
     * @param processes for each rank its process
     * @param rings for each rank the handle of its block
     */
    public EndpointTable(int[] processes, long[] rings) {
        this.processes = processes;
        this.rings = rings;
        this.handles = null;
    }

    /**
     * Makes the table of a group. Handles are computed, because other ranks may not have made their blocks yet.
     *
     * @param processes for each rank its process
     * @param handles returns the handle of a process's block, never 0
     */
    public EndpointTable(int[] processes, IntToLongFunction handles) {
        this.processes = processes;
        this.rings = new long[processes.length];
        this.handles = handles;
    }

    /** {@return the number of the communicator's ranks} */
    public int size() {
        return processes.length;
    }

    /**
     * Returns the process of a rank.
     *
     * @param rank a rank of the communicator
     * @return its process, named by its first rank in the job
     */
    public int process(int rank) {
        return processes[rank];
    }

    /** Returns the handle by which the process of a rank lets others address the communicator's block. */
    public long ring(int rank) {
        long handle = rings[rank];
        if (handle == 0 && handles != null) {
            handle = handles.applyAsLong(processes[rank]);
            rings[rank] = handle;
        }
        return handle;
    }
}
