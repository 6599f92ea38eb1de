/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Trees embedded in the nodes of any group, with its ranks in any order. All placements of up to six ranks and all
 * roots are enumerated. The bytes of a message enter each node once, and leave it once on the way to the root. The
 * longest way is as long as a tree over equally many nodes is deep; the test counts depths from the definitions of the
 * trees.
 */
class EmbeddingTest {
    private static final int RANKS_MAX = 6;
    private static final int BYTES = 16;

    /** Trees, by the depth of a node that is so many after the root. */
    private enum Kind {
        /** Bit by bit to zero. */
        BINOMIAL("srm", "srm", Integer::bitCount),
        /** The same tree, with trees inside the nodes. */
        BINOMIAL_IN_NODES("srm-binomial", "srm", Integer::bitCount),
        /** Half way to zero. */
        BINARY("srm-binary", "srm-binary", position -> Integer.SIZE - 1 - Integer.numberOfLeadingZeros(position + 1)),
        /** The greatest Fibonacci number first, as many numbers as a sum needs. */
        FIBONACCI("srm-fibonacci", "srm-fibonacci", Kind::fibonacciNumbers);

        private final String broadcast;
        private final String reduce;
        private final IntUnaryOperator depth;

        Kind(String broadcast, String reduce, IntUnaryOperator depth) {
            this.broadcast = broadcast;
            this.reduce = reduce;
            this.depth = depth;
        }

        private static int fibonacciNumbers(int sum) {
            int last = 1;
            int next = 2;
            while (next <= sum) {
                int both = last + next;
                last = next;
                next = both;
            }
            return sum == 0 ? 0 : 1 + fibonacciNumbers(sum - last);
        }

        private Algorithm algorithm(Collective collective) {
            return Catalogue.find(collective, collective == Collective.BROADCAST ? broadcast : reduce);
        }

        private int depth(int nodes) {
            return IntStream.range(0, nodes).map(depth).max().orElseThrow();
        }
    }

    /** From node to node. */
    private record Put(int from, int to) {}

    private static List<Put> putsOf(Algorithm algorithm, Topology topology, int root) {
        List<Put> puts = new ArrayList<>();
        var call = new PlannedCall(algorithm, CheckedOperation.BYTES, root, BYTES, true, root);
        assertThat(Verifier.verify(topology, List.of(call), 1, root, (world, thread) -> new VerifyingMachine(world,
                thread) {
            @Override
            public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
                if (source.bytes() == BYTES) { // else it is a credit
                    puts.add(new Put(topology.nodeOf(thread), topology.nodeOf(target.process())));
                }
                return super.put(target, source, check);
            }
        })).isEmpty();
        return puts;
    }

    private static int depth(Map<Integer, Integer> parents, int node, int top) {
        return node == top ? 0 : 1 + depth(parents, parents.get(node), top);
    }

    private static void assertEmbedded(Kind kind, Topology topology, Collective collective, int root) {
        boolean down = collective == Collective.BROADCAST;
        int top = topology.nodeOf(root);
        Map<Integer, Integer> parents = new HashMap<>();
        for (Put put : putsOf(kind.algorithm(collective), topology, root)) {
            Integer before = parents.put(down ? put.to : put.from, down ? put.from : put.to);
            assertThat(before).as("a second way to node %s of %s", down ? put.to : put.from, topology).isNull();
        }
        assertThat(parents).as("%s, root %s", topology, root).hasSize(topology.nodes() - 1).doesNotContainKey(top);
        assertThat(parents.keySet().stream().mapToInt(node -> depth(parents, node, top)).max().orElse(0))
                .as("the depth on %s with root %s", topology, root).isEqualTo(kind.depth(topology.nodes()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldEnterEachNodeOnce(Kind kind) {
        int cases = 0;
        for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
            for (Topology topology : GroupVerificationTest.placements(ranks)) {
                for (int root = 0; root < ranks; root++) {
                    assertEmbedded(kind, topology, Collective.BROADCAST, root);
                    assertEmbedded(kind, topology, Collective.REDUCE, root);
                    cases++;
                }
            }
        }
        assertThat(cases).isEqualTo(2 * 2 + 3 * 5 + 4 * 15 + 5 * 52 + 6 * 203);
    }
}
