/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TournamentTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 31, 100})
    void shouldPairAllNodesInTurnSoThatNobodyWaitsForWhoWaits(int nodes) {
        List<int[]> partners = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            int self = node;
            int[] of = Tournament.partners(nodes, node);
            assertThat(Arrays.stream(of).boxed()).as("node %d", node).hasSize(nodes - 1).doesNotHaveDuplicates()
                    .allMatch(other -> other >= 0 && other < nodes && other != self);
            partners.add(of);
        }
        assertThat(rounds(partners)).isEqualTo(nodes % 2 == 0 ? nodes - 1 : nodes == 1 ? 0 : nodes);
    }

    /** Lets all play whose next partners are each other, again and again; returns how often, until all are done. */
    private static int rounds(List<int[]> partners) {
        int[] played = new int[partners.size()];
        int rounds = 0;
        while (true) {
            Set<Integer> ready = new HashSet<>();
            for (int node = 0; node < played.length; node++) {
                if (played[node] < partners.get(node).length) {
                    int other = partners.get(node)[played[node]];
                    if (played[other] < partners.get(other).length && partners.get(other)[played[other]] == node) {
                        ready.add(node);
                    }
                }
            }
            if (ready.isEmpty()) {
                assertThat(played).containsOnly(partners.size() - 1);
                return rounds;
            }
            ready.forEach(node -> played[node]++);
            rounds++;
        }
    }
}
