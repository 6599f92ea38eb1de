/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Execution(ExecutionMode.CONCURRENT) // it only computes
class TreesTest {
    private static final Map<String, Tree> TREES = Map.of("binomial", BinomialTree.INSTANCE, "binary",
            BinaryTree.INSTANCE, "Fibonacci", FibonacciTree.INSTANCE, "chain", ChainTree.INSTANCE, "halving",
            HalvingTree.INSTANCE, "star", StarTree.INSTANCE, "nomial of 1", new NomialTree(1), "nomial of 2",
            new NomialTree(2), "nomial of 3", new NomialTree(3), "nomial of 4", new NomialTree(4));

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
        TREES.forEach((name, tree) -> {
            int[] reached = new int[size];
            for (int position = 0; position < size; position++) {
                for (int index = 0; index < tree.children(position, size); index++) {
                    int child = tree.child(position, index, size);
                    assertThat(tree.parent(child, size)).as("%s %d", name, child).isEqualTo(position);
                    assertThat(tree.indexAtParent(child, size)).as("%s %d", name, child).isEqualTo(index);
                    reached[child]++;
                }
            }
            for (int position = 1; position < size; position++) {
                assertThat(reached[position]).as("%s %d", name, position).isEqualTo(1);
            }
            assertThat(reached[0]).isZero();
        });
    }

    /** A tree turned to another root is the same tree with other names. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 13, 21})
    void shouldTurnToAnyRoot(int size) {
        TREES.forEach((name, tree) -> {
            for (int root = 0; root < size; root++) {
                for (int position = 0; position < size; position++) {
                    int named = (position + root) % size;
                    assertThat(tree.children(named, root, size)).isEqualTo(tree.children(position, size));
                    for (int index = 0; index < tree.children(position, size); index++) {
                        int child = tree.child(named, index, root, size);
                        assertThat(child).as("%s %d", name, named)
                                .isEqualTo((tree.child(position, index, size) + root) % size);
                        assertThat(tree.parent(child, root, size)).as("%s %d", name, child).isEqualTo(named);
                        assertThat(tree.indexAtParent(child, root, size)).as("%s %d", name, child).isEqualTo(index);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldCombineConsecutiveRunsInAscendingOrder(int size) {
        TREES.forEach((name, tree) -> {
            int[] ends = new int[size]; // where each position's subtree ends; children stand after their parents
            for (int position = size - 1; position >= 0; position--) {
                int end = position + 1;
                for (int index = 0; index < tree.children(position, size); index++) {
                    int child = tree.child(position, index, size);
                    assertThat(child).as("%s %d", name, position).isEqualTo(end);
                    end = ends[child];
                }
                ends[position] = end;
                assertThat(tree.end(position, size)).as("%s %d", name, position).isEqualTo(end);
            }
            assertThat(ends[0]).isEqualTo(size);
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldHaveTheHeightOfTheLogarithm(int size) {
        int logarithm = (int) Math.floor(Math.log(size) / Math.log(2) + 1e-12);
        assertThat(height(BinomialTree.INSTANCE, size)).isEqualTo(logarithm);
        assertThat(height(BinaryTree.INSTANCE, size)).isEqualTo(logarithm);
        assertThat(height(ChainTree.INSTANCE, size)).isEqualTo(size - 1);
    }

    private static int height(Tree tree, int size) {
        int height = 0;
        for (int position = 0; position < size; position++) {
            int depth = 0;
            for (int at = position; at != 0; at = tree.parent(at, size)) {
                depth++;
            }
            height = Math.max(height, depth);
        }
        return height;
    }

    /** With messages that take two units, the last one is told as early as in the best tree, found by simulation. */
    @ParameterizedTest
    @MethodSource("sizes")
    void shouldReachEverybodyEarliestWhenMessagesTakeTwoUnits(int size) {
        int latest = 0;
        for (int position = 1; position < size; position++) {
            int time = 0;
            for (int at = position; at != 0; at = FibonacciTree.INSTANCE.parent(at, size)) {
                int parent = FibonacciTree.INSTANCE.parent(at, size);
                int before = FibonacciTree.INSTANCE.children(parent, size) - 1
                        - FibonacciTree.INSTANCE.indexAtParent(at, size); // the last child is served first
                time += before + 2;
            }
            latest = Math.max(latest, time);
        }
        assertThat(latest).isEqualTo(bestTime(size));
    }

    /** Everybody who knows tells somebody new in each unit. */
    private static int bestTime(int size) {
        List<Integer> arrivals = new ArrayList<>(List.of(0));
        int time = 0;
        int known = 1;
        while (known < size) {
            int now = time;
            int tellers = (int) arrivals.stream().filter(arrival -> arrival <= now).count();
            for (int teller = 0; teller < tellers; teller++) {
                arrivals.add(now + 2);
            }
            time++;
            int next = time;
            known = (int) arrivals.stream().filter(arrival -> arrival <= next).count();
        }
        return time;
    }

    @Test
    void shouldHaveTheDegreeOfTheirKind() {
        assertThat(BinomialTree.INSTANCE.children(0, 4096)).isEqualTo(12);
        assertThat(BinaryTree.INSTANCE.children(0, 4096)).isEqualTo(2);
        assertThat(FibonacciTree.INSTANCE.children(0, 4096)).isLessThanOrEqualTo((int) Math.ceil(1.4405 * 12));
        assertThat(ChainTree.INSTANCE.children(0, 4096)).isEqualTo(1);
    }
}
