/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class LongTableTest {
    @Test
    void shouldBeAsAMap() {
        for (int seed = 0; seed < 100; seed++) {
            var random = new SplittableRandom(seed);
            LongTable<Integer> table = new LongTable<>();
            Map<Long, Integer> model = new HashMap<>();
            int keys = 1 << random.nextInt(11);
            for (int i = 0; i < 5000; i++) {
                long key = (long) random.nextInt(keys) << random.nextInt(2) * 40;
                switch (random.nextInt(3)) {
                    case 0 -> assertThat(table.remove(key)).isEqualTo(model.remove(key));
                    case 1 -> assertThat(table.get(key)).isEqualTo(model.get(key));
                    default -> {
                        table.put(key, i);
                        model.put(key, i);
                    }
                }
                assertThat(table.count()).isEqualTo(model.size());
            }
            model.forEach((key, value) -> assertThat(table.get(key)).isEqualTo(value));
        }
    }

    /** The numbers have the same highest bits of their product with the golden ratio, and the same lowest bits. */
    @Test
    void shouldFindNumbersFastThatAnotherProcessHasChosen() {
        LongTable<Long> table = new LongTable<>();
        long inverse = inverse(0x9E37_79B9_7F4A_7C15L);
        for (long number = 1; number <= 1 << 20; number++) {
            table.put(number * inverse, number);
            table.put(number << 44, number);
        }
        for (long number = 1; number <= 1 << 20; number++) {
            assertThat(table.remove(number * inverse)).isEqualTo(number);
            assertThat(table.remove(number << 44)).isEqualTo(number);
        }
    }

    private static long inverse(long odd) {
        long inverse = odd;
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse; // Newton's method
        }
        return inverse;
    }
}
