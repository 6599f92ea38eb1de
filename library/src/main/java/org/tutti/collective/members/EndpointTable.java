/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import java.util.function.IntToLongFunction;

/**
 * The addresses of a communicator's ranks for messages from other processes. For each rank the table holds the rank's
 * process and a handle. The process is named by its first rank in the job. The handle identifies the communicator's
 * block, its shared memory on the rank's node. Other processes use it to put into the block through the rank's process.
 *
 * <p>Any number of threads may use a table without a lock. Two threads may compute the same handle, but they compute
 * the same value.
 */
public final class EndpointTable {
    private final int[] processes;
    private final long[] rings;
    private final IntToLongFunction handles;

    /**
     * Creates the table of a job's world, for which all ranks have published the handles of their blocks.
     *
     * @param processes for each rank, its process, named by its first rank in the job
     * @param rings for each rank, the handle of the world's block at its process
     */
    public EndpointTable(int[] processes, long[] rings) {
        this.processes = processes;
        this.rings = rings;
        this.handles = null;
    }

    /**
     * Creates the table of a group. The handles of the group's blocks are computed, because other ranks may not have
     * created their blocks yet.
     *
     * @param processes for each rank, its process, named by its first rank in the job
     * @param handles a function that returns the handle of a process's block, which is never 0
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
     * @return the rank's process, named by the process's first rank in the job
     */
    public int process(int rank) {
        return processes[rank];
    }

    /** Returns the handle with which other processes address the communicator's block through the process of a rank. */
    public long ring(int rank) {
        long handle = rings[rank];
        if (handle == 0 && handles != null) {
            handle = handles.applyAsLong(processes[rank]);
            rings[rank] = handle;
        }
        return handle;
    }
}
