/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;

/**
 * Four areas that are set in turn to the memory that an algorithm finds, so that finding allocates nothing, and costs
 * no memory for each other rank. An area stays valid until {@value #KEPT} more were found; an algorithm holds two at
 * most.
 */
public final class Areas {
    static final int KEPT = 4;

    private final Area[] areas = new Area[KEPT];
    private int next;

    /** Makes the areas, which hold no memory. */
    public Areas() {
        for (int i = 0; i < KEPT; i++) {
            areas[i] = new Area();
        }
    }

    /** Sets the next area in turn to memory, and returns it. */
    public Area next(MemorySegment segment, long start) {
        Area area = areas[next++ & KEPT - 1];
        area.set(segment, start);
        return area;
    }

    /** Forgets all memory, so that it is not kept alive. */
    public void clear() {
        for (Area area : areas) {
            area.clear();
        }
    }
}
