/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class AwaitedTest {
    private static final int CALLS_MAX = 1 << 20;

    @Test
    void shouldFindCallsByTheirNumbersOnly() {
        var random = new SplittableRandom(45);
        Awaited<Integer> awaited = new Awaited<>(200);
        Map<Long, Integer> model = new HashMap<>();
        List<Long> ended = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (model.size() < 200 && random.nextInt(200) >= model.size()) {
                long number = awaited.add(i);
                assertThat(number).isPositive();
                assertThat(model.put(number, i)).as("a number is used once").isNull();
                assertThat(ended).as("a number is used once").doesNotContain(number);
            } else {
                long number = model.keySet().stream().skip(random.nextInt(model.size())).findFirst().orElseThrow();
                model.remove(number);
                awaited.remove(number);
                awaited.remove(number); // which has no effect
                if (ended.size() < 1000) {
                    ended.add(number);
                }
            }
        }
        model.forEach((number, call) -> assertThat(awaited.find(number)).isEqualTo(call));
        assertThat(model.keySet().stream().map(Awaited::place).distinct()).hasSameSizeAs(model.keySet());
        ended.forEach(number -> assertThat(awaited.find(number)).isNull());
        assertThat(awaited.find(random.nextLong())).isNull();
        assertThat(awaited.find(0)).isNull();
    }

    /** A search for a free place among a million calls, a million times, would not end in time. */
    @Test
    void shouldAddACallToManyInConstantTime() {
        Awaited<Object> awaited = new Awaited<>(CALLS_MAX);
        long[] numbers = new long[CALLS_MAX];
        for (int i = 0; i < CALLS_MAX; i++) {
            numbers[i] = awaited.add(awaited);
        }
        assertThatThrownBy(() -> awaited.add(awaited)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1048576 calls");
        for (int i = 0; i < CALLS_MAX; i++) {
            int last = CALLS_MAX - 1 - i;
            awaited.remove(numbers[last]);
            numbers[last] = awaited.add(awaited);
        }
        assertThat(awaited.find(numbers[0])).isNotNull();
    }
}
