/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The numbering of the places of a grid. The last dimension varies fastest. Dimensions may be periodic: then the last
 * place in that dimension is a neighbour of the first. A grid is immutable.
 */
final class Grid {
    private final int[] lengths;
    private final boolean[] isPeriodic;

    Grid(int[] lengths, boolean[] isPeriodic) {
        this.lengths = lengths.clone();
        this.isPeriodic = isPeriodic.clone();
    }

    int dimensions() {
        return lengths.length;
    }

    int length(int dimension) {
        return lengths[dimension];
    }

    boolean isPeriodic(int dimension) {
        return isPeriodic[dimension];
    }

    int[] lengths() {
        return lengths.clone();
    }

    /** Returns the number of places, or {@link Long#MAX_VALUE} if it is greater than an int. */
    long size() {
        long size = 1;
        for (int length : lengths) {
            size *= length;
            if (size > Integer.MAX_VALUE) {
                return Long.MAX_VALUE;
            }
        }
        return size;
    }

    int[] coordinates(int place) {
        int[] coordinates = new int[lengths.length];
        int left = place;
        for (int dimension = lengths.length - 1; dimension >= 0; dimension--) {
            coordinates[dimension] = left % lengths[dimension];
            left /= lengths[dimension];
        }
        return coordinates;
    }

    /** Returns the place at coordinates, empty if they lie outside of a dimension that is not periodic. */
    OptionalInt placeAt(int... coordinates) {
        int place = 0;
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            OptionalInt coordinate = wrapped(dimension, coordinates[dimension]);
            if (coordinate.isEmpty()) {
                return coordinate;
            }
            place = place * lengths[dimension] + coordinate.getAsInt();
        }
        return OptionalInt.of(place);
    }

    /** Returns the place at a distance in one dimension, empty if it lies outside. */
    OptionalInt neighbour(int place, int dimension, long displacement) {
        int[] coordinates = coordinates(place);
        OptionalInt coordinate = wrapped(dimension, coordinates[dimension] + displacement);
        if (coordinate.isEmpty()) {
            return coordinate;
        }
        coordinates[dimension] = coordinate.getAsInt();
        return placeAt(coordinates);
    }

    private OptionalInt wrapped(int dimension, long coordinate) {
        int inside = Math.floorMod(coordinate, lengths[dimension]);
        return inside == coordinate || isPeriodic[dimension] ? OptionalInt.of(inside) : OptionalInt.empty();
    }

    /** Returns the grid of the kept dimensions. */
    Grid part(boolean[] kept) {
        int[] partLengths = new int[lengths.length];
        boolean[] partIsPeriodic = new boolean[lengths.length];
        int count = 0;
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            if (kept[dimension]) {
                partLengths[count] = lengths[dimension];
                partIsPeriodic[count++] = isPeriodic[dimension];
            }
        }
        return new Grid(Arrays.copyOf(partLengths, count), Arrays.copyOf(partIsPeriodic, count));
    }

    @Override
    public String toString() {
        return "grid of " + Arrays.toString(lengths) + ", periodic " + Arrays.toString(isPeriodic);
    }
}
