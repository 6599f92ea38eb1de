/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.JobStartException;

/**
 * Makes the fabric of a process. All processes of a job use factories of the same kind.
 */
@FunctionalInterface
public interface FabricFactory {
    /**
     * Creates the fabric. Other processes can reach it when this method returns.
     *
     * @param directory returns the addresses at which another process listens, by rail, for the first rank of that
     *            process
     * @param listener receives the events of other processes
     * @return the fabric
     * @throws JobStartException if other processes could not reach this one
     */
    Fabric open(IntFunction<List<List<InetSocketAddress>>> directory, FabricListener listener);
}
