/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.fabric.Striping;

/**
 * What the connections of a process have to know of it.
 *
 * @param rank its first rank in the job
 * @param secret what opens connections, 32 bytes
 * @param rails of each rail its addresses to listen on and to connect from, with the port to listen at, or 0 for any
 *        of its ports
 * @param ports the ports that it may choose from
 * @param directory finds where another process listens, by its first rank: of each rail the addresses; throws when it
 *        has told no usable address
 * @param silenceMillisMax how long a host may be silent
 * @param standstillMillisMax how long a process may be silent whose host server, at least as long
 * @param striping how messages are dealt to several rails
 * @param nodeRanks how many ranks of the job its node has
 */
public record LocalProcess(int rank, byte[] secret, List<List<InetSocketAddress>> rails, PortRange ports,
        IntFunction<List<List<InetSocketAddress>>> directory, long silenceMillisMax, long standstillMillisMax,
        Striping striping, int nodeRanks) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Keeps the secret and the addresses for itself. */
    public LocalProcess {
        secret = secret.clone();
        rails = List.copyOf(rails);
        standstillMillisMax = Math.max(silenceMillisMax, standstillMillisMax);
    }

    /** A process whose rails have an address each, and any port; every rank is a node. */
    public LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
            IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax,
            Striping striping) {
        this(rank, secret, rails.stream().map(List::of).toList(), PortRange.ANY,
                process -> directory.apply(process).stream().map(List::of).toList(), silenceMillisMax,
                standstillMillisMax, striping, 1);
    }

    /** As by the other one; messages are striped by speed. */
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

    /** Its addresses on a rail. */
    List<InetAddress> sources(int rail) {
        return rails.get(rail).stream().map(InetSocketAddress::getAddress).toList();
    }

    /**
     * Which rail is used first towards another process, where nodes have as many ranks each, that follow each other.
     * Nodes that are one farther away have the next one: so k messages to k nodes, or from them, have a rail each, also
     * if the nodes' distances are z·(k+1)^j, z from 1 to k, as in trees and in Bruck's algorithm. And so has the next
     * process of this node: so the messages of k ranks have a rail each.
     *
     * @param process the first rank of the other process
     * @param size the ranks of the job
     */
    int firstRail(int process, int size) {
        int distance = Math.floorMod(process / nodeRanks - rank / nodeRanks, Math.ceilDiv(size, nodeRanks));
        return (distance + rank % nodeRanks) % rails.size();
    }

    /** Where another process listens: of each rail the addresses. */
    List<List<InetSocketAddress>> addresses(int process) {
        return directory.apply(process);
    }
}
