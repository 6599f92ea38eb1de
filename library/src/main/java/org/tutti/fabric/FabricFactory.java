/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.JobStartException;

/**
 * Creates the fabric of a process. All processes of a job use factories of the same kind.
 */
@FunctionalInterface
public interface FabricFactory {
    /**
     * Creates the fabric that connects this process with the other processes of its job. They can reach this process
     * when this method returns.
     *
     * @param directory maps the first rank of another process to the addresses at which that process listens, a list
     *            for each rail (one of the parallel connections between two processes)
     * @param listener receives the events of other processes
     * @return the fabric
     * @throws JobStartException if other processes could not reach this one
     */
    Fabric open(IntFunction<List<List<InetSocketAddress>>> directory, FabricListener listener);
}
