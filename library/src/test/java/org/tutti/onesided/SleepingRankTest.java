/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Mutexes;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Tutti;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.memory.Futexes;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A rank that sleeps until its part is notified, or until it is given a mutex. The rank is awake for moments between
 * its sleeps, so not each writer needs to wake it.
 */
@Timeout(60)
class SleepingRankTest {
    private static final int TURNS = 10;
    private static final long WAIT_MILLIS = 100; // the rank then sleeps for some milliseconds at a time
    private static final long LINES_PER_PAGE = 4096 / Words.LINE_BYTES;

    /** A program of a rank with remote memory whose words have futexes. */
    private interface Program {
        void run(Communicator world, RemoteMemory parts) throws InterruptedException;
    }

    @Test
    void shouldBeWokenByANotificationOfItsNode() {
        assertThat(wakeUps(1, (_, parts) -> {
            Thread owner = Thread.ofPlatform().start(() -> {
                for (int turn = 0; turn < TURNS; turn++) {
                    parts.awaitMore(0, 1);
                }
            });
            for (int turn = 0; turn < TURNS; turn++) {
                Thread.sleep(WAIT_MILLIS);
                parts.at(0).elements().putNotify(0, new long[]{turn}, 0);
            }
            owner.join();
        })).isBetween(1, TURNS);
    }

    @Test
    void shouldBeWokenByAnUnlockOfItsNode() {
        assertThat(wakeUps(2, (world, parts) -> {
            try (Mutexes mutexes = parts.allocateMutexes(1)) {
                for (int turn = 0; turn < TURNS; turn++) {
                    passFromRank0(world, mutexes);
                }
            }
        })).isBetween(1, TURNS);
    }

    private static void passFromRank0(Communicator world, Mutexes mutexes) throws InterruptedException {
        if (world.rank() == 0) {
            mutexes.lock(0, 0);
        }
        world.barrier();
        if (world.rank() == 0) {
            Thread.sleep(WAIT_MILLIS);
        } else {
            mutexes.lock(0, 0);
        }
        mutexes.unlock(0, 0);
        world.barrier();
    }

    @Test
    void shouldBeWokenByAnUnlockOfAnotherThread() {
        assertThat(wakeUps(1, (_, parts) -> {
            try (Mutexes mutexes = parts.allocateMutexes(1)) {
                for (int turn = 0; turn < TURNS; turn++) {
                    mutexes.lock(0, 0);
                    Thread other = Thread.ofPlatform().start(() -> {
                        mutexes.lock(0, 0);
                        mutexes.unlock(0, 0);
                    });
                    Thread.sleep(WAIT_MILLIS);
                    mutexes.unlock(0, 0);
                    other.join();
                }
            }
        })).isBetween(1, TURNS);
    }

    /** Runs a program on the ranks of a node, and returns how often a writer has woken sleeping threads. */
    private static int wakeUps(int ranks, Program program) {
        try (var memory = new PrivateMemory(); var arena = Arena.ofShared()) {
            MemorySegment words = arena.allocate(Futexes.BYTES, Words.LINE_BYTES);
            Tutti.runLocal(ranks, job -> {
                try (RemoteMemory parts = allocate(job.world(), memory, new Futexes(words))) {
                    program.run(job.world(), parts);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            return wakeUps(words);
        }
    }

    private static RemoteMemory allocate(Communicator world, Memory memory, Futexes futexes) {
        var allocator = new Allocator(memory, null, () -> false, new ScriptedMembers(), null, futexes, true,
                new ProgressPolicy(), () -> false);
        return allocator.allocate(world, table -> world.allreduce(table, Reduction.SUM), DataType.LONG, 1, 1,
                () -> Long.MAX_VALUE);
    }

    /** Returns the sum of the numbers that grow with each wake-up, which follow the counts of sleepers. */
    private static int wakeUps(MemorySegment futexes) {
        int sum = 0;
        for (long line = 0; line < LINES_PER_PAGE; line++) {
            assertThat(futexes.getAtIndex(ValueLayout.JAVA_INT, line)).as("threads that sleep").isZero();
            sum += futexes.getAtIndex(ValueLayout.JAVA_INT, LINES_PER_PAGE + line);
        }
        return sum;
    }
}
