/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.util.Arrays;
import java.util.function.IntPredicate;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.Tutti;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;

/** On one node every algorithm combines with an operator that does not commute, also where there is but one rank. */
@Timeout(120)
class OneNodeOrderTest {
    private static final int UNIT = 4;
    private static final int[] MATRICES = {0, 1, 40, 9000};

    @ParameterizedTest
    @EnumSource(names = {"REDUCE", "ALLREDUCE", "REDUCE_SCATTER"}, mode = Mode.INCLUDE)
    void shouldKeepTheOrderOfTheRanks(Collective collective) {
        for (int ranks : new int[]{1, 2, 5}) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                Tutti.runLocal(ranks, job -> {
                    Communicator world = job.world().withAlgorithm(collective, algorithm.description().name());
                    for (int matrices : MATRICES) {
                        check(world, collective, matrices);
                    }
                });
            }
        }
    }

    private static void check(Communicator world, Collective collective, int matrices) {
        int last = world.size() - 1;
        int own = matrices * UNIT;
        int all = collective == Collective.REDUCE_SCATTER ? own * world.size() : own;
        long[] source = source(world.rank(), all);
        long[] target = new long[own];
        IntPredicate receives = rank -> collective != Collective.REDUCE || rank == last;
        switch (collective) {
            case REDUCE -> world.reduce(source, target, Operators.MATRIX_PRODUCT, last);
            case ALLREDUCE -> world.allreduce(source, target, Operators.MATRIX_PRODUCT);
            default -> world.reduceScatter(source, target, Operators.MATRIX_PRODUCT);
        }
        if (receives.test(world.rank())) {
            int from = collective == Collective.REDUCE_SCATTER ? own * world.rank() : 0;
            assertThat(target).isEqualTo(Arrays.copyOfRange(product(world.size(), all), from, from + own));
        }
    }

    private static long[] source(int rank, int length) {
        long[] source = new long[length];
        Arrays.setAll(source, i -> 3L * rank + i % 7 + 1);
        return source;
    }

    /** From the left to the right, one rank after the other. */
    private static long[] product(int ranks, int length) {
        long[] product = source(0, length);
        for (int rank = 1; rank < ranks; rank++) {
            long[] right = source(rank, length);
            for (int at = 0; at < length; at += UNIT) {
                long a = product[at];
                long b = product[at + 1];
                long c = product[at + 2];
                long d = product[at + 3];
                product[at] = a * right[at] + b * right[at + 2];
                product[at + 1] = a * right[at + 1] + b * right[at + 3];
                product[at + 2] = c * right[at] + d * right[at + 2];
                product[at + 3] = c * right[at + 1] + d * right[at + 3];
            }
        }
        return product;
    }
}
