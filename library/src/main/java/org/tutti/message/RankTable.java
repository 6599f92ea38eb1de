/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

/**
 * A table with an entry for each rank that this rank has exchanged messages with. The table grows with these ranks, not
 * with the job. It is a hash table with linear probing, at most half full.
 *
 * <p>Any number of threads may use a table. A look takes no lock: an entry is published with release order, is never
 * removed, and has final fields.
 *
 * @param <T> the class of the values
 */
final class RankTable<T> {
    private record Entry<T>(int rank, T value) {}

    private static final int PLACES_MIN = 8;
    private static final int GOLDEN = 0x9E37_79B9; // 2^32 / golden ratio: Knuth's multiplicative hashing

    private volatile AtomicReferenceArray<Entry<T>> places = new AtomicReferenceArray<>(PLACES_MIN);
    private Entry<T> last; // the one that was found last; threads race, and any entry is right
    private int count;

    /** Returns the value of a rank, or null. */
    T get(int rank) {
        Entry<T> entry = last;
        return entry != null && entry.rank == rank ? entry.value : find(rank);
    }

    private T find(int rank) {
        AtomicReferenceArray<Entry<T>> all = places;
        for (int place = home(rank, all.length());; place = place + 1 & all.length() - 1) {
            Entry<T> entry = all.getAcquire(place);
            if (entry == null) {
                return null;
            }
            if (entry.rank == rank) {
                last = entry;
                return entry.value;
            }
        }
    }

    /** Returns the value of a rank. If it has none, makes the value; only one thread makes it. */
    T getOrMake(int rank, IntFunction<T> maker) {
        T value = get(rank);
        return value != null ? value : make(rank, maker);
    }

    private synchronized T make(int rank, IntFunction<T> maker) {
        T value = get(rank);
        if (value == null) {
            value = maker.apply(rank);
            if (2 * ++count > places.length()) {
                grow();
            }
            put(places, new Entry<>(rank, value));
        }
        return value;
    }

    private void grow() {
        AtomicReferenceArray<Entry<T>> all = places;
        AtomicReferenceArray<Entry<T>> grown = new AtomicReferenceArray<>(2 * all.length());
        for (int place = 0; place < all.length(); place++) {
            Entry<T> entry = all.getPlain(place);
            if (entry != null) {
                put(grown, entry);
            }
        }
        places = grown;
    }

    private static <T> void put(AtomicReferenceArray<Entry<T>> all, Entry<T> entry) {
        int place = home(entry.rank, all.length());
        while (all.getPlain(place) != null) {
            place = place + 1 & all.length() - 1;
        }
        all.setRelease(place, entry);
    }

    private static int home(int rank, int places) {
        return rank * GOLDEN >>> Integer.SIZE - Integer.numberOfTrailingZeros(places);
    }
}
