/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class SleepersTest {
    private static final int ROUNDS = 20_000;
    private static final int THREADS = 3;
    private static final long FOR_EVER_NANOS = TimeUnit.DAYS.toNanos(1);

    private final Sleepers sleepers = new Sleepers();

    /** A wake-up that is missed ends the test by its limit. */
    @Test
    void shouldMissNoWakeUp() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment words = arena.allocate((THREADS + 1L) * Words.LINE_BYTES, Words.LINE_BYTES);
            long told = (long) THREADS * Words.LINE_BYTES;
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                long seen = (long) i * Words.LINE_BYTES;
                threads.add(Thread.ofVirtual().start(() -> {
                    for (long round = 1; round <= ROUNDS; round++) {
                        while (Words.load(words, told) < round) {
                            sleepers.sleep(words, told, round, FOR_EVER_NANOS);
                        }
                        Words.store(words, seen, round);
                    }
                }));
            }
            for (long round = 1; round <= ROUNDS; round++) {
                for (int i = 0; i < THREADS; i++) {
                    while (Words.load(words, (long) i * Words.LINE_BYTES) < round - 1) {
                        Thread.onSpinWait();
                    }
                }
                Words.store(words, told, round);
                sleepers.wake();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(Words.load(words, 0)).isEqualTo(ROUNDS);
        }
    }
}
