/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class BinomialTreeTest {
    static List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>();
        for (int size = 1; size <= 130; size++) {
            sizes.add(size);
        }
        sizes.addAll(List.of(255, 256, 257, 1000));
        return sizes;
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldReachEveryPositionOnceFromItsParent(int size) {
        int[] reached = new int[size];
        for (int position = 0; position < size; position++) {
            for (int index = 0; index < BinomialTree.children(position, size); index++) {
                int child = BinomialTree.child(position, index);
                assertThat(BinomialTree.parent(child)).isEqualTo(position);
                reached[child]++;
            }
        }
        for (int position = 1; position < size; position++) {
            assertThat(reached[position]).as("position %d", position).isEqualTo(1);
        }
        assertThat(reached[0]).isZero();
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldHaveTheHeightOfTheLogarithm(int size) {
        int height = 0;
        for (int position = 0; position < size; position++) {
            int depth = 0;
            for (int at = position; at != 0; at = BinomialTree.parent(at)) {
                depth++;
            }
            height = Math.max(height, depth);
        }
        assertThat(height).isEqualTo((int) Math.floor(Math.log(size) / Math.log(2) + 1e-12));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldCombineConsecutiveRunsInAscendingOrder(int size) {
        for (int position = 0; position < size; position++) {
            int end = position + 1;
            for (int index = 0; index < BinomialTree.children(position, size); index++) {
                int child = BinomialTree.child(position, index);
                assertThat(child).isEqualTo(end);
                TreeSet<Integer> run = subtree(child, size);
                assertThat(run.last() - run.first() + 1).isEqualTo(run.size());
                end = run.last() + 1;
            }
        }
    }

    private static TreeSet<Integer> subtree(int position, int size) {
        TreeSet<Integer> positions = new TreeSet<>(List.of(position));
        for (int index = 0; index < BinomialTree.children(position, size); index++) {
            positions.addAll(subtree(BinomialTree.child(position, index), size));
        }
        return positions;
    }
}
