/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Threads that sleep at words of a file, which sleepers and writers map to different addresses, as processes do. */
@Timeout(120)
class FutexesTest {
    private static final int ROUNDS = 20_000;
    private static final int THREADS = 3;
    private static final long PAGE_BYTES = 4096;
    private static final long FILE_BYTES = 2 * PAGE_BYTES;
    private static final long FOR_LONG_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long SHORT_NANOS = Duration.ofMillis(200).toNanos();

    @TempDir
    private Path directory;
    private MemorySegment ofSleepers;
    private MemorySegment ofWriters;

    @BeforeEach
    void mapTwice() throws IOException {
        try (var file = FileChannel.open(directory.resolve("memory"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ofSleepers = file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
            ofWriters = file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
        }
        assertThat(ofSleepers.address()).isNotEqualTo(ofWriters.address());
        assertThat(Futexes.arePossible()).isTrue();
    }

    private static Futexes futexes(MemorySegment mapping) {
        return new Futexes(mapping.asSlice(PAGE_BYTES, Futexes.BYTES));
    }

    /** A wake-up that is missed makes a round last 20 s, and the test fails. */
    @Test
    void shouldMissNoWakeUp() throws InterruptedException {
        long told = (long) THREADS * Words.LINE_BYTES;
        AtomicInteger late = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long seen = (long) i * Words.LINE_BYTES;
            threads.add(Thread.ofPlatform().start(() -> {
                for (long round = 1; round <= ROUNDS; round++) {
                    long start = System.nanoTime();
                    while (Words.load(ofSleepers, told) < round) {
                        futexes(ofSleepers).sleep(ofSleepers, told, round, FOR_LONG_NANOS);
                    }
                    late.addAndGet(System.nanoTime() - start >= FOR_LONG_NANOS ? 1 : 0);
                    Words.store(ofSleepers, seen, round);
                }
            }));
        }
        for (long round = 1; round <= ROUNDS && late.get() == 0; round++) {
            for (int i = 0; i < THREADS; i++) {
                while (Words.load(ofWriters, (long) i * Words.LINE_BYTES) < round - 1) {
                    Thread.onSpinWait();
                }
            }
            Words.store(ofWriters, told, round);
            futexes(ofWriters).wake(ofWriters, told);
        }
        Words.store(ofWriters, told, ROUNDS);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(late).hasValue(0);
    }

    @Test
    void shouldLetThreadsOfOtherLinesSleep() throws InterruptedException {
        long[] sleptNanos = new long[1];
        Thread sleeper = Thread.ofPlatform().start(() -> {
            long start = System.nanoTime();
            futexes(ofSleepers).sleep(ofSleepers, 0, 1, SHORT_NANOS);
            sleptNanos[0] = System.nanoTime() - start;
        });
        while (sleeper.isAlive()) {
            futexes(ofWriters).wake(ofWriters, Words.LINE_BYTES);
        }
        sleeper.join();
        assertThat(sleptNanos[0]).isGreaterThanOrEqualTo(SHORT_NANOS);
    }

    @Test
    void shouldNotSleepIfTheWordHasTheValue() {
        Words.store(ofWriters, 0, 5);
        long start = System.nanoTime();
        futexes(ofSleepers).sleep(ofSleepers, 0, 5, FOR_LONG_NANOS);
        assertThat(System.nanoTime() - start).isLessThan(FOR_LONG_NANOS);
    }

    /** No count stays too high, which would make every later writer call the operating system. */
    @Test
    void shouldLeaveNoSleeperCounted() {
        for (long line = 0; line < PAGE_BYTES; line += Words.LINE_BYTES) {
            futexes(ofSleepers).sleep(ofSleepers, line, 1, 1);
        }
        for (long at = PAGE_BYTES; at < PAGE_BYTES + Futexes.BYTES; at += Long.BYTES) {
            assertThat(Words.load(ofWriters, at)).isZero();
        }
    }
}
