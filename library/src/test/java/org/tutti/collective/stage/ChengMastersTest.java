/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The masters of Cheng's scheme are drawn alike often and independently. */
class ChengMastersTest {
    private static final int NODES = 3;
    private static final int RANKS = 4;
    private static final int OPERATIONS = 96_000;

    @Test
    void shouldDrawEachCombinationOfMastersAlikeOften() {
        int[] often = new int[NODES * RANKS * RANKS];
        for (long operation = 0; operation < OPERATIONS; operation++) {
            int cluster = ChengMasters.draw(operation, 0, NODES);
            int first = ChengMasters.draw(operation, 1, RANKS);
            int second = ChengMasters.draw(operation, 2, RANKS);
            often[(cluster * RANKS + first) * RANKS + second]++;
        }
        int each = OPERATIONS / often.length; // 2000, with a standard deviation of 44
        for (int count : often) {
            assertThat(count).isBetween(each - 220, each + 220);
        }
    }

    @Test
    void shouldDrawAnewForEachOperation() {
        int same = 0;
        for (long operation = 1; operation <= OPERATIONS; operation++) {
            same += ChengMasters.draw(operation, 1, RANKS) == ChengMasters.draw(operation - 1, 1, RANKS) ? 1 : 0;
        }
        assertThat(same).isBetween(OPERATIONS / RANKS - 700, OPERATIONS / RANKS + 700); // a deviation is 134
    }
}
