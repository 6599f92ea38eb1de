/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The regions of a process. A handle is a place in this table, in its low 16 bits, and a random number, so that a
 * handle cannot be guessed, and one of a region that is gone does not reach the next one at the same place.
 */
public final class Regions {
    /** The most regions that a process may have at once. */
    public static final int REGIONS_MAX = 1 << 16;

    private static final int INDEX_BITS = 16;
    private static final int PLACES_AT_FIRST = 16;

    private final SecureRandom random = new SecureRandom();
    private volatile Region[] places = new Region[PLACES_AT_FIRST];

    /**
     * Adds a region that nobody accumulates into.
     *
     * @param memory its memory
     * @return the region
     */
    public Region add(MemorySegment memory) {
        return add(memory, null);
    }

    /**
     * Adds a region.
     *
     * @param memory its memory
     * @param accumulator combines with it what others send for that; null when they may not
     * @return the region
     */
    public synchronized Region add(MemorySegment memory, Accumulator accumulator) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native memory can be a region, not " + memory);
        }
        int index = 0;
        while (index < places.length && places[index] != null) {
            index++;
        }
        if (index == REGIONS_MAX) {
            throw new IllegalStateException("this process has " + REGIONS_MAX + " regions, and may not have more; "
                    + "close memory that is not used any more");
        }
        Region region = new Region(random.nextLong() << INDEX_BITS | index, memory, accumulator);
        Region[] changed = Arrays.copyOf(places, index == places.length ? 2 * index : places.length);
        changed[index] = region;
        places = changed;
        return region;
    }

    /**
     * Adds a region whose handle others know without being told; only the first of all.
     *
     * @param memory its memory
     * @param handle a handle whose low 16 bits are zero
     */
    public synchronized void addFirst(MemorySegment memory, long handle) {
        if (places[0] != null || (handle & REGIONS_MAX - 1) != 0) {
            throw new IllegalStateException("a known handle is for the first region, and must end with zeros");
        }
        Region[] changed = places.clone();
        changed[0] = new Region(handle, memory, null);
        places = changed;
    }

    /**
     * Finds a region.
     *
     * @param handle its handle; anything, as others name it
     * @return the region, or null when there is none
     */
    public Region find(long handle) {
        int index = (int) (handle & REGIONS_MAX - 1);
        Region[] current = places;
        Region region = index < current.length ? current[index] : null;
        return region != null && region.handle() == handle ? region : null;
    }

    /**
     * Removes a region, if it is there.
     *
     * @param handle its handle
     */
    public synchronized void remove(long handle) {
        Region region = find(handle);
        if (region != null) {
            region.revoke();
            Region[] changed = places.clone();
            changed[(int) (handle & REGIONS_MAX - 1)] = null;
            places = changed;
        }
    }
}
