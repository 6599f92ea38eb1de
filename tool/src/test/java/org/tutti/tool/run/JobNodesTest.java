/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobNodesTest {
    private static final Placement THREE_BY_TWO = Placement.even(6, 3, 1);

    private static List<Integer> apart(int... failures) {
        return JobNodes.apart(THREE_BY_TWO, failures);
    }

    @Test
    void shouldFindTheNodeThatTheOthersBlameAndThatBlamesThem() {
        assertThat(apart(2, 0, 3)).containsExactly(1);
        assertThat(apart(4, 1, 0)).containsExactly(0);
    }

    @Test
    void shouldBlameNoNodeForAProcess() {
        assertThat(apart(3, 3, 3)).isEmpty();
        assertThat(apart(3, -1, 3)).as("a stopped process without company").isEmpty();
        assertThat(apart(-1, -1, -1)).isEmpty();
    }

    @Test
    void shouldNotChooseBetweenTwoNodesThatBlameEachOther() {
        assertThat(apart(2, 1, -1)).containsExactly(0, 1);
        assertThat(JobNodes.apart(Placement.even(4, 2, 1), new int[]{2, 0})).containsExactly(0, 1);
    }

    @Test
    void shouldNotGuessWhenTheBlameGoesRound() {
        assertThat(apart(2, 4, 0)).isEmpty();
    }
}
