/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FoldingTest {
    private static final int SIZE_MAX = 300;

    @Test
    void shouldCutAllIntoConsecutiveRunsAPowerOfThem() {
        int power = 1;
        for (int size = 1; size <= SIZE_MAX; size++) {
            power = 2 * power <= size ? 2 * power : power;
            assertThat(Folding.positions(size)).isEqualTo(power);
            int next = 0;
            int longest = 0;
            for (int position = 0; position < power; position++) {
                assertThat(Folding.first(position, size)).isEqualTo(next);
                int last = Folding.last(position, size);
                for (int index = next; index <= last; index++) {
                    assertThat(Folding.position(index, size)).isEqualTo(position);
                }
                longest = Math.max(longest, last - next);
                next = last + 1;
            }
            assertThat(next).isEqualTo(size);
            assertThat(Folding.foldedMax(size)).isEqualTo(longest).isEqualTo(size == power ? 0 : 1);
        }
    }

    @Test
    void shouldFoldEachEvenOneIntoTheNext() {
        assertThat(standing(6)).containsExactly(1, 3, 4, 5);
        assertThat(standing(7)).containsExactly(1, 3, 5, 6);
    }

    private static List<Integer> standing(int size) {
        return IntStream.range(0, Folding.positions(size)).mapToObj(position -> Folding.last(position, size)).toList();
    }
}
