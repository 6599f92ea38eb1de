/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;

/**
 * Areas that are moved in turn to what an algorithm finds, so that finding allocates nothing, and costs no memory for
 * each other rank. What was found stays where it is until {@value #KEPT} more were: an algorithm holds two at most.
 */
public final class Areas {
    static final int KEPT = 4;

    private final Area[] areas = new Area[KEPT];
    private int next;

    public Areas() {
        for (int i = 0; i < KEPT; i++) {
            areas[i] = new Area();
        }
    }

    public Area next(MemorySegment segment, long start) {
        Area area = areas[next++ & KEPT - 1];
        area.set(segment, start);
        return area;
    }

    public void clear() {
        for (Area area : areas) {
            area.clear();
        }
    }
}
