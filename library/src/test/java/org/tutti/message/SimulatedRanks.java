/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import org.tutti.fabric.tcp.SimulatedNetwork;
import org.tutti.job.UnlentMemory;
import org.tutti.memory.Looks;
import org.tutti.memory.PrivateMemory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ranks whose messages one thread moves, as a seed says. The thread makes the calls of all ranks. Between two calls,
 * and while a call waits, the thread takes in frames of the simulated network, moves messages in flight, and runs what
 * would run on threads of its own. A run is the same every time.
 */
final class SimulatedRanks implements Background, AutoCloseable {
    private static final int TURNS_MAX = 1_000_000;
    private static final int TURNS_PER_LOOK = 20;

    private final RandomGenerator random;
    private final int[] nodeOfRank;
    private final int rails;
    private final SimulatedNetwork network;
    private final NodeRanks ranks;
    private final List<Runnable> tasks = new ArrayList<>();
    private boolean isTurning;

    /**
     * Creates ranks.
     *
     * @param random decides how the ranks and the network go on
     * @param nodeOfRank the node of each rank
     * @param rails the number of rails between two nodes
     * @param lends whether ranks of a node lend memory to each other, as threads of a process do
     * @param arena the arena of memory of the network
     */
    SimulatedRanks(RandomGenerator random, int[] nodeOfRank, int rails, boolean lends, Arena arena) {
        this.random = random;
        this.nodeOfRank = nodeOfRank;
        this.rails = rails;
        int[] processes =
                IntStream.of(nodeOfRank).distinct().map(node -> NodeRanks.process(nodeOfRank, node)).toArray();
        this.network = new SimulatedNetwork(random, processes, rails, arena);
        this.ranks = new NodeRanks(nodeOfRank, processes.length == 1 ? _ -> null : network::fabric, rails,
                lends ? PrivateMemory::new : UnlentMemory::new, this, _ -> this::turn, arena);
    }

    /** Returns the calls of a rank on a communicator with a number. */
    MatchingCalls calls(int rank, long communicator) {
        return new RankCalls(ranks.messages(rank, communicator), false, request -> turnUntil(request::isDone));
    }

    int size() {
        return nodeOfRank.length;
    }

    /** Returns how many rails have broken. */
    long cuts() {
        return network.cuts();
    }

    /** Returns how many accesses to regions were refused. */
    long refusals() {
        return network.refusals();
    }

    // ---- turns

    @Override
    public void start(String name, Runnable task) {
        tasks.add(task);
    }

    @Override
    public void watch(Looks.Look look) {
        // turns move the messages in flight
    }

    /** Makes a step of some other thread. Returns true, because the calling thread would sleep otherwise. */
    boolean turn() {
        if (!isTurning) {
            isTurning = true;
            try {
                int choice = random.nextInt(10);
                if (choice < 6) {
                    network.turn();
                } else if (choice < 8) {
                    ranks.poll(random.nextInt(size()));
                } else if (!tasks.isEmpty()) {
                    tasks.remove(random.nextInt(tasks.size())).run();
                }
            } finally {
                isTurning = false;
            }
        }
        return true;
    }

    /** Makes steps until a condition holds. Looks at intervals, because a thread that asks in vain yields. */
    void turnUntil(BooleanSupplier condition) {
        for (int turns = 0; !condition.getAsBoolean(); turns += TURNS_PER_LOOK) {
            assertThat(turns).as("turns without an end").isLessThan(TURNS_MAX);
            for (int turn = 0; turn < TURNS_PER_LOOK; turn++) {
                turn();
            }
        }
    }

    @Override
    public void close() {
        ranks.close();
    }

    @Override
    public String toString() {
        return "ranks on the nodes " + Arrays.toString(nodeOfRank) + " with " + rails + " rails";
    }
}
