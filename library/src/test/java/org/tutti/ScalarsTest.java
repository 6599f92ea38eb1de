/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.stream.Stream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Collectives of a value that is no array. */
@Timeout(60)
class ScalarsTest {
    static Stream<OneSidedTest.Shape> shapes() {
        return OneSidedTest.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldTellTheRootsValue(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            for (int root = 0; root < world.size(); root++) {
                boolean isRoot = world.rank() == root;
                assertThat(world.broadcast(isRoot ? (1L << 40) + root : -1, root)).isEqualTo((1L << 40) + root);
                assertThat(world.broadcast(isRoot ? -root : 77, root)).isEqualTo(-root);
                assertThat(world.broadcast(isRoot ? root / 3.0 : 0, root)).isEqualTo(root / 3.0);
                assertThat(world.broadcast(isRoot, root)).isTrue();
            }
            assertThatThrownBy(() -> world.broadcast(1, world.size())).isInstanceOf(IllegalArgumentException.class);
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldCombineTheValuesOfAllRanks(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int size = world.size();
            int rank = world.rank();
            for (int i = 0; i < 20; i++) {
                assertThat(world.allreduce(rank + (1L << 33), Reduction.SUM))
                        .isEqualTo(size * (1L << 33) + size * (size - 1) / 2);
                assertThat(world.allreduce(i - rank, Reduction.MIN)).isEqualTo(i - size + 1);
                assertThat(world.allreduce(rank + 0.25, Reduction.MAX)).isEqualTo(size - 0.75);
                assertThat(world.allreduce(rank == i % size, Reduction.LOGICAL_OR)).isTrue();
                assertThat(world.allreduce(rank == i % size, Reduction.LOGICAL_AND)).isEqualTo(size == 1);
            }
            assertThatThrownBy(() -> world.allreduce(1L, Reduction.MIN_LOCATION))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> world.allreduce(true, Reduction.SUM)).isInstanceOf(IllegalArgumentException.class);
        });
    }
}
