/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Places the ranks of a communicator in a grid. If all nodes have the same number of ranks, each node gets a box of the
 * grid. Of all boxes with that number of places that divide the grid, this class chooses one with the fewest links
 * between neighbours on different nodes. If no box has fewer such links than the order of the ranks, the ranks keep
 * their order.
 */
final class GridPlacement {
    private final Grid grid;
    private final int[] box;
    private int[] best;
    private long bestLinks;

    private GridPlacement(Grid grid, long bestLinks) {
        this.grid = grid;
        this.box = new int[grid.dimensions()];
        this.best = new int[0];
        this.bestLinks = bestLinks;
    }

    /** Returns the place of each rank in the grid, which has as many places as there are ranks. */
    static int[] placesOf(Topology topology, Grid grid) {
        int[] inOrder = IntStream.range(0, topology.size()).toArray();
        int onNode = topology.ranksOn(0);
        boolean areEqual = IntStream.range(0, topology.nodes()).allMatch(node -> topology.ranksOn(node) == onNode);
        if (!areEqual || onNode == 1 || topology.nodes() == 1) {
            return inOrder;
        }
        GridPlacement placement = new GridPlacement(grid, linksInOrder(topology, grid));
        placement.tryBoxes(0, onNode);
        return placement.best.length == 0 ? inOrder : placesInBoxes(topology, grid, placement.best);
    }

    /** Counts the links between nodes if each rank has the place of its number. */
    private static long linksInOrder(Topology topology, Grid grid) {
        long links = 0;
        for (int place = 0; place < topology.size(); place++) {
            for (int dimension = 0; dimension < grid.dimensions(); dimension++) {
                OptionalInt next = grid.neighbour(place, dimension, 1);
                links += next.isPresent() && topology.nodeOf(next.getAsInt()) != topology.nodeOf(place) ? 1 : 0;
            }
        }
        return links;
    }

    /** Tries all lengths of the box from a dimension on, so that these lengths have the given product. */
    private void tryBoxes(int dimension, int product) {
        if (dimension == box.length) {
            if (product == 1 && links() < bestLinks) {
                bestLinks = links();
                best = box.clone();
            }
            return;
        }
        for (int length = 1; length <= product; length++) {
            if (product % length == 0 && grid.length(dimension) % length == 0) {
                box[dimension] = length;
                tryBoxes(dimension + 1, product / length);
            }
        }
    }

    /** Counts the links between nodes if each node has a box. */
    private long links() {
        long links = 0;
        for (int dimension = 0; dimension < box.length; dimension++) {
            int boxes = grid.length(dimension) / box[dimension];
            int cuts = grid.isPeriodic(dimension) && boxes > 1 ? boxes : boxes - 1;
            links += cuts * (grid.size() / grid.length(dimension));
        }
        return links;
    }

    private static int[] placesInBoxes(Topology topology, Grid grid, int[] box) {
        boolean[] isPeriodic = new boolean[box.length];
        Grid inside = new Grid(box, isPeriodic);
        Grid boxes = new Grid(IntStream.range(0, box.length).map(each -> grid.length(each) / box[each]).toArray(),
                isPeriodic);
        int[] places = new int[topology.size()];
        Arrays.setAll(places, rank -> {
            int[] corner = boxes.coordinates(topology.nodeOf(rank));
            int[] offset = inside.coordinates(topology.localRankOf(rank));
            return grid.placeAt(IntStream.range(0, box.length)
                    .map(each -> corner[each] * box[each] + offset[each]).toArray()).orElseThrow();
        });
        return places;
    }
}
