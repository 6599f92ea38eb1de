/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class FoldingTest {
    private static final int SIZE_MAX = 300;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldCutAllIntoConsecutiveRunsAPowerOfThem(int most) {
        Folding folding = new Folding(most);
        for (int size = 2; size <= SIZE_MAX; size++) {
            int ports = folding.ports(size);
            int positions = folding.positions(size);
            assertThat(ports).isEqualTo(Math.min(most, size - 1));
            assertThat(positions).isEqualTo(greatestPower(ports + 1, size));
            int next = 0;
            int longest = 0;
            for (int position = 0; position < positions; position++) {
                assertThat(folding.first(position, size)).isEqualTo(next);
                int last = folding.last(position, size);
                for (int index = next; index <= last; index++) {
                    assertThat(folding.position(index, size)).isEqualTo(position);
                }
                longest = Math.max(longest, last - next);
                next = last + 1;
            }
            assertThat(next).isEqualTo(size);
            assertThat(folding.foldedMax(size)).isEqualTo(longest).isBetween(size == positions ? 0 : 1, ports);
        }
    }

    private static int greatestPower(int base, int most) {
        return base > most ? 1 : base * greatestPower(base, most / base);
    }

    @Test
    void shouldFoldEachEvenOneIntoTheNextWithOnePort() {
        assertThat(standing(1, 6)).containsExactly(1, 3, 4, 5);
        assertThat(standing(1, 7)).containsExactly(1, 3, 5, 6);
        assertThat(standing(3, 15)).containsExactly(3, 7, 11, 14);
    }

    private static List<Integer> standing(int ports, int size) {
        Folding folding = new Folding(ports);
        return IntStream.range(0, folding.positions(size)).mapToObj(position -> folding.last(position, size)).toList();
    }
}
