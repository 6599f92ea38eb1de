/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The numbers of groups. */
class CommunicatorsTest {
    private static final int OPERATIONS = 300;
    private static final int COLORS = 3_000;

    @Test
    void shouldNumberGroupsOfAllOperationsAndColorsDifferently() {
        Set<Long> numbers = new HashSet<>();
        for (int operation = 0; operation < OPERATIONS; operation++) {
            for (int color = -1; color < COLORS; color++) {
                numbers.add(Communicators.mix(0, Communicators.mix(operation, color)));
            }
        }
        assertThat(numbers).hasSize(OPERATIONS * (COLORS + 1));
    }
}
