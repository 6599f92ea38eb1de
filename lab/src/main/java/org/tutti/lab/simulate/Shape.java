/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.choice.Choice;
import org.tutti.collective.Algorithm;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.memory.Bytes;
import org.tutti.simulator.Levels;
import org.tutti.tool.Candidates;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Describes the simulations of a command: the options that {@code tutti simulate} and {@code tutti draw} share. */
final class Shape {
    static final int RANKS_MAX = 1 << 20;

    static final long BYTES_MAX = 1L << 30;

    @Parameters(index = "0", arity = "0..1", paramLabel = "collective",
            completionCandidates = Candidates.Collectives.class,
            description = "Such as barrier, allreduce or all-to-all.")
    private String collective;

    @Option(names = "--algorithm", split = ",", paramLabel = "algorithm",
            completionCandidates = Candidates.Algorithms.class,
            description = "Algorithms, as tutti info --algorithms lists them. Default: all.")
    private List<String> algorithms = List.of();

    @Option(names = "--nodes", paramLabel = "count", defaultValue = "1", description = "Number of nodes. Default: 1.")
    private int nodes;

    @Option(names = "--ranks-per-node", paramLabel = "count", defaultValue = "4",
            description = "Number of ranks on each node. Default: 4.")
    private int ranksPerNode;

    @Option(names = "--levels", paramLabel = "ranks,...",
            description = "Levels inside a node, such as 8,64, or none. Default: those of the model.")
    private String levels;

    @Option(names = "--bytes", split = ",", paramLabel = "bytes", defaultValue = "8",
            description = "Sizes of messages, multiples of 8, such as 8,1k,1m. Default: 8.")
    private List<String> sizes;

    @Option(names = "--root", paramLabel = "rank", defaultValue = "0", description = "The root. Default: 0.")
    private int root;

    /** {@return whether the command line names a collective or an algorithm} */
    boolean isNamed() {
        return collective != null || !algorithms.isEmpty();
    }

    Collective collective() {
        return collective(collective);
    }

    /** {@return the collective with this name; null if the command line gave no name} */
    static Collective collective(String name) {
        return Arrays.stream(Collective.values()).filter(each -> each.label().equals(name)).findFirst()
                .orElseThrow(() -> new UsageException((name == null ? "no collective is named"
                        : "there is no collective \"" + name + "\"")
                        + "; name one of " + Arrays.stream(Collective.values()).map(Collective::label)
                                .collect(Collectors.joining(", "))));
    }

    /** {@return the node of each rank, with the model's levels if the command line does not give levels} */
    Topology topology(Levels ofModel) {
        if (nodes < 1 || ranksPerNode < 1 || (long) nodes * ranksPerNode > RANKS_MAX || nodes * ranksPerNode < 2) {
            throw new UsageException("--nodes " + nodes + " with --ranks-per-node " + ranksPerNode
                    + " is not possible; give 2 to " + RANKS_MAX + " ranks in all");
        }
        return topology(nodes, ranksPerNode).withLevels(
                levels == null ? ofModel.sizes().stream().mapToInt(Integer::intValue).toArray() : levels());
    }

    /** {@return a topology of nodes with equally many ranks, which follow each other} */
    static Topology topology(int nodes, int ranksPerNode) {
        int[] nodeOfRank = new int[nodes * ranksPerNode];
        for (int rank = 0; rank < nodeOfRank.length; rank++) {
            nodeOfRank[rank] = rank / ranksPerNode;
        }
        return new Topology(nodeOfRank);
    }

    private int[] levels() {
        try {
            return JobEnvironment.parseLevels(levels.equals("none") ? "" : levels);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--levels " + levels + " is not possible: " + e.getMessage());
        }
    }

    /** {@return the algorithm that Tutti chooses for commutative operators} */
    static Algorithm chosen(Collective collective, Topology topology, long bytes) {
        return Choice.DEFAULT.shortlist(topology).algorithm(collective, bytes, true);
    }

    int root() {
        if (root < 0 || root >= nodes * ranksPerNode) {
            throw new UsageException(
                    "--root " + root + " is no rank; there are ranks 0 to " + (nodes * ranksPerNode - 1));
        }
        return root;
    }

    List<Algorithm> algorithms() {
        if (!algorithms.isEmpty()) {
            return algorithms.stream().map(this::algorithm).toList();
        }
        return Catalogue.of(collective());
    }

    private Algorithm algorithm(String name) {
        try {
            return Catalogue.find(collective(), name);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--algorithm " + name + ": " + e.getMessage());
        }
    }

    List<Long> sizes() {
        return collective().hasElements() ? sizes.stream().map(Shape::bytes).toList() : List.of(0L);
    }

    static long bytes(String text) {
        try {
            long bytes = Bytes.parse(text);
            if (bytes <= BYTES_MAX && bytes % Long.BYTES == 0) {
                return bytes;
            }
        } catch (NumberFormatException _) {
            // reported below, together with sizes out of range
        }
        throw new UsageException("--bytes " + text + " is not possible; give multiples of 8 from 0 to 1024m");
    }
}
