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
     * Makes the fabric, which other processes can reach when this returns.
     *
     * @param directory finds where another process listens, by its first rank: of each rail the addresses
     * @param listener is told what other processes tell
     * @return the fabric
     * @throws JobStartException when this process cannot be reached by others
     */
    Fabric open(IntFunction<List<List<InetSocketAddress>>> directory, FabricListener listener);
}
