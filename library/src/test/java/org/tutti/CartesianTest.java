/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Grids of ranks. */
@Timeout(120)
class CartesianTest {
    private static final int NOTHING = -77;

    /** All places of a grid in their order, made by counting. */
    private static List<int[]> places(int... lengths) {
        List<int[]> places = new ArrayList<>();
        places.add(new int[0]);
        for (int length : lengths) {
            List<int[]> longer = new ArrayList<>();
            for (int[] place : places) {
                for (int coordinate = 0; coordinate < length; coordinate++) {
                    int[] next = Arrays.copyOf(place, place.length + 1);
                    next[place.length] = coordinate;
                    longer.add(next);
                }
            }
            places = longer;
        }
        return places;
    }

    private static int indexOf(List<int[]> places, int[] place) {
        return IntStream.range(0, places.size()).filter(i -> Arrays.equals(places.get(i), place)).findFirst()
                .orElse(-1);
    }

    /** Sends one number from every place in every direction, and returns for a rank the blocks that arrive. */
    private static int[] arrived(int[] lengths, boolean[] isPeriodic, int rank) {
        List<int[]> places = places(lengths);
        int[] blocks = new int[2 * lengths.length];
        Arrays.fill(blocks, NOTHING);
        for (int sender = 0; sender < places.size(); sender++) {
            for (int dimension = 0; dimension < lengths.length; dimension++) {
                for (int step : new int[]{-1, 1}) {
                    int[] receiver = places.get(sender).clone();
                    receiver[dimension] += step;
                    if (isPeriodic[dimension]) {
                        receiver[dimension] = (receiver[dimension] + lengths[dimension]) % lengths[dimension];
                    }
                    if (indexOf(places, receiver) == rank) { // it comes from the other direction
                        blocks[2 * dimension + (step == 1 ? 0 : 1)] = sent(sender, dimension, step);
                    }
                }
            }
        }
        return blocks;
    }

    private static int sent(int sender, int dimension, int step) {
        return 100 * sender + 10 * dimension + step;
    }

    private static boolean[] periodicity(int dimensions, int mask) {
        boolean[] isPeriodic = new boolean[dimensions];
        for (int i = 0; i < dimensions; i++) {
            isPeriodic[i] = (mask >> i & 1) == 1;
        }
        return isPeriodic;
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeWithTheNeighboursInEveryGrid(MessageShape shape) {
        int[][] grids = {{6}, {2, 3}, {3, 2}, {1, 6}, {1, 2, 3}, {3, 1, 2}};
        shape.run(6, job -> {
            for (int[] lengths : grids) {
                for (int mask = 0; mask < 1 << lengths.length; mask++) {
                    boolean[] isPeriodic = periodicity(lengths.length, mask);
                    try (CartesianCommunicator grid = job.world().cartesian(lengths, isPeriodic)) {
                        assertThat(grid.communicator().size()).isEqualTo(6);
                        assertThat(grid.coordinates()).isEqualTo(places(lengths).get(grid.rank()));
                        checkExchange(grid, lengths, isPeriodic);
                    }
                }
            }
        });
    }

    private static void checkExchange(CartesianCommunicator grid, int[] lengths, boolean[] isPeriodic) {
        int[] source = IntStream.range(0, 2 * lengths.length)
                .map(block -> sent(grid.rank(), block / 2, block % 2 == 0 ? -1 : 1)).toArray();
        int[] expected = arrived(lengths, isPeriodic, grid.rank());
        int[][] targets = new int[3][source.length];
        for (int[] target : targets) {
            Arrays.fill(target, NOTHING);
        }
        Request first = grid.nonBlocking().neighbourAllToAll(source, targets[0]);
        grid.neighbourAllToAll(source, targets[1]);
        grid.prepare().neighbourAllToAll(source, targets[2]).run();
        first.await();
        assertThat(List.of(targets)).allSatisfy(target -> assertThat(target).isEqualTo(expected));
        boolean[] present = new boolean[source.length];
        grid.neighbourAllgather(new boolean[]{true}, present);
        for (int block = 0; block < present.length; block++) {
            assertThat(present[block]).isEqualTo(expected[block] != NOTHING);
            assertThat(grid.sources()[block])
                    .isEqualTo(present[block] ? Math.floorDiv(expected[block] + 1, 100) : Neighbourhood.ABSENT);
        }
        assertThat(grid.targets()).isEqualTo(grid.sources());
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeLongBlocksWithOneRankOnBothSides(MessageShape shape) {
        shape.run(2, job -> {
            try (CartesianCommunicator grid = job.world().cartesian(new int[]{2, 1}, new boolean[]{true, true})) {
                for (int length : new int[]{1, 5000, 300_000}) {
                    double[] source = new double[4 * length];
                    for (int block = 0; block < 4; block++) {
                        Arrays.fill(source, block * length, (block + 1) * length, 10 * grid.rank() + block);
                    }
                    double[] target = new double[4 * length];
                    grid.neighbourAllToAll(source, target);
                    double[] blocks = {10 * (1 - grid.rank()) + 1, 10 * (1 - grid.rank()), 10 * grid.rank() + 3,
                            10 * grid.rank() + 2};
                    for (int block = 0; block < 4; block++) {
                        assertThat(Arrays.copyOfRange(target, block * length, (block + 1) * length))
                                .containsOnly(blocks[block]);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldDivideIntoSubgrids(MessageShape shape) {
        shape.run(12, job -> {
            int[] lengths = {2, 3, 2};
            boolean[] isPeriodic = {false, true, false};
            try (CartesianCommunicator grid = job.world().cartesian(lengths, isPeriodic)) {
                int[] at = grid.coordinates();
                try (CartesianCommunicator plane = grid.subgrid(true, true, false);
                        CartesianCommunicator column = grid.subgrid(false, false, true);
                        CartesianCommunicator alone = grid.subgrid(false, false, false)) {
                    assertThat(plane.dimensions()).containsExactly(2, 3);
                    assertThat(plane.isPeriodic(0)).isFalse();
                    assertThat(plane.isPeriodic(1)).isTrue();
                    assertThat(plane.coordinates()).containsExactly(at[0], at[1]);
                    checkExchange(plane, new int[]{2, 3}, new boolean[]{false, true});
                    assertThat(column.coordinates()).containsExactly(at[2]);
                    int[] ends = new int[2];
                    column.communicator().allgather(new int[]{grid.rank()}, ends);
                    assertThat(ends).containsExactly(grid.rankAt(at[0], at[1], 0), grid.rankAt(at[0], at[1], 1));
                    assertThat(alone.communicator().size()).isEqualTo(1);
                    assertThat(alone.rankAt()).isZero();
                    alone.neighbourAllToAll(new int[0], new int[0]);
                }
            }
        });
    }

    @Test
    void shouldShiftAndNumberByCoordinates() {
        Tutti.runLocal(6, job -> {
            try (CartesianCommunicator grid = job.world().cartesian(new int[]{2, 3}, new boolean[]{false, true})) {
                int[] at = grid.coordinates();
                assertThat(grid.dimensions()).containsExactly(2, 3);
                assertThat(grid.shift(0, 1)).isEqualTo(new CartesianCommunicator.Shift(
                        at[0] == 0 ? OptionalInt.empty() : OptionalInt.of(at[1]),
                        at[0] == 1 ? OptionalInt.empty() : OptionalInt.of(3 + at[1])));
                assertThat(grid.shift(1, -2)).isEqualTo(new CartesianCommunicator.Shift(
                        OptionalInt.of(3 * at[0] + (at[1] + 2) % 3), OptionalInt.of(3 * at[0] + (at[1] + 1) % 3)));
                assertThat(grid.shift(0, Integer.MIN_VALUE)).isEqualTo(
                        new CartesianCommunicator.Shift(OptionalInt.empty(), OptionalInt.empty()));
                assertThat(grid.shift(1, 3).target()).hasValue(grid.rank());
                assertThat(grid.rankAt(1, -1)).isEqualTo(5);
                assertThat(grid.rankAt(1, 4)).isEqualTo(4);
                assertThat(grid.coordinates(5)).containsExactly(1, 2);
                assertThatThrownBy(() -> grid.rankAt(2, 0)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("the coordinates [2, 0] lie outside of the grid of [2, 3], periodic [false, true]");
                assertThatThrownBy(() -> grid.rankAt(1)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> grid.coordinates(6)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> grid.shift(2, 1)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> grid.isPeriodic(-1)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> grid.subgrid(true)).isInstanceOf(IllegalArgumentException.class);
            }
        });
    }

    @Test
    void shouldRefuseInvalidGridsAtAllRanks() {
        Tutti.runLocal(4, job -> {
            Communicator world = job.world();
            assertThatThrownBy(() -> world.cartesian(new int[]{3}, new boolean[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("rank " + job.rank() + " called cartesian with dimensions [3]; their product must be "
                            + "the number of ranks, 4, so split the communicator first if it has more");
            assertThatThrownBy(() -> world.cartesian(new int[]{-2, -2}, new boolean[2]))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> world.cartesian(new int[]{65_536, 65_536, 4}, new boolean[3]))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> world.cartesian(new int[]{4}, new boolean[2]))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pass both for each dimension");
            assertThatThrownBy(() -> world.cartesian(job.rank() == 1 ? new int[]{1, 4} : new int[]{2, 2},
                    new boolean[2])).isInstanceOf(IllegalArgumentException.class).hasMessage("ranks called cartesian "
                            + "with lengths 1 and 2 of dimension 0; pass the same dimensions at every rank");
            assertThatThrownBy(() -> world.cartesian(new int[]{2, 2}, new boolean[]{true, job.rank() == 2}))
                    .isInstanceOf(IllegalArgumentException.class).hasMessage("ranks called cartesian with dimension 1 "
                            + "periodic and not periodic; pass the same dimensions at every rank");
            world.barrier();
        });
    }

    /** Counts the pairs of neighbours of the grid that are on different nodes. */
    private static int farLinks(CartesianCommunicator grid) {
        Topology topology = grid.communicator().topology();
        int links = 0;
        for (int rank = 0; rank < topology.size(); rank++) {
            int[] at = grid.coordinates(rank);
            for (int dimension = 0; dimension < at.length; dimension++) {
                int[] next = at.clone();
                next[dimension]++;
                if (next[dimension] < grid.dimensions()[dimension] || grid.isPeriodic(dimension)) {
                    links += topology.nodeOf(grid.rankAt(next)) == topology.nodeOf(rank) ? 0 : 1;
                }
            }
        }
        return links;
    }

    @Test
    void shouldPutNeighboursOnANode() {
        int[] inBlocks = IntStream.range(0, 16).map(rank -> rank / 4).toArray();
        int[] inTurn = IntStream.range(0, 16).map(rank -> rank % 4).toArray();
        for (int[] nodeOfRank : List.of(inBlocks, inTurn)) {
            LocalNodes.run(nodeOfRank, job -> {
                checkFarLinks(job.world(), 8, false, 4, 4); // of four boxes of 2 by 2
                checkFarLinks(job.world(), 16, true, 4, 4);
                checkFarLinks(job.world(), 6, false, 8, 2); // of four boxes of 2 by 2
                checkFarLinks(job.world(), 3, false, 16);
                checkFarLinks(job.world(), 12, false, 4, 2, 2); // of four boxes of 1 by 2 by 2
            });
        }
    }

    private static void checkFarLinks(Communicator world, int expected, boolean isPeriodic, int... lengths) {
        boolean[] periodic = new boolean[lengths.length];
        Arrays.fill(periodic, isPeriodic);
        try (CartesianCommunicator grid = world.cartesian(lengths, periodic)) {
            int[] ofOriginal = new int[world.size()];
            grid.communicator().allgather(new int[]{world.rank()}, ofOriginal);
            assertThat(ofOriginal[grid.rank()]).isEqualTo(world.rank());
            assertThat(grid.communicator().topology().nodes()).isEqualTo(4);
            assertThat(farLinks(grid)).as("links of %s", Arrays.toString(lengths)).isEqualTo(expected);
        }
    }

    @Test
    void shouldKeepTheOrderWhereNoOtherIsBetter() {
        List<int[]> placements = List.of(new int[6], new int[]{0, 0, 0, 1, 1, 1}, new int[]{0, 1, 2, 3, 4, 5},
                new int[]{0, 0, 0, 0, 1, 1});
        for (int[] nodeOfRank : placements) {
            LocalNodes.run(nodeOfRank, job -> {
                try (CartesianCommunicator grid = job.world().cartesian(new int[]{2, 3}, new boolean[2])) {
                    assertThat(grid.rank()).isEqualTo(job.rank());
                }
            });
        }
    }

    @Test
    void shouldBalanceDimensions() {
        assertThat(CartesianCommunicator.balanced(12, 2)).containsExactly(4, 3);
        assertThat(CartesianCommunicator.balanced(6, 3)).containsExactly(3, 2, 1);
        assertThat(CartesianCommunicator.balanced(16, 3)).containsExactly(4, 2, 2);
        assertThat(CartesianCommunicator.balanced(36, 3)).containsExactly(4, 3, 3);
        assertThat(CartesianCommunicator.balanced(1000, 3)).containsExactly(10, 10, 10);
        assertThat(CartesianCommunicator.balanced(7, 2)).containsExactly(7, 1);
        assertThat(CartesianCommunicator.balanced(1, 4)).containsExactly(1, 1, 1, 1);
        assertThat(CartesianCommunicator.balanced(5, 1)).containsExactly(5);
        assertThatThrownBy(() -> CartesianCommunicator.balanced(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CartesianCommunicator.balanced(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
