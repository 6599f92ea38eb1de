/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.fabric.Striping;

/**
 * The data of a process that its connections need.
 *
 * @param rank its first rank in the job
 * @param secret the job's secret, 32 bytes
 * @param rails the addresses of each rail, to listen on and to connect from, with the port to listen at, or 0 for any
 *            port of {@code ports}
 * @param ports the ports from which it may choose
 * @param directory returns the addresses at which another process listens, by rail, for the first rank of that process;
 *            throws when that process has told no usable address
 * @param silenceMillisMax how long a host may be silent, in milliseconds
 * @param standstillMillisMax how long a process may be silent while its host answers, in milliseconds; at least as long
 * @param striping the distribution of messages over several rails
 * @param nodeRanks the number of the job's ranks on its node
 */
public record LocalProcess(int rank, byte[] secret, List<List<InetSocketAddress>> rails, PortRange ports,
        IntFunction<List<List<InetSocketAddress>>> directory, long silenceMillisMax, long standstillMillisMax,
        Striping striping, int nodeRanks) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * Copies the secret and the addresses. A time to stand still that is shorter than the time of silence is raised to
     * it.
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

    /** Creates such a process that stripes messages by speed. */
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

    /** Returns the addresses of this process on a rail. */
    List<InetAddress> sources(int rail) {
        return rails.get(rail).stream().map(InetSocketAddress::getAddress).toList();
    }

    /**
     * Returns the rail that is used first towards another process, in a job of nodes with equally many consecutive
     * ranks. The node one farther away has the next rail. With k rails, the messages to k nodes, or from them,
     * therefore take a rail each. This also holds for distances of z·(k+1)^j, z from 1 to k, as in trees and in Bruck's
     * algorithm. The next process of this node has the next rail, too, so that the messages of k ranks of a node take a
     * rail each.
     *
     * @param process the first rank of the other process
     * @param size the number of ranks of the job
     */
    int firstRail(int process, int size) {
        int distance = Math.floorMod(process / nodeRanks - rank / nodeRanks, Math.ceilDiv(size, nodeRanks));
        return (distance + rank % nodeRanks) % rails.size();
    }

    /** Returns the addresses at which another process listens, by rail. */
    List<List<InetSocketAddress>> addresses(int process) {
        return directory.apply(process);
    }
}
