/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import org.tutti.job.LocalNodes;
import org.tutti.job.UnlentMemory;

/** A way to run a program on some ranks, for tests of messages and of calls between neighbours. */
enum MessageShape {
    THREADS(Tutti::runLocal),
    VIRTUAL_THREADS((ranks, program) -> Tutti.runLocal(ranks,
            JobOptions.DEFAULT.withThreads(JobOptions.Threads.VIRTUAL), program)),
    WITHOUT_LOANS((ranks, program) -> LocalNodes.run(new int[ranks], UnlentMemory::new, program)),
    THREE_NODES((ranks, program) -> LocalNodes.run(nodes(ranks, 3), program)),
    TWO_NODES((ranks, program) -> LocalNodes.run(nodes(ranks, 2), program)),
    TWO_RAILS((ranks, program) -> LocalNodes.run(nodes(ranks, 2), JobOptions.Threads.PLATFORM, 2, program));

    /** Lengths in bytes around the limits: of a slot, of eager messages, of a chunk, of a frame. */
    static final int[] LENGTHS = {0, 1, 8, 39, 40, 41, 48, 1000, 8191, 8192, 8193, 32_767, 32_768, 32_769, 65_536,
            65_537, 300_000, 1_200_000};

    private final BiConsumer<Integer, Program> runner;

    MessageShape(BiConsumer<Integer, Program> runner) {
        this.runner = runner;
    }

    /** Runs a program on three ranks. */
    void run(Program program) {
        run(3, program);
    }

    void run(int ranks, Program program) {
        runner.accept(ranks, program);
    }

    /** Deals ranks to nodes in turn, so that the nodes are equally large if they can be. */
    private static int[] nodes(int ranks, int nodes) {
        return IntStream.range(0, ranks).map(rank -> rank % nodes).toArray();
    }

    static byte[] bytes(int length, int seed) {
        byte[] data = new byte[length];
        new Random(seed).nextBytes(data);
        return data;
    }

    static int[] ints(int length, int seed) {
        return new Random(seed).ints(length).toArray();
    }
}
