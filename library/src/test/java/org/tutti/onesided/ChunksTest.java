/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How pipelined streaming divides transfers. */
class ChunksTest {
    private static List<Long> chunks(long total) {
        List<Long> chunks = new ArrayList<>();
        for (long position = 0; position < total;) {
            long next = Chunks.next(total, position);
            chunks.add(next);
            position += next;
        }
        return chunks;
    }

    @Test
    void shouldDivideEveryTransferWithoutCuttingElements() {
        LongStream small = LongStream.rangeClosed(1, 5000);
        LongStream large = LongStream.of(65_535, 65_536, 65_537, 131_073, 1_000_001, 30_000_000);
        LongStream.concat(small, large).forEach(total -> {
            List<Long> chunks = chunks(total);
            assertThat(chunks.stream().mapToLong(Long::longValue).sum()).isEqualTo(total);
            assertThat(chunks).allMatch(chunk -> chunk > 0 && chunk <= Chunks.BYTES_MAX || chunks.size() == 1);
            assertThat(chunks.subList(0, chunks.size() - 1)).allMatch(chunk -> chunk % 64 == 0);
        });
    }

    @Test
    void shouldOverlapFromTwoKibibytesOn() {
        assertThat(chunks(2047)).containsExactly(2047L);
        assertThat(chunks(2048)).containsExactly(512L, 1024L, 512L);
    }

    @Test
    void shouldBeginAndEndWithHalfAChunk() {
        assertThat(chunks(8192)).containsExactly(1024L, 2048L, 2048L, 2048L, 1024L);
        List<Long> long1 = chunks(1 << 20);
        assertThat(long1.getFirst()).isEqualTo(16 << 10);
        assertThat(long1.getLast()).isEqualTo(16 << 10);
        assertThat(long1.subList(1, long1.size() - 1)).containsOnly(32L << 10);
    }
}
