/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.tutti.collective.Algorithm;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.NodeStage;
import org.tutti.collective.stage.RunChain;
import org.tutti.pattern.NomialTree;
import org.tutti.pattern.Partition;
import org.tutti.pattern.StarTree;
import org.tutti.pattern.Tree;

/** The parts of formulas that algorithms of several collectives share. */
final class Stages {
    /**
     * The number of waits of a rank in a round that the ranks of a node combine by range: for parts, sum and result.
     */
    private static final int STEPS_BY_RANGE = 3;

    private static final Pattern PORTS = Pattern.compile(".*@(\\d+)-ports");

    private Stages() {}

    /** {@return the number of ports in the name of an algorithm, as in {@code bruck@3-ports}; 1 if it has none} */
    static int ports(Algorithm algorithm) {
        Matcher ports = PORTS.matcher(algorithm.description().name());
        return ports.matches() ? Integer.parseInt(ports.group(1)) : 1;
    }

    /** {@return ⌊log₂ count⌋} */
    static double floorLog(int count) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(count);
    }

    /** {@return ⌈log₂ count⌉} */
    static double ceilingLog(int count) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
    }

    /** {@return the length of the longest way from the root of a tree to a leaf} */
    static int height(Tree tree, int size) {
        int[] depths = new int[size];
        for (int position = 1; position < size; position++) { // parents come before their children
            depths[position] = depths[tree.parent(position, size)] + 1;
        }
        return Arrays.stream(depths).max().orElseThrow();
    }

    /** {@return the number of chunks of a message; 1 if it is empty} */
    static double chunks(long bytes, double chunk) {
        return Math.max(1, Math.ceil(bytes / chunk));
    }

    /**
     * Each rank reads the block of each rank.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param bytes the length of a block
     * @param combines whether the blocks are combined, rather than copied
     * @return the cost
     */
    static Cost contributions(int nodes, int localRanks, long bytes, boolean combines) {
        double read = (double) bytes * nodes * localRanks;
        double others = (double) localRanks * (nodes - 1);
        int waits = localRanks == 1 ? 0 : 1;
        return new Cost(waits, combines ? 2.0 * bytes : bytes + read, combines ? read : 0, nodes == 1 ? 0 : 1,
                others * bytes).withFurtherPuts(nodes == 1 ? 0 : others - 1);
    }

    /**
     * Each rank copies the block of each rank, and masters pass on the blocks that they have received.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param bytes the length of a block
     * @param steps the number of waits of a node for another one, one after the other
     * @return the cost
     */
    static Cost relayed(int nodes, int localRanks, long bytes, int steps) {
        Cost direct = contributions(nodes, localRanks, bytes, false);
        return new Cost(direct.memorySteps(), direct.memoryBytes(), 0, steps, direct.railBytes())
                .withFurtherPuts((nodes - 1.0) * localRanks - steps);
    }

    /** Returns the cost of {@link #relayed(int, int, long, int)} in the steps of a (k+1)-nomial tree of k ports. */
    static Cost relayed(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return relayed(nodes, localRanks, bytes, NomialTree.steps(nodes, ports(algorithm)));
    }

    /**
     * Each rank has blocks for, or from, other ranks, and each node sends to the other nodes one after the other.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param bytes the length of a block
     * @param blocksPerPiece the number of blocks that a rank sends to another node
     * @return the cost
     */
    static Cost pieces(int nodes, int localRanks, long bytes, int blocksPerPiece) {
        double blocks = (double) nodes * localRanks;
        double pieces = (double) localRanks * (nodes - 1);
        return new Cost(localRanks == 1 ? 0 : 1, 2 * blocks * bytes, 0, nodes - 1.0, pieces * blocksPerPiece * bytes)
                .withFurtherPuts(pieces - (nodes - 1));
    }

    /**
     * In each round the ranks of a node combine their elements, the masters combine between nodes, and the ranks take
     * the result ({@link NodeStage}).
     *
     * @param localRanks the number of ranks of each node
     * @param bytes the length of the message
     * @param chunk the bytes of a round
     * @param railSteps the number of waits of the masters for each other in a round, one after the other
     * @param railBytes the bytes that cross rails in all rounds, one after the other
     * @param railCombinedBytes the bytes that the masters combine in all rounds, one after the other
     * @param aloneBytes the bytes that a rank copies if it is alone on its node
     * @return the cost
     */
    static Cost nodeStage(int localRanks, long bytes, long chunk, double railSteps, double railBytes,
            double railCombinedBytes, double aloneBytes) {
        double rounds = chunks(bytes, chunk);
        if (localRanks == 1) {
            return new Cost(0, aloneBytes, railCombinedBytes, rounds * railSteps, railBytes);
        }
        double others = localRanks - 1;
        return Math.min(bytes, chunk) < NodeStage.BY_RANGE_BYTES_MIN
                ? new Cost(2 * rounds, 2.0 * bytes, others * bytes + railCombinedBytes, rounds * railSteps, railBytes)
                : new Cost(STEPS_BY_RANGE * rounds, bytes * (1 + others / localRanks),
                        bytes * others / localRanks + railCombinedBytes, rounds * railSteps, railBytes);
    }

    /**
     * The ranks of one node combine by index range: each combines its part of every rank's elements.
     *
     * @param localRanks the number of ranks
     * @param bytes the length of the message
     * @param chunk the bytes of a round
     * @return the cost
     */
    static Cost indexRange(int localRanks, long bytes, long chunk) {
        double part = (double) bytes * (localRanks - 1) / localRanks;
        return new Cost(2 * chunks(bytes, chunk), 2 * part, part, 0, 0);
    }

    /**
     * The ranks combine in their order ({@link RunChain}). The formula assumes that ranks are placed in blocks, so that
     * each node has one run.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param bytes the length of the message
     * @param receivers the number of nodes to which the result is put, if there are several nodes
     * @return the cost
     */
    static Cost rankOrder(int nodes, int localRanks, long bytes, int receivers) {
        double chunks = chunks(bytes, RunChain.CHUNK_BYTES);
        double ranks = (double) nodes * localRanks;
        return new Cost(localRanks == 1 ? 0 : 2 * chunks, 2.0 * bytes, (ranks - 1) * bytes,
                nodes == 1 ? 0 : chunks * (nodes + 1), nodes == 1 ? 0 : (nodes - 1.0 + receivers) * bytes);
    }

    /**
     * {@return the waits of a rank for another rank of its node in a chunk of Cheng's scheme} If the masters are drawn,
     * the first rank of a node waits for the SMP master before it sends the node's sum, and before it hands out the
     * total.
     *
     * @param masters determines the masters
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param fixed the number of waits if the SMP masters are the first ranks of their nodes
     */
    static double chengWaits(ChengMasters masters, int nodes, int localRanks, int fixed) {
        return localRanks == 1 ? 0 : masters.isDrawn() && nodes > 1 ? fixed + 2 : fixed;
    }

    /**
     * The first chunk goes down the tree of nodes. The others follow at the pace of the busiest node, which sends every
     * chunk to each of its children. In a node a byte is copied to shared memory and from there, because all ranks read
     * the same buffers.
     *
     * @param shape the tree
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param bytes the length of the message
     * @param chunk the length of a chunk
     * @param setUpSteps the number of waits of a node for another one before the first chunk
     * @return the cost
     */
    static Cost pipeline(Tree shape, int nodes, int localRanks, long bytes, long chunk, int setUpSteps) {
        return pipeline(shape, StarTree.INSTANCE, nodes, localRanks, bytes, chunk, setUpSteps);
    }

    /**
     * Returns the cost of {@link #pipeline(Tree, int, int, long, long, int)} if the ranks of a node form a tree. The
     * first chunk goes down that tree, too. The others follow at the pace of an inner rank, which copies twice.
     */
    static Cost pipeline(Tree shape, Tree inNode, int nodes, int localRanks, long bytes, long chunk, int setUpSteps) {
        int chunks = Partition.chunks(bytes, chunk);
        double first = Math.min(bytes, chunk);
        int waits = height(inNode, localRanks);
        if (nodes == 1) {
            return waits == 0 ? new Cost(0, 0, 0, 0, 0)
                    : new Cost(waits + chunks - 1.0, (waits + 1) * first + Math.min(waits, 2) * (bytes - first), 0, 0,
                            0);
        }
        int[] depths = new int[nodes];
        int[] sends = new int[nodes]; // sends of the first chunk, one after the other, until a node has it
        int height = 0;
        int sendsMax = 0;
        int degree = 0;
        for (int position = 0; position < nodes; position++) {
            int children = shape.children(position, nodes);
            degree = Math.max(degree, children);
            for (int index = 0; index < children; index++) {
                int child = shape.child(position, index, nodes);
                depths[child] = depths[position] + 1;
                sends[child] = sends[position] + children - index;
                height = Math.max(height, depths[child]);
                sendsMax = Math.max(sendsMax, sends[child]);
            }
        }
        return new Cost(waits, Math.max(2, waits + 1) * first, 0, setUpSteps + height + (chunks - 1),
                sendsMax * first + degree * (bytes - first));
    }
}
