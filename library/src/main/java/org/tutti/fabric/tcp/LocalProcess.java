/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.fabric.Striping;

/**
 * What the connections of a process have to know of it.
 *
 * @param rank its first rank in the job
 * @param secret what opens connections, 32 bytes
 * @param rails its addresses to listen on and to connect from, a rail each, with the port to listen at, or 0 for any
 * @param directory finds where another process listens, by its first rank; throws when it has told no usable address
 * @param silenceMillisMax how long a host may be silent
 * @param standstillMillisMax how long a process may be silent whose host answers, at least as long
 * @param striping how messages are dealt to several rails
 * @param nodeRanks how many ranks of the job its node has
 */
public record LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
        IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax,
        Striping striping, int nodeRanks) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Keeps the secret and the addresses for itself. */
    public LocalProcess {
        secret = secret.clone();
        rails = List.copyOf(rails);
        standstillMillisMax = Math.max(silenceMillisMax, standstillMillisMax);
    }

    /** As by the other one: messages are striped by speed, and every rank is a node. */
    public LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
            IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax) {
        this(rank, secret, rails, directory, silenceMillisMax, standstillMillisMax, Striping.SPEED, 1);
    }

    long silenceNanosMax() {
        return silenceMillisMax * NANOS_PER_MILLI;
    }

    long standstillNanosMax() {
        return standstillMillisMax * NANOS_PER_MILLI;
    }

    /** Its address on a rail, with any port. */
    InetSocketAddress source(int rail) {
        return new InetSocketAddress(rails.get(rail).getAddress(), 0);
    }

    /**
     * Which rail is used first towards another process, where nodes have as many ranks each, that follow each other.
     * Nodes that are one farther away have the next one: so k messages to k nodes, or from them, have a rail each, also
     * if the nodes' distances are z·(k+1)^j, z from 1 to k, as in trees and in Bruck's algorithm. And so has the next
     * process of this node: so the messages of k leaders have a rail each.
     *
     * @param process the first rank of the other process
     * @param size the ranks of the job
     */
    int firstRail(int process, int size) {
        int distance = Math.floorMod(process / nodeRanks - rank / nodeRanks, Math.ceilDiv(size, nodeRanks));
        return (distance + rank % nodeRanks) % rails.size();
    }

    /** Where another process listens, a rail each. */
    List<InetSocketAddress> addresses(int process) {
        return directory.apply(process);
    }

    /** Where a rail of another process is, in words. */
    String place(int process, int rail) {
        try {
            InetSocketAddress address = addresses(process).get(rail);
            return address.getHostString() + ":" + address.getPort();
        } catch (RuntimeException _) { // it has told no usable address
            return "an unknown address";
        }
    }

    /** What asks the host of another process whether it is there, when it has been silent for a part of a time. */
    HostProbe probe(int process, long limitNanos) {
        return new HostProbe(rails.stream().map(InetSocketAddress::getAddress).toList(), addresses(process),
                limitNanos);
    }
}
