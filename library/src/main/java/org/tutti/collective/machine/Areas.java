/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;

/**
 * A pool of {@value #KEPT} areas, which an algorithm uses in turn to refer to memory of other ranks. A look-up of such
 * memory therefore allocates nothing, and a rank needs no area for each other rank. An area stays valid until {@value
 * #KEPT} further look-ups; an algorithm holds at most two areas at a time.
 */
public final class Areas {
    static final int KEPT = 4;

    private final Area[] areas = new Area[KEPT];
    private int next;

    /** Creates the areas, which refer to no memory. */
    public Areas() {
        for (int i = 0; i < KEPT; i++) {
            areas[i] = new Area();
        }
    }

    /**
     * Makes the next area of the pool refer to memory, and returns this area.
     *
     * @param segment the memory
     * @param start the offset in the memory at which the area begins, in bytes
     */
    public Area next(MemorySegment segment, long start) {
        Area area = areas[next++ & KEPT - 1];
        area.set(segment, start);
        return area;
    }

    /** Clears all references, so that the areas keep no memory alive. */
    public void clear() {
        for (Area area : areas) {
            area.clear();
        }
    }
}
