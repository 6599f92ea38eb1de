/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The slot ring under pressure: ranks dawdle at random places, so that some run ahead by as many operations as the ring
 * allows while others are still inside old ones; operations of all sizes and kinds are in flight together. Every value
 * is checked: a slot that was used again too early, or a window, shows as a wrong value.
 */
@Timeout(300)
class SlotStressTest {
    private static final int OPERATIONS = 3000;

    @ParameterizedTest
    @CsvSource({"2,PLATFORM,1", "2,PLATFORM,2", "3,PLATFORM,3", "7,PLATFORM,4", "2,VIRTUAL,5", "3,VIRTUAL,6",
            "8,VIRTUAL,7",
            "40,VIRTUAL,8"})
    void shouldKeepOperationsInFlightApart(int ranks, JobOptions.Threads kind, long seed) {
        Tutti.runLocal(ranks, JobOptions.DEFAULT.withThreads(kind), job -> {
            Communicator world = job.world();
            Random common = new Random(seed);
            Random own = new Random(seed * 1000 + job.rank());
            for (int operation = 0; operation < OPERATIONS; operation++) {
                int draw = common.nextInt(100);
                int count = draw < 60 ? 1 + draw % 6 : draw < 95 ? draw * 20 : draw * 200;
                int root = common.nextInt(ranks);
                int kindOfCall = common.nextInt(10);
                int algorithm = common.nextInt(3);
                dawdle(own);
                call(world, operation, count, root, kindOfCall, algorithm);
            }
        });
    }

    private static void call(Communicator world, int operation, int count, int root, int kind, int algorithm) {
        int size = world.size();
        long[] values = new long[count];
        if (kind < 5) {
            for (int i = 0; i < count; i++) {
                values[i] = world.rank() == root ? operation * 1000L + i : -1;
            }
            world.withAlgorithm(Collective.BROADCAST, algorithm == 0 ? "srm" : "slot-ring").broadcast(values, root);
            check(values, operation, 1, 0);
        } else if (kind < 8) {
            fill(values, operation, world.rank());
            world.withAlgorithm(Collective.REDUCE, name(algorithm)).reduce(values, Reduction.SUM, root);
            if (world.rank() == root) {
                check(values, operation, size, size * (size - 1) / 2);
            }
        } else if (kind < 9) {
            fill(values, operation, world.rank());
            world.withAlgorithm(Collective.ALLREDUCE, name(algorithm)).allreduce(values, Reduction.SUM);
            check(values, operation, size, size * (size - 1) / 2);
        } else {
            world.barrier();
        }
    }

    private static String name(int algorithm) {
        return new String[]{"flat", "srm", "index-range"}[algorithm];
    }

    private static void fill(long[] values, int operation, int rank) {
        for (int i = 0; i < values.length; i++) {
            values[i] = operation * 1000L + i + rank;
        }
    }

    private static void check(long[] values, int operation, int factor, int addend) {
        for (int i = 0; i < values.length; i++) {
            long expected = (operation * 1000L + i) * factor + addend;
            if (values[i] != expected) {
                throw new AssertionError("operation " + operation + ", element " + i + " of " + values.length + " is "
                        + values[i] + " instead of " + expected);
            }
        }
    }

    private static void dawdle(Random own) {
        int draw = own.nextInt(200);
        if (draw == 0) {
            LockSupport.parkNanos(300_000);
        } else if (draw < 10) {
            Thread.yield();
        }
    }
}
