/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PlacementTest {
    @Test
    void shouldDivideRanksAsEvenlyAsPossible() {
        assertThat(nodes(Placement.even(5, 2, 1))).containsExactly("0-2", "3-4");
        assertThat(nodes(Placement.even(8, 3, 1))).containsExactly("0-2", "3-5", "6-7");
        assertThat(nodes(Placement.even(3, 3, 1))).containsExactly("0", "1", "2");
        assertThat(nodes(Placement.even(7, 1, 1))).containsExactly("0-6");
    }

    @Test
    void shouldLetNoProcessSpanNodes() {
        assertThat(processes(Placement.even(5, 2, 2))).containsExactly("0-1", "2", "3-4");
        assertThat(processes(new Placement(List.of(1, 4, 3), 3))).containsExactly("0", "1-3", "4", "5-7");
        assertThat(processes(new Placement(List.of(2, 2), 100))).containsExactly("0-1", "2-3");
    }

    @Test
    void shouldFindTheProcessAndNodeOfEveryRank() {
        for (int nodes = 1; nodes <= 7; nodes++) {
            for (int ranksPerProcess = 1; ranksPerProcess <= 4; ranksPerProcess++) {
                var placement = Placement.even(17, nodes, ranksPerProcess);
                for (int rank = 0; rank < 17; rank++) {
                    int process = placement.processOf(rank);
                    int node = placement.nodeOfRank(rank);
                    assertThat(placement.ranksOf(process).ranks()).contains(rank);
                    assertThat(placement.ranksOfNode(node).ranks()).contains(rank);
                    assertThat(placement.nodeOfProcess(process)).isEqualTo(node);
                    assertThat(process - placement.firstProcessOf(node)).isBetween(0, placement.processesOf(node) - 1);
                }
            }
        }
    }

    @Test
    void shouldGiveANodeItsOwnPart() {
        var plan = JobPlan.plain(Placement.even(5, 1, 2), Optional.empty(), Rails.CHOSEN, List.of());
        assertThat(plan.node(0).ranks().numbers()).isEqualTo("0-4");
        assertThat(plan.node(0).processes()).isEqualTo(3);
        assertThat(plan.node(0).ranksOf(2).numbers()).isEqualTo("4");
        assertThat(plan.node(0).share()).isEqualTo(new MachineShare(1, 3, 0));
    }

    private static List<String> nodes(Placement placement) {
        return IntStream.range(0, placement.nodes()).mapToObj(node -> placement.ranksOfNode(node).numbers()).toList();
    }

    private static List<String> processes(Placement placement) {
        return IntStream.range(0, placement.processes()).mapToObj(process -> placement.ranksOf(process).numbers())
                .toList();
    }
}
