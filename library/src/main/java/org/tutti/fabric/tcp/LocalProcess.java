/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.fabric.Striping;

/**
 * The data of this process that its connections need.
 *
 * @param rank the first rank of the process in the job
 * @param secret the job's secret, 32 bytes
 * @param rails a list for each rail of the addresses from which it connects, with the port at which it listens, or port
 *            0 for any port of {@code ports}
 * @param ports the ports at which the process may listen
 * @param directory maps the first rank of another process to the addresses at which that process listens, a list for
 *            each rail; throws if that process has announced no usable address
 * @param silenceMillisMax the longest time for which a host may be silent, in milliseconds
 * @param standstillMillisMax the longest time for which a process may be silent while its host answers, in
 *            milliseconds, at least {@code silenceMillisMax}
 * @param striping the distribution of messages over several rails
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
     * Returns the number of the rail that is used first for messages to another process. If another node is one farther
     * away, messages to it begin with the next rail. With k rails, messages to k neighbouring nodes, or from them,
     * therefore take a rail each. This also holds for nodes at the distances z·(k+1)^j, z from 1 to k, which trees and
     * Bruck's algorithm use. The next process of this node also begins with the next rail, so that the messages of k
     * ranks of a node take a rail each. The method assumes that all nodes have equally many consecutive ranks.
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
