/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;

/**
 * The callers' memory that ranks of one process lend each other in the operations in flight: a place for each slot and
 * rank. {@link Team} orders what is done to a place.
 */
final class Loans {
    /** Owns no memory: what it can access, every thread can. */
    private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> {});

    private final MemorySegment[] places;
    private final int localSize;
    private final Area borrowed = new Area();
    private boolean lends;

    /**
     * @param places shared by the ranks of the node; null when they are in several processes, and cannot lend
     * @param localSize how many ranks the node has
     */
    Loans(MemorySegment[] places, int localSize) {
        this.places = places;
        this.localSize = localSize;
    }

    /** Whether every thread may use a segment; those of a confined arena only their owner may. */
    static boolean isOpenToAll(MemorySegment segment) {
        return segment.isAccessibleBy(STRANGER);
    }

    boolean lend(long operation, int localRank, Area area) {
        lends = places != null && isOpenToAll(area.segment());
        if (lends) {
            places[place(operation, localRank)] = area.segment();
        }
        return lends;
    }

    /** What a rank has lent, from a byte on; null when it has taken it back. */
    Area lent(long operation, int localRank, long start) {
        MemorySegment segment = places[place(operation, localRank)];
        if (segment == null) {
            return null;
        }
        borrowed.set(segment, start);
        return borrowed;
    }

    void takeBack(long operation, int localRank) {
        if (lends) { // others write to places nearby: a store would not be free
            places[place(operation, localRank)] = null;
            lends = false;
        }
    }

    private int place(long operation, int localRank) {
        return (int) (operation % RingLayout.SLOTS) * localSize + localRank;
    }
}
