/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * The table of the regions of a process, which finds a region by its handle. A handle is a random number that cannot be
 * guessed, or a number that the owner chooses and other processes of the job can compute. No handle is used twice, so
 * the handle of a removed region reaches no other region.
 *
 * <p>The table is a hash table with linear probing, and at most half full. Each change creates a new array of entries
 * and publishes it with a volatile write, so threads look up regions without a lock.
 */
public final class Regions {
    /** The most regions that a process may have at a time. */
    public static final int REGIONS_MAX = 1 << 16;

    private static final int ENTRIES_MIN = 32;
    private static final int ENTRIES_PER_REGION = 2;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L; // 2^64 / golden ratio: Knuth's multiplicative hashing

    private final SecureRandom random = new SecureRandom();
    private volatile Region[] table = new Region[ENTRIES_MIN];
    private int count;

    /**
     * Adds a region to which other processes may send no active messages.
     *
     * @param memory the memory of the region. An array of the Java heap takes the bytes of puts, but has no words
     * @return the region, with a random handle
     * @throws IllegalStateException if this process has {@link #REGIONS_MAX} regions
     */
    public Region add(MemorySegment memory) {
        return add(memory, null);
    }

    /**
     * Adds a region.
     *
     * @param memory the memory of the region, native
     * @param handler handles the active messages of other processes; null if they may send none
     * @return the region, with a random handle
     * @throws IllegalStateException if this process has {@link #REGIONS_MAX} regions
     */
    public synchronized Region add(MemorySegment memory, RegionHandler handler) {
        long handle;
        do {
            handle = random.nextLong();
        } while (handle == 0 || find(handle) != null);
        return add(new Region(handle, memory, handler));
    }

    /**
     * Adds a region with a handle that other processes can compute.
     *
     * @param memory the memory of the region, native
     * @param handle the handle; processes outside the job must not be able to guess it
     * @param handler handles the active messages of other processes; null if they may send none
     * @throws IllegalStateException if there is already a region with this handle, or this process has {@link
     *            #REGIONS_MAX} regions
     */
    public synchronized void addKnown(MemorySegment memory, long handle, RegionHandler handler) {
        if (find(handle) != null) {
            throw new IllegalStateException("a region with this handle is there: " + find(handle).segment());
        }
        add(new Region(handle, memory, handler));
    }

    private Region add(Region region) {
        if (count == REGIONS_MAX) {
            throw new IllegalStateException("this process has " + REGIONS_MAX + " regions, and may not have more; "
                    + "close memory and communicators that are not used any more");
        }
        table = rebuilt(region, null);
        count++;
        assert find(region.handle()) == region : "region " + count + " is not found by its handle";
        return region;
    }

    /**
     * Removes and revokes a region. If there is no region with the handle, this method has no effect.
     *
     * @param handle the handle of the region
     */
    public synchronized void remove(long handle) {
        Region region = find(handle);
        if (region != null) {
            region.revoke();
            table = rebuilt(null, region);
            count--;
            assert count >= 0 && find(handle) == null : "a region is found that was removed, with " + count + " left";
        }
    }

    private Region[] rebuilt(Region added, Region removed) {
        int regions = count + (added == null ? -1 : 1);
        Region[] changed = new Region[entries(regions)];
        for (Region each : table) {
            if (each != null && each != removed) {
                put(changed, each);
            }
        }
        if (added != null) {
            put(changed, added);
        }
        return changed;
    }

    private static int entries(int regions) {
        int needed = Math.max(ENTRIES_MIN, ENTRIES_PER_REGION * regions);
        return Integer.highestOneBit(2 * needed - 1);
    }

    private static void put(Region[] entries, Region region) {
        assert Integer.bitCount(entries.length) == 1 : entries.length + " entries";
        int at = home(region.handle(), entries.length);
        while (entries[at] != null) {
            at = at + 1 & entries.length - 1;
        }
        entries[at] = region;
    }

    /**
     * Returns the region with a handle.
     *
     * @param handle the handle; it may have any value, because another process sends it
     * @return the region, or null if there is none
     */
    public Region find(long handle) {
        Region[] entries = table;
        for (int at = home(handle, entries.length); entries[at] != null; at = at + 1 & entries.length - 1) {
            if (entries[at].handle() == handle) {
                return entries[at];
            }
        }
        return null;
    }

    /** Returns the index at which the search for a handle begins, which is the highest bits of a product. */
    private static int home(long handle, int entries) {
        return (int) (handle * GOLDEN >>> Long.SIZE - Integer.numberOfTrailingZeros(entries));
    }
}
