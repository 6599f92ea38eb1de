/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

import org.tutti.collective.machine.LiveMachine;
import org.tutti.fabric.Fabric;
import org.tutti.job.network.Network;
import org.tutti.job.node.Node;
import org.tutti.memory.Waiter;
import org.tutti.message.MessageProgress;
import org.tutti.message.RankAddresses;
import org.tutti.message.RankMessages;

/**
 * Holds the messages of the ranks of a process, and registers the regions at which other nodes send to them.
 */
final class ProcessMessages implements RankAddresses {
    private final Node node;
    private final Network network;
    private final Map<Integer, RankMessages> messages = new HashMap<>();
    private final long[] regions; // by rank; 0 if not computed yet. Threads may compute the same number twice
    private MemorySegment memory;

    /**
     * Creates the messages of a process that has no ranks yet.
     *
     * @param node the state that the ranks of the node share
     * @param network the connection to other nodes; null if the job has one node
     */
    ProcessMessages(Node node, Network network) {
        this.node = node;
        this.network = network;
        this.regions = new long[node.size()];
    }

    /** Returns the messages of a rank of the process. The first call makes them. */
    synchronized RankMessages of(int rank, int cores) {
        return messages.computeIfAbsent(rank, _ -> make(rank, cores));
    }

    private RankMessages make(int rank, int cores) {
        Fabric fabric = network == null ? null : network.fabric();
        var progress = new MessageProgress(fabric);
        boolean coreForEach = node.nodeRanks() <= cores;
        var machine = new LiveMachine(new Waiter(coreForEach, progress, node.futexes()), fabric);
        var made = new RankMessages(progress, machine, fabric, node.memory(), node.doors(), this, rank, node.size(),
                fabric == null ? 1 : fabric.rails().size(), coreForEach);
        if (fabric != null) {
            fabric.registerKnown(memory(), region(rank), made.handler());
        }
        return made;
    }

    /** Returns the memory of all regions. The fabric only checks that messages fit, because a handler takes them. */
    private MemorySegment memory() {
        if (memory == null) {
            long bytes = RankMessages.handlerBytesMax();
            memory = node.memory().block(node.memory().claim(bytes, "messages of other nodes"), bytes);
        }
        return memory;
    }

    // ---- where ranks are

    @Override
    public boolean isHere(int rank) {
        return node.isHere(rank);
    }

    @Override
    public boolean hasJoined(int rank) {
        return node.hasJoined(rank);
    }

    @Override
    public int process(int rank) {
        return node.firstRankOfProcess(rank);
    }

    @Override
    public long region(int rank) {
        if (regions[rank] == 0) {
            regions[rank] = node.secret().messageHandle(rank);
        }
        return regions[rank];
    }
}
