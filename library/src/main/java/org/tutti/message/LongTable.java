/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.concurrent.ThreadLocalRandom;

/**
 * A table from numbers to objects, which allocates memory only when it grows. It is a hash table with linear probing,
 * at most half full. Another process may choose the numbers. Therefore the factor of the multiplicative hash is random,
 * so that nobody can choose numbers with the same home. One thread at a time may use a table.
 *
 * @param <V> the class of the objects
 */
final class LongTable<V> {
    private static final int PLACES_MIN = 8;

    private final long factor = ThreadLocalRandom.current().nextLong() | 1;
    private long[] keys = new long[PLACES_MIN];
    private Object[] values = new Object[PLACES_MIN]; // null where there is no entry
    private int count;

    /** Returns the number of entries. */
    int count() {
        return count;
    }

    /** Returns the object with a number, or null. */
    V get(long key) {
        return value(place(key));
    }

    /** Sets the object with a number, in place of an earlier one. */
    void put(long key, V value) {
        if (2 * (count + 1) > keys.length) {
            grow();
        }
        int place = place(key);
        count += values[place] == null ? 1 : 0;
        keys[place] = key;
        values[place] = value;
    }

    /** Removes the entry with a number. Returns its object, or null if there is none. */
    V remove(long key) {
        int free = place(key);
        V removed = value(free);
        if (removed != null) {
            count--;
            values[free] = null;
            for (int place = next(free); values[place] != null; place = next(place)) {
                if (isBetween(home(keys[place]), free, place)) { // else it would not be found there
                    keys[free] = keys[place];
                    values[free] = values[place];
                    values[place] = null;
                    free = place;
                }
            }
        }
        return removed;
    }

    /** Returns whether a search that begins at a place comes to a free place before it comes to a later one. */
    private boolean isBetween(int home, int free, int place) {
        return (place - home & keys.length - 1) >= (place - free & keys.length - 1);
    }

    private void grow() {
        long[] oldKeys = keys;
        Object[] oldValues = values;
        keys = new long[2 * oldKeys.length];
        values = new Object[keys.length];
        for (int old = 0; old < oldKeys.length; old++) {
            if (oldValues[old] != null) {
                int place = place(oldKeys[old]);
                keys[place] = oldKeys[old];
                values[place] = oldValues[old];
            }
        }
    }

    /** Returns the place of the entry with a number, or the free place where it would be. */
    private int place(long key) {
        int place = home(key);
        while (values[place] != null && keys[place] != key) {
            place = next(place);
        }
        return place;
    }

    private int home(long key) {
        return (int) (key * factor >>> Long.SIZE - Integer.numberOfTrailingZeros(keys.length));
    }

    private int next(int place) {
        return place + 1 & keys.length - 1;
    }

    @SuppressWarnings("unchecked")
    private V value(int place) {
        return (V) values[place];
    }
}
