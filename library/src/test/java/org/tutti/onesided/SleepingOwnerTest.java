/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.DataType;
import org.tutti.RemoteMemory;
import org.tutti.Tutti;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.memory.Futexes;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.ProgressPolicy;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** A rank that sleeps until its part is notified. */
@Timeout(60)
class SleepingOwnerTest {
    private static final int TURNS = 10;
    private static final long WAIT_MILLIS = 100; // the rank then sleeps for some milliseconds at a time
    private static final long LINES_PER_PAGE = 4096 / Words.LINE_BYTES;

    /** The rank is awake for moments between its sleeps, so not each notification needs to wake it. */
    @Test
    void shouldBeWokenByANotificationOfItsNode() {
        Tutti.runLocal(1, job -> {
            try (var memory = new PrivateMemory(); var arena = Arena.ofShared()) {
                MemorySegment words = arena.allocate(Futexes.BYTES, Words.LINE_BYTES);
                Allocator allocator =
                        new Allocator(memory, null, () -> false, new ScriptedMembers(), null, new Futexes(words), true,
                                new ProgressPolicy(), () -> false);
                try (RemoteMemory parts = allocator.allocate(job.world(), _ -> {
                }, DataType.LONG, 1, 1, () -> Long.MAX_VALUE)) {
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
                    assertThat(wakeUps(words)).isBetween(1, TURNS);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
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
