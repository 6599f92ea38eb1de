/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The table of the regions of a process, which finds a region by its handle. A handle is a random number that cannot be
 * guessed, or a number that the owner chooses and other processes of the job can compute. No handle is used twice, so
 * the handle of a removed region reaches no other region.
 *
 * <p>The table is a hash table with linear probing, and at most half full. Threads look up regions without a lock,
 * while another thread changes the table. A region is published with release order, and keeps its place until it is
 * removed. Then a mark takes its place, because a search for another region must go on behind it. A mark with a free
 * place behind it is not needed, and its place becomes free. If regions and marks fill half of the table, a new table
 * has the regions alone. No place in front of a region becomes free while the region is in the table, so every search
 * finds it.
 *
 * <p>A region may last for one message only. Therefore random numbers are drawn in advance, some at a time. A number is
 * erased when it becomes a handle.
 */
public final class Regions {
    /** The most regions that a process may have at a time. */
    public static final int REGIONS_MAX = 1 << 16;

    private static final Region REMOVED = new Region(0, MemorySegment.NULL, null);
    private static final int PLACES_MIN = 32;
    private static final int PLACES_PER_REGION = 4; // of a new table
    private static final int NUMBERS_DRAWN = 32;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L; // 2^64 / golden ratio: Knuth's multiplicative hashing

    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer numbers = ByteBuffer.allocate(NUMBERS_DRAWN * Long.BYTES);
    private int numbersLeft;
    private volatile AtomicReferenceArray<Region> table = new AtomicReferenceArray<>(PLACES_MIN);
    private int count;
    private int marks;

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
        long handle = nextRandom();
        while (handle == 0 || find(handle) != null) {
            handle = nextRandom();
        }
        return add(new Region(handle, memory, handler));
    }

    private long nextRandom() {
        if (numbersLeft == 0) {
            random.nextBytes(numbers.array());
            numbersLeft = NUMBERS_DRAWN;
        }
        numbersLeft--;
        int at = numbersLeft * Long.BYTES;
        long number = numbers.getLong(at);
        numbers.putLong(at, 0);
        return number;
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
        if (2 * (count + marks + 1) > table.length()) {
            table = withoutMarks();
            marks = 0;
        }
        put(table, region);
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
            leaveMark(region);
            count--;
            assert count >= 0 && find(handle) == null : "a region is found that was removed, with " + count + " left";
        }
    }

    private void leaveMark(Region region) {
        AtomicReferenceArray<Region> places = table;
        int at = home(region.handle(), places.length());
        while (places.getPlain(at) != region) {
            at = next(at, places);
        }
        places.set(at, REMOVED);
        marks++;
        if (places.getPlain(next(at, places)) == null) {
            for (; places.getPlain(at) == REMOVED; at = at - 1 & places.length() - 1) {
                places.set(at, null);
                marks--;
            }
        }
    }

    private AtomicReferenceArray<Region> withoutMarks() {
        int needed = Math.max(PLACES_MIN, PLACES_PER_REGION * (count + 1));
        AtomicReferenceArray<Region> made = new AtomicReferenceArray<>(Integer.highestOneBit(2 * needed - 1));
        for (int at = 0; at < table.length(); at++) {
            Region region = table.getPlain(at);
            if (region != null && region != REMOVED) {
                put(made, region);
            }
        }
        return made;
    }

    private void put(AtomicReferenceArray<Region> places, Region region) {
        assert Integer.bitCount(places.length()) == 1 : places.length() + " places";
        int at = home(region.handle(), places.length());
        while (places.getPlain(at) != null && places.getPlain(at) != REMOVED) {
            at = next(at, places);
        }
        marks -= places.getPlain(at) == REMOVED ? 1 : 0;
        places.setRelease(at, region);
    }

    /**
     * Returns the region with a handle.
     *
     * @param handle the handle; it may have any value, because another process sends it
     * @return the region, or null if there is none
     */
    public Region find(long handle) {
        AtomicReferenceArray<Region> places = table;
        int at = home(handle, places.length());
        Region region = places.getAcquire(at);
        while (region != null && (region.handle() != handle || region == REMOVED)) {
            at = next(at, places);
            region = places.getAcquire(at);
        }
        return region;
    }

    /** Returns the place at which the search for a handle begins, which is the highest bits of a product. */
    private static int home(long handle, int places) {
        return (int) (handle * GOLDEN >>> Long.SIZE - Integer.numberOfTrailingZeros(places));
    }

    private static int next(int at, AtomicReferenceArray<Region> places) {
        return at + 1 & places.length() - 1;
    }
}
