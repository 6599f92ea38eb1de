/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Random;
import java.util.function.Consumer;

import org.tutti.job.LocalNodes;
import org.tutti.job.UnlentMemory;

/** A way to run a program on three ranks, for tests of messages. */
enum MessageShape {
    THREADS(program -> Tutti.runLocal(3, program)),
    VIRTUAL_THREADS(program -> Tutti.runLocal(3, JobOptions.DEFAULT.withThreads(JobOptions.Threads.VIRTUAL), program)),
    WITHOUT_LOANS(program -> LocalNodes.run(new int[]{0, 0, 0}, UnlentMemory::new, program)),
    THREE_NODES(program -> LocalNodes.run(new int[]{0, 1, 2}, program)),
    TWO_NODES(program -> LocalNodes.run(new int[]{0, 1, 0}, program)),
    TWO_RAILS(program -> LocalNodes.run(new int[]{0, 1, 1}, JobOptions.Threads.PLATFORM, 2, program));

    /** Lengths in bytes around the limits: of a slot, of eager messages, of a chunk, of a frame. */
    static final int[] LENGTHS = {0, 1, 8, 39, 40, 41, 48, 1000, 8191, 8192, 8193, 32_767, 32_768, 32_769, 65_536,
            65_537, 300_000, 1_200_000};

    private final Consumer<Program> runner;

    MessageShape(Consumer<Program> runner) {
        this.runner = runner;
    }

    void run(Program program) {
        runner.accept(program);
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
