/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Assigns ranks to nodes and processes: each node has a run of consecutive ranks, and each of its processes a part of
 * this run. A process never spans nodes, so the last process of each node may have fewer ranks than the others.
 */
final class Placement {
    private final int ranksPerProcess;
    private final int[] firstRanks; // of each node, followed by the size of the job
    private final int[] firstProcesses;

    /**
     * @param nodeRanks the number of ranks of each node
     * @param ranksPerProcess the number of ranks of every process except the last of a node
     */
    Placement(List<Integer> nodeRanks, int ranksPerProcess) {
        this.ranksPerProcess = ranksPerProcess;
        this.firstRanks = new int[nodeRanks.size() + 1];
        this.firstProcesses = new int[nodeRanks.size() + 1];
        for (int node = 0; node < nodeRanks.size(); node++) {
            firstRanks[node + 1] = firstRanks[node] + nodeRanks.get(node);
            firstProcesses[node + 1] = firstProcesses[node] + Math.ceilDiv(nodeRanks.get(node), ranksPerProcess);
        }
    }

    /** {@return a placement in blocks that differ by one rank at most, the larger ones first} */
    static Placement even(int size, int nodes, int ranksPerProcess) {
        return new Placement(
                IntStream.range(0, nodes).mapToObj(node -> size / nodes + (node < size % nodes ? 1 : 0)).toList(),
                ranksPerProcess);
    }

    int size() {
        return firstRanks[nodes()];
    }

    int nodes() {
        return firstRanks.length - 1;
    }

    int processes() {
        return firstProcesses[nodes()];
    }

    /** {@return the number of ranks of every process except the last of a node} */
    int ranksPerProcess() {
        return ranksPerProcess;
    }

    /** {@return the ranks of a node} */
    RankRange ranksOfNode(int node) {
        return new RankRange(firstRanks[node], firstRanks[node + 1] - 1);
    }

    /** {@return the number of a node's first process among all processes of the job} */
    int firstProcessOf(int node) {
        return firstProcesses[node];
    }

    /** {@return the number of a node's processes} */
    int processesOf(int node) {
        return firstProcesses[node + 1] - firstProcesses[node];
    }

    int nodeOfRank(int rank) {
        return block(firstRanks, rank);
    }

    int nodeOfProcess(int process) {
        return block(firstProcesses, process);
    }

    /** {@return the ranks of the process with this number} */
    RankRange ranksOf(int process) {
        int node = nodeOfProcess(process);
        return part(ranksOfNode(node), process - firstProcesses[node], ranksPerProcess);
    }

    /** {@return the number of the process that holds this rank} */
    int processOf(int rank) {
        int node = nodeOfRank(rank);
        return firstProcesses[node] + (rank - firstRanks[node]) / ranksPerProcess;
    }

    /** {@return the ranks of one process of a node, given the ranks of the node} */
    static RankRange part(RankRange nodeRanks, int process, int ranksPerProcess) {
        int first = nodeRanks.first() + process * ranksPerProcess;
        return new RankRange(first, Math.min(first + ranksPerProcess - 1, nodeRanks.last()));
    }

    private static int block(int[] firsts, int index) {
        int found = Arrays.binarySearch(firsts, index);
        return found >= 0 ? found : -found - 2;
    }
}
