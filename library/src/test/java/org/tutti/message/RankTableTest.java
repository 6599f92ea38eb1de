/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RankTableTest {
    private final RankTable<String> table = new RankTable<>();

    @Test
    void shouldFindWhatAMapFinds() {
        Map<Integer, String> map = new HashMap<>();
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            int rank = random.nextInt(5000);
            assertThat(table.get(rank)).isEqualTo(map.get(rank));
            if (random.nextInt(4) == 0) {
                assertThat(table.getOrMake(rank, made -> "rank " + made))
                        .isEqualTo(map.computeIfAbsent(rank, made -> "rank " + made));
            }
        }
        assertThat(map).hasSizeGreaterThan(1000);
    }

    @Test
    void shouldMakeAValueOnce() {
        AtomicInteger made = new AtomicInteger();
        int ranks = 300;
        IntStream.range(0, 20 * ranks).parallel().forEach(i -> {
            int rank = i % ranks;
            assertThat(table.getOrMake(rank, of -> "rank " + of + " " + made.getAndIncrement()))
                    .isSameAs(table.get(rank)).startsWith("rank " + rank + " ");
        });
        assertThat(made).hasValue(ranks);
    }
}
