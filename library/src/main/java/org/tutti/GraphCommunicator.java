/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;

/**
 * A communicator with a directed graph, in which each rank names the ranks that send to it and the ranks that receive
 * from it. {@link Communicator#graph} creates it. The calls between neighbours are those of {@link Neighbourhood}. The
 * numbers of the ranks are those of the communicator from which the graph was created.
 *
 * <p>An edge may lead from a rank to itself, and several edges may lead from one rank to another. The first of them in
 * the targets of the sender is the first in the sources of the receiver, and so on.
 */
public final class GraphCommunicator extends Neighbourhood {
    private GraphCommunicator(Communicator communicator, int[] sources, int[] targets) {
        super(communicator, ends(sources), ends(targets));
    }

    private GraphCommunicator(GraphCommunicator viewed, Duration deadline) {
        super(viewed, deadline);
    }

    static GraphCommunicator of(Communicator parent, int[] sources, int[] targets) {
        int[] received = countsOf(parent, sources, "source");
        int[] sent = countsOf(parent, targets, "target");
        checkEdges(parent, received, sent);
        return new GraphCommunicator(parent.duplicate(), sources, targets);
    }

    private static NeighbourCalls.Ends ends(int[] ranks) {
        return new NeighbourCalls.Ends(ranks.clone(), new int[ranks.length]);
    }

    /** Returns how often each rank of the communicator is named. */
    private static int[] countsOf(Communicator parent, int[] neighbours, String name) {
        int[] counts = new int[parent.size()];
        for (int neighbour : neighbours) {
            if (neighbour < 0 || neighbour >= counts.length) {
                throw new IllegalArgumentException("rank " + parent.rank() + " called graph with " + name + " "
                        + neighbour + "; the ranks of the communicator are 0 to " + (counts.length - 1));
            }
            counts[neighbour]++;
        }
        return counts;
    }

    /** Checks that both ends of all edges agree. All ranks find the same wrong edge, the first one. */
    private static void checkEdges(Communicator parent, int[] received, int[] sent) {
        int size = parent.size();
        int[] told = new int[size]; // by each rank, the number of its edges to this one
        parent.allToAll(sent, told);
        long wrong = Long.MAX_VALUE; // the sender, the receiver, and whether the receiver names more edges
        for (int source = size - 1; source >= 0; source--) {
            if (told[source] != received[source]) {
                long edge = (long) source * size + parent.rank();
                wrong = 2 * edge + (received[source] > told[source] ? 1 : 0);
            }
        }
        wrong = parent.allreduce(wrong, Reduction.MIN);
        if (wrong != Long.MAX_VALUE) {
            long source = wrong / 2 / size;
            long target = wrong / 2 % size;
            throw new IllegalArgumentException(wrong % 2 == 0
                    ? "rank " + source + " names target " + target + " more often than rank " + target
                            + " names source " + source + "; name each edge of a graph at both ranks"
                    : "rank " + target + " names source " + source + " more often than rank " + source
                            + " names target " + target + "; name each edge of a graph at both ranks");
        }
    }

    @Override
    public GraphCommunicator withDeadline(Duration deadline) {
        return new GraphCommunicator(this, deadline);
    }

    @Override
    public String toString() {
        return "rank " + rank() + " of a graph, with " + sources().length + " sources and " + targets().length
                + " targets";
    }
}
