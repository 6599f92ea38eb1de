/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * A communicator whose ranks are the places of a grid. {@link Communicator#cartesian} creates it. A grid has any number
 * of dimensions. The ranks are numbered in the order of their coordinates, of which the last varies fastest.
 *
 * <p>The calls between neighbours are those of {@link Neighbourhood}. A rank has two neighbours in each dimension.
 * Block 2d is that of the neighbour at distance −1 in dimension d, and block 2d + 1 that of the neighbour at distance
 * +1. The elements that a rank sends to +1 arrive in the block from −1 there, and those to −1 in the block from +1. A
 * neighbour outside of a dimension that is not periodic is {@linkplain Neighbourhood#ABSENT absent}. In a periodic
 * dimension of length 2 both neighbours are the same rank, and in one of length 1 they are the rank itself.
 */
public final class CartesianCommunicator extends Neighbourhood {
    /**
     * The ranks at the two ends of a shift by a displacement in one dimension.
     *
     * @param source the rank at the negative displacement, from which this rank receives; empty outside of the grid
     * @param target the rank at the displacement, to which this rank sends; empty outside of the grid
     */
    public record Shift(OptionalInt source, OptionalInt target) {}

    private final Grid grid;

    private CartesianCommunicator(Communicator communicator, Grid grid, NeighbourCalls.Ends sources,
            NeighbourCalls.Ends targets) {
        super(communicator, sources, targets);
        this.grid = grid;
    }

    private CartesianCommunicator(CartesianCommunicator viewed, Duration deadline) {
        super(viewed, deadline);
        this.grid = viewed.grid;
    }

    static CartesianCommunicator of(Communicator parent, int[] dimensions, boolean[] isPeriodic) {
        if (dimensions.length != isPeriodic.length) {
            throw new IllegalArgumentException("rank " + parent.rank() + " called cartesian with the lengths of "
                    + dimensions.length + " dimensions, but tells of " + isPeriodic.length
                    + " whether they are periodic; pass both for each dimension");
        }
        Grid grid = new Grid(dimensions, isPeriodic);
        checkAgreement(parent, grid);
        if (Arrays.stream(grid.lengths()).anyMatch(length -> length < 1) || grid.size() != parent.size()) {
            throw new IllegalArgumentException("rank " + parent.rank() + " called cartesian with dimensions "
                    + Arrays.toString(dimensions) + "; their product must be the number of ranks, " + parent.size()
                    + ", so split the communicator first if it has more");
        }
        return of(parent.split(0, GridPlacement.placesOf(parent.topology(), grid)[parent.rank()]), grid);
    }

    /** Checks that all ranks pass the same grid. */
    private static void checkAgreement(Communicator parent, Grid grid) {
        int dimensions = grid.dimensions();
        int[] greatest = new int[4 * dimensions]; // of lengths, of periodicity, and of both negated
        for (int i = 0; i < dimensions; i++) {
            greatest[i] = grid.length(i);
            greatest[dimensions + i] = grid.isPeriodic(i) ? 1 : 0;
        }
        for (int i = 0; i < 2 * dimensions; i++) {
            greatest[2 * dimensions + i] = -greatest[i];
        }
        parent.allreduce(greatest, Reduction.MAX);
        for (int i = 0; i < 2 * dimensions; i++) {
            int least = -greatest[2 * dimensions + i];
            if (least != greatest[i]) {
                throw new IllegalArgumentException(i < dimensions
                        ? "ranks called cartesian with lengths " + least + " and " + greatest[i] + " of dimension " + i
                                + "; pass the same dimensions at every rank"
                        : "ranks called cartesian with dimension " + (i - dimensions)
                                + " periodic and not periodic; pass the same dimensions at every rank");
            }
        }
    }

    /** Creates the grid of a communicator whose ranks are numbered in the order of the places. */
    private static CartesianCommunicator of(Communicator communicator, Grid grid) {
        int[] neighbours = new int[2 * grid.dimensions()];
        int[] receiveTags = new int[neighbours.length];
        int[] sendTags = new int[neighbours.length];
        for (int block = 0; block < neighbours.length; block++) {
            neighbours[block] = grid.neighbour(communicator.rank(), block / 2, block % 2 == 0 ? -1 : 1)
                    .orElse(ABSENT);
            receiveTags[block] = block;
            sendTags[block] = block ^ 1; // the block of the receiver: -1 there is +1 here
        }
        return new CartesianCommunicator(communicator, grid, new NeighbourCalls.Ends(neighbours, receiveTags),
                new NeighbourCalls.Ends(neighbours, sendTags));
    }

    /**
     * Returns lengths of dimensions for a number of ranks that are as close to each other as possible. The first length
     * is the least possible greatest one, and so on.
     *
     * @param size the number of ranks, 1 or more
     * @param dimensions the number of dimensions, 1 or more
     * @return the lengths, in descending order; their product is size
     * @throws IllegalArgumentException if size or dimensions is less than 1
     */
    public static int[] balanced(int size, int dimensions) {
        if (size < 1 || dimensions < 1) {
            throw new IllegalArgumentException("a grid of " + size + " ranks cannot have " + dimensions
                    + " dimensions; both must be 1 or more");
        }
        int[] lengths = new int[dimensions];
        divide(size, size, lengths, 0);
        return lengths;
    }

    /** Sets the lengths from a dimension on, none greater than a limit. Returns false if there are no such lengths. */
    private static boolean divide(int size, int limit, int[] lengths, int dimension) {
        if (dimension == lengths.length) {
            return size == 1;
        }
        for (int length = 1; length <= Math.min(size, limit); length++) {
            boolean isEnough = Math.pow(length, lengths.length - dimension) > size - 0.5;
            lengths[dimension] = length;
            if (isEnough && size % length == 0 && divide(size / length, length, lengths, dimension + 1)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the length of each dimension} */
    public int[] dimensions() {
        return grid.lengths();
    }

    /**
     * Returns whether a dimension is periodic.
     *
     * @param dimension the dimension, from 0
     * @return whether the last place of the dimension is a neighbour of the first
     * @throws IndexOutOfBoundsException if there is no such dimension
     */
    public boolean isPeriodic(int dimension) {
        return grid.isPeriodic(Objects.checkIndex(dimension, grid.dimensions()));
    }

    /** {@return the coordinates of this rank, one for each dimension, from 0} */
    public int[] coordinates() {
        return coordinates(rank());
    }

    /**
     * Returns the coordinates of a rank.
     *
     * @param rank a rank of {@link #communicator}
     * @return the coordinates, one for each dimension, from 0
     * @throws IllegalArgumentException if there is no such rank
     */
    public int[] coordinates(int rank) {
        if (rank < 0 || rank >= communicator().size()) {
            throw new IllegalArgumentException("rank " + rank + " is not in the " + grid + "; its ranks are 0 to "
                    + (communicator().size() - 1));
        }
        return grid.coordinates(rank);
    }

    /**
     * Returns the rank at coordinates. A coordinate of a periodic dimension may lie outside of the grid. It then means
     * the place that many lengths further inside.
     *
     * @param coordinates the coordinates, one for each dimension
     * @return the rank in {@link #communicator}
     * @throws IllegalArgumentException if there is another number of coordinates than of dimensions, or a coordinate of
     *             a dimension that is not periodic lies outside of the grid
     */
    public int rankAt(int... coordinates) {
        if (coordinates.length != grid.dimensions()) {
            throw new IllegalArgumentException("the coordinates " + Arrays.toString(coordinates) + " are not one for "
                    + "each of " + grid.dimensions() + " dimensions");
        }
        return grid.placeAt(coordinates).orElseThrow(() -> new IllegalArgumentException("the coordinates "
                + Arrays.toString(coordinates) + " lie outside of the " + grid));
    }

    /**
     * Returns the ranks between which a shift moves data: each rank sends to its target, and receives from its source.
     *
     * @param dimension the dimension, from 0
     * @param displacement the distance of the target in this dimension; may be negative, or zero
     * @return this rank's source and target
     * @throws IndexOutOfBoundsException if there is no such dimension
     */
    public Shift shift(int dimension, int displacement) {
        Objects.checkIndex(dimension, grid.dimensions());
        return new Shift(grid.neighbour(rank(), dimension, -(long) displacement),
                grid.neighbour(rank(), dimension, displacement));
    }

    /**
     * Divides the grid into grids of fewer dimensions, for example into rows. Ranks that differ only in the coordinates
     * of kept dimensions are in the same one. This is a collective call. The rank keeps those coordinates.
     *
     * @param kept for each dimension whether the new grids have it; the same at every rank
     * @return the grid of this rank, to be {@linkplain #close closed}; it has no deadline
     * @throws IllegalArgumentException if there is another number of arguments than of dimensions
     */
    public CartesianCommunicator subgrid(boolean... kept) {
        if (kept.length != grid.dimensions()) {
            throw new IllegalArgumentException("rank " + rank() + " called subgrid with " + kept.length
                    + " arguments, but the grid has " + grid.dimensions() + " dimensions; tell of each whether it is "
                    + "kept");
        }
        return of(communicator().split(placeIn(kept, false), placeIn(kept, true)), grid.part(kept));
    }

    /** Returns this rank's place in the grid of the kept dimensions, or of the others. */
    private int placeIn(boolean[] kept, boolean ofKept) {
        int place = 0;
        int[] coordinates = coordinates();
        for (int dimension = 0; dimension < kept.length; dimension++) {
            if (kept[dimension] == ofKept) {
                place = place * grid.length(dimension) + coordinates[dimension];
            }
        }
        return place;
    }

    @Override
    public CartesianCommunicator withDeadline(Duration deadline) {
        return new CartesianCommunicator(this, deadline);
    }

    @Override
    public String toString() {
        return "rank " + rank() + " at " + Arrays.toString(coordinates()) + " of a " + grid;
    }
}
