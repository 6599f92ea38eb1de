/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.job.LocalNodes;
import org.tutti.job.UnlentMemory;

/** Ways to run a program on any number of ranks. */
final class NeighbourShapes {
    /** A way to run a program on some ranks. */
    record Shape(String name, BiConsumer<Integer, Program> runner) {
        void run(int ranks, Program program) {
            runner.accept(ranks, program);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private NeighbourShapes() {}

    static Stream<Shape> all() {
        return Stream.of(new Shape("threads", Tutti::runLocal),
                new Shape("virtual threads", (ranks, program) -> Tutti.runLocal(ranks,
                        JobOptions.DEFAULT.withThreads(JobOptions.Threads.VIRTUAL), program)),
                new Shape("without loans",
                        (ranks, program) -> LocalNodes.run(new int[ranks], UnlentMemory::new, program)),
                new Shape("three nodes", (ranks, program) -> LocalNodes.run(nodes(ranks, 3), program)),
                new Shape("two nodes", (ranks, program) -> LocalNodes.run(nodes(ranks, 2), program)),
                new Shape("two rails", (ranks, program) -> LocalNodes.run(nodes(ranks, 2),
                        JobOptions.Threads.PLATFORM, 2, program)));
    }

    /** Deals ranks to nodes in turn, so that the nodes are equally large if they can be. */
    private static int[] nodes(int ranks, int nodes) {
        return IntStream.range(0, ranks).map(rank -> rank % nodes).toArray();
    }
}
