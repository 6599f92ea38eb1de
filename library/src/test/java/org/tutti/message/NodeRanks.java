/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;

/** The messages of ranks of several nodes without a job. The ranks of a node are in one process. */
final class NodeRanks implements AutoCloseable {
    private static final long FIRST_REGION = 1000;

    private final int[] nodeOfRank;
    private final MessageProgress[] progresses;
    private final RankMessages[] messages;
    private final List<Memory> memories = new ArrayList<>();

    /**
     * Creates the messages of the ranks.
     *
     * @param nodeOfRank the node of each rank
     * @param fabrics returns the fabric of a process, which is named by its first rank; null with one node
     * @param rails the number of rails between two nodes
     * @param makesMemory makes the memory of a node
     * @param background runs what the ranks need beside the calling threads
     * @param progress returns the progress of waiting threads of a process with a fabric
     * @param arena the arena of the regions of the ranks
     */
    NodeRanks(int[] nodeOfRank, IntFunction<? extends SectionTransport> fabrics, int rails,
            Supplier<? extends Memory> makesMemory, Background background,
            Function<SectionTransport, Waiter.Progress> progress, Arena arena) {
        this.nodeOfRank = nodeOfRank;
        int size = nodeOfRank.length;
        progresses = new MessageProgress[size];
        messages = new RankMessages[size];
        for (int node : IntStream.of(nodeOfRank).distinct().toArray()) {
            Memory memory = memory(makesMemory);
            SectionTransport fabric = fabrics.apply(process(nodeOfRank, node));
            MemorySegment doors = memory.block(memory.claim(Doors.bytes(size), "doors"), Doors.bytes(size));
            MemorySegment region = arena.allocate(RankMessages.handlerBytesMax());
            for (int rank = 0; rank < size; rank++) {
                if (nodeOfRank[rank] == node) {
                    progresses[rank] = new MessageProgress(progress.apply(fabric));
                    var machine = new LiveMachine(new Waiter(false, progresses[rank]), fabric);
                    messages[rank] = new RankMessages(background, progresses[rank], machine, fabric, memory, doors,
                            new Addresses(node), rank, size, rails, false);
                    if (fabric != null) {
                        fabric.registerKnown(region, FIRST_REGION + rank, messages[rank].handler());
                    }
                }
            }
        }
    }

    private Memory memory(Supplier<? extends Memory> makesMemory) {
        memories.add(makesMemory.get());
        return memories.getLast();
    }

    /** Closes the memories of the nodes, which no thread uses any more. */
    @Override
    public void close() {
        memories.forEach(Memory::close);
    }

    /** Returns the first rank of a node. */
    static int process(int[] nodeOfRank, int node) {
        return IntStream.range(0, nodeOfRank.length).filter(rank -> nodeOfRank[rank] == node).findFirst().orElseThrow();
    }

    /** Returns the messages of a rank on a communicator with a number. */
    CommunicatorMessages messages(int rank, long communicator) {
        return new CommunicatorMessages(messages[rank], communicator, HealthyMembers.INSTANCE, rank, nodeOfRank.length,
                () -> 0);
    }

    /** Polls as a waiting thread of a rank does. */
    void poll(int rank) {
        progresses[rank].poll();
    }

    /** The places of the ranks, as a node sees them. */
    private final class Addresses implements RankAddresses {
        private final int node;

        Addresses(int node) {
            this.node = node;
        }

        @Override
        public boolean isHere(int rank) {
            return nodeOfRank[rank] == node;
        }

        @Override
        public boolean hasJoined(int rank) {
            return true;
        }

        @Override
        public int process(int rank) {
            return NodeRanks.process(nodeOfRank, nodeOfRank[rank]);
        }

        @Override
        public long region(int rank) {
            return FIRST_REGION + rank;
        }
    }
}
