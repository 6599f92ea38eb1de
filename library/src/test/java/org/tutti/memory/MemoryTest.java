/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Blocks that come and go, in both kinds of memory. */
class MemoryTest {
    private static final int BYTES = 10_000;
    private static final int THREADS = 4;
    private static final int TURNS = 2_000;

    @TempDir
    private Path directory;

    private Memory memory(boolean inFile) {
        return inFile ? FileMemory.create(directory.resolve("memory"), Words.LINE_BYTES, 0) : new PrivateMemory();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldClaimZerosAgainWhereABlockWasReleased(boolean inFile) {
        try (Memory memory = memory(inFile)) {
            long first = memory.claim(BYTES, "a test");
            memory.block(first, BYTES).fill((byte) 1);
            memory.release(first, BYTES);
            assertThat(memory.claim(BYTES, "a test")).isEqualTo(first);
            assertThat(memory.block(first, BYTES).mismatch(MemorySegment.ofArray(new byte[BYTES]))).isEqualTo(-1);
            assertThat(memory.claim(BYTES, "a test")).isNotEqualTo(first);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRememberHowLongABlockIsThatWasClaimedForLess(boolean inFile) {
        try (Memory memory = memory(inFile)) {
            long address = memory.claim(BYTES, "a test");
            for (int bytes = BYTES; bytes > BYTES / 2; bytes /= 2) {
                memory.release(address, bytes);
                assertThat(memory.claim(bytes / 2 + 1, "a test")).isEqualTo(address);
                memory.release(address, bytes / 2 + 1);
                assertThat(memory.claim(BYTES, "a test")).isEqualTo(address);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotSpendALongBlockOnAShortClaim(boolean inFile) {
        try (Memory memory = memory(inFile)) {
            long address = memory.claim(BYTES, "a test");
            memory.release(address, BYTES);
            assertThat(memory.claim(BYTES / 4, "a test")).isNotEqualTo(address);
            assertThat(memory.claim(BYTES, "a test")).isEqualTo(address);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveNoBlockToTwoThreads(boolean inFile) throws InterruptedException {
        try (Memory memory = memory(inFile)) {
            List<Set<Long>> addresses = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            List<Long> torn = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                byte own = (byte) (1 + thread);
                Set<Long> seen = new HashSet<>();
                addresses.add(seen);
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int turn = 0; turn < TURNS; turn++) {
                        long address = memory.claim(BYTES, "a test");
                        seen.add(address);
                        MemorySegment block = memory.block(address, BYTES);
                        boolean zeros = block.mismatch(MemorySegment.ofArray(new byte[BYTES])) < 0;
                        block.fill(own);
                        Thread.yield();
                        byte[] mine = new byte[BYTES];
                        Arrays.fill(mine, own);
                        if (!zeros || block.mismatch(MemorySegment.ofArray(mine)) >= 0) {
                            synchronized (torn) {
                                torn.add(address);
                            }
                        }
                        memory.release(address, BYTES);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(torn).isEmpty();
            Set<Long> all = new HashSet<>();
            addresses.forEach(all::addAll);
            assertThat(all).hasSizeLessThanOrEqualTo(THREADS);
        }
    }
}
