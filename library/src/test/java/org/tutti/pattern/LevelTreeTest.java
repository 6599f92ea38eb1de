/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LevelTreeTest {
    private static final int SIZE_MAX = 40;

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "4", "3,6", "2,4,8", "2,8,16", "64"})
    void shouldReachEveryPositionOnceAndKeepTheirOrder(String groups) {
        LevelTree tree = new LevelTree(groups(groups));
        for (int size = 1; size <= SIZE_MAX; size++) {
            for (int root = 0; root < size; root++) {
                assertThat(subtree(tree, root, root, size).cardinality()).isEqualTo(size);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "4", "3,6", "2,4,8"})
    void shouldCrossFromGroupToGroupOnlyOnceForEachGroup(String groups) {
        int[] sizes = groups(groups);
        LevelTree tree = new LevelTree(sizes);
        int size = 23;
        for (int root = 0; root < size; root++) {
            for (int group : sizes) {
                int top = root;
                long crossings = IntStream.range(0, size)
                        .filter(position -> position != top
                                && tree.parent(position, top, size) / group != position / group)
                        .count();
                assertThat(crossings).isEqualTo((size - 1) / group);
            }
        }
    }

    private static int[] groups(String text) {
        return text.isEmpty() ? new int[0] : Arrays.stream(text.split(","))
                .mapToInt(Integer::parseInt).toArray();
    }

    /** Adds up a subtree, as one combines: what is added must lie beside what is there. */
    private static BitSet subtree(LevelTree tree, int position, int root, int size) {
        BitSet covered = new BitSet();
        covered.set(position);
        for (int index = 0; index < tree.children(position, root, size); index++) {
            int child = tree.child(position, index, root, size);
            assertThat(tree.parent(child, root, size)).isEqualTo(position);
            BitSet more = subtree(tree, child, root, size);
            assertThat(more.intersects(covered)).isFalse();
            int beside = child > position ? more.nextSetBit(0) - 1 : more.length();
            assertThat(beside).isEqualTo(child > position ? covered.length() - 1 : covered.nextSetBit(0));
            covered.or(more);
            assertThat(covered.length() - covered.nextSetBit(0)).isEqualTo(covered.cardinality());
        }
        return covered;
    }
}
