/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.fabric.Striping;

/**
 * The data of this process that it needs to connect with other processes.
 *
 * @param rank the first rank of the process in the job
 * @param secret the job's secret, 32 bytes
 * @param rails for each rail, one of the parallel connections of two processes, a list of the addresses from which the
 *            process connects and at which it listens. The port of an address is the port at which it listens, or 0 for
 *            any port of {@code ports}
 * @param ports the ports at which the process may listen
 * @param directory maps the first rank of another process to the addresses at which that process listens, a list for
 *            each rail; throws if that process has announced no usable address
 * @param silenceMillisMax the longest time for which a host may be silent, in milliseconds
 * @param standstillMillisMax the longest time for which a process may be silent while its host answers, in
 *            milliseconds, at least {@code silenceMillisMax}
 * @param striping the way in which messages are distributed over several rails
 * @param nodeRanks the number of the job's ranks on the node of the process
 */
public record LocalProcess(int rank, byte[] secret, List<List<InetSocketAddress>> rails, PortRange ports,
        IntFunction<List<List<InetSocketAddress>>> directory, long silenceMillisMax, long standstillMillisMax,
        Striping striping, int nodeRanks) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * Copies the secret and the addresses. If {@code standstillMillisMax} is less than {@code silenceMillisMax}, it is
     * raised to that value.
     */
    public LocalProcess {
        secret = secret.clone();
        rails = List.copyOf(rails);
        standstillMillisMax = Math.max(silenceMillisMax, standstillMillisMax);
    }

    /** Creates a process with one address and any port for each rail, in a job with one rank on each node. */
    public LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
            IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax,
            Striping striping) {
        this(rank, secret, rails.stream().map(List::of).toList(), PortRange.ANY,
                process -> directory.apply(process).stream().map(List::of).toList(), silenceMillisMax,
                standstillMillisMax, striping, 1);
    }

    /**
     * Creates a process that stripes messages by speed, with one address and any port for each rail, in a job with one
     * rank on each node.
     */
    public LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
            IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax) {
        this(rank, secret, rails, directory, silenceMillisMax, standstillMillisMax, Striping.SPEED);
    }

    long silenceNanosMax() {
        return silenceMillisMax * NANOS_PER_MILLI;
    }

    long standstillNanosMax() {
        return standstillMillisMax * NANOS_PER_MILLI;
    }

    /** Returns the addresses from which this process connects on a rail. */
    List<InetAddress> sources(int rail) {
        return rails.get(rail).stream().map(InetSocketAddress::getAddress).toList();
    }

    /**
     * Returns the number of the rail that is used first for messages to another process. The number grows by one for
     * each node of distance between the two nodes, and starts again at 0 after the last rail. With k rails, messages to
     * nodes at k consecutive distances, or from such nodes, therefore use k different rails. This also holds for the
     * distances z·(k+1)^j, z from 1 to k, which trees and Bruck's algorithm use. The number also grows by one from a
     * rank to the next one on this node, so messages of k ranks of a node use k different rails. The method assumes
     * that all nodes have equally many consecutive ranks.
     *
     * @param process the first rank of the other process
     * @param size the number of ranks of the job
     */
    int firstRail(int process, int size) {
        int distance = Math.floorMod(process / nodeRanks - rank / nodeRanks, Math.ceilDiv(size, nodeRanks));
        return (distance + rank % nodeRanks) % rails.size();
    }

    /** Returns the addresses at which another process listens, a list for each rail. */
    List<List<InetSocketAddress>> addresses(int process) {
        return directory.apply(process);
    }
}
