/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

/**
 * A table of entries that are found by communicator, source and tag, and that keep the order in which they were added.
 * A rank has two of them, {@link UnexpectedMessages} and {@link PostedReceives}.
 * A search for an exact key looks at the entries of one bucket. The number of buckets grows with the number of entries.
 *
 * <p>One thread at a time may use a table: the {@link Mailbox} guards its tables with its lock.
 *
 * @param <E> the class of the entries
 */
class MatchTable<E extends MatchTable.Entry> {
    /** An entry, which is in one table at most. Its key does not change while it is in a table. */
    abstract static class Entry {
        long communicator;
        int source;
        int tag;
        private long number;
        private Entry before;
        private Entry after;
        private Entry beforeInBucket;
        private Entry afterInBucket;
    }

    private static final int BUCKETS_MIN = 16;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L; // 2^64 / golden ratio: Knuth's multiplicative hashing

    private Entry[] firsts = new Entry[BUCKETS_MIN];
    private Entry[] lasts = new Entry[BUCKETS_MIN];
    private Entry oldest;
    private Entry youngest;
    private long added;
    private int count;

    /** Returns the number of entries. */
    int count() {
        return count;
    }

    /** Makes an entry younger than all others, before it is known whether the entry must be added. */
    void number(E entry) {
        ((Entry) entry).number = added++;
    }

    /** Adds an entry, which is then the youngest. */
    void add(E entry) {
        Entry made = entry;
        if (count == firsts.length) {
            grow();
        }
        made.number = added++;
        made.before = youngest;
        made.after = null;
        if (youngest == null) {
            oldest = made;
        } else {
            youngest.after = made;
        }
        youngest = made;
        count++;
        addToBucket(made);
    }

    /** Adds an entry that has a number, at the place of that number among the others. */
    void addAgain(E entry) {
        Entry made = entry;
        if (count == firsts.length) {
            grow();
        }
        Entry next = oldest;
        while (next != null && next.number < made.number) {
            next = next.after;
        }
        Entry last = next == null ? youngest : next.before;
        made.before = last;
        made.after = next;
        if (last == null) {
            oldest = made;
        } else {
            last.after = made;
        }
        if (next == null) {
            youngest = made;
        } else {
            next.before = made;
        }
        count++;
        addAgainToBucket(made);
    }

    private void addAgainToBucket(Entry entry) {
        int bucket = bucket(entry.communicator, entry.source, entry.tag);
        Entry next = firsts[bucket];
        while (next != null && next.number < entry.number) {
            next = next.afterInBucket;
        }
        Entry last = next == null ? lasts[bucket] : next.beforeInBucket;
        entry.beforeInBucket = last;
        entry.afterInBucket = next;
        if (last == null) {
            firsts[bucket] = entry;
        } else {
            last.afterInBucket = entry;
        }
        if (next == null) {
            lasts[bucket] = entry;
        } else {
            next.beforeInBucket = entry;
        }
    }

    private void addToBucket(Entry entry) {
        int bucket = bucket(entry.communicator, entry.source, entry.tag);
        entry.beforeInBucket = lasts[bucket];
        entry.afterInBucket = null;
        if (lasts[bucket] == null) {
            firsts[bucket] = entry;
        } else {
            lasts[bucket].afterInBucket = entry;
        }
        lasts[bucket] = entry;
    }

    private void grow() {
        firsts = new Entry[2 * firsts.length];
        lasts = new Entry[firsts.length];
        for (Entry each = oldest; each != null; each = each.after) {
            addToBucket(each);
        }
    }

    /** Removes an entry of this table. */
    void remove(E entry) {
        Entry removed = entry;
        if (removed.before == null) {
            oldest = removed.after;
        } else {
            removed.before.after = removed.after;
        }
        if (removed.after == null) {
            youngest = removed.before;
        } else {
            removed.after.before = removed.before;
        }
        int bucket = bucket(removed.communicator, removed.source, removed.tag);
        if (removed.beforeInBucket == null) {
            firsts[bucket] = removed.afterInBucket;
        } else {
            removed.beforeInBucket.afterInBucket = removed.afterInBucket;
        }
        if (removed.afterInBucket == null) {
            lasts[bucket] = removed.beforeInBucket;
        } else {
            removed.afterInBucket.beforeInBucket = removed.beforeInBucket;
        }
        removed.before = null;
        removed.after = null;
        removed.beforeInBucket = null;
        removed.afterInBucket = null;
        count--;
    }

    /** Returns the oldest entry with exactly this key, or null. */
    @SuppressWarnings("unchecked")
    E oldest(long communicator, int source, int tag) {
        for (Entry each = firsts[bucket(communicator, source, tag)]; each != null; each = each.afterInBucket) {
            if (each.tag == tag && each.source == source && each.communicator == communicator) {
                return (E) each;
            }
        }
        return null;
    }

    /** Returns the oldest entry, or null. */
    @SuppressWarnings("unchecked")
    E oldest() {
        return (E) oldest;
    }

    /** Returns the entry that was added next after an entry of this table, or null. */
    @SuppressWarnings("unchecked")
    E after(E entry) {
        return (E) ((Entry) entry).after;
    }

    /** Returns the older of two entries of this table. One or both may be null. */
    static <E extends Entry> E older(E one, E other) {
        return one == null || other != null && ((Entry) other).number < ((Entry) one).number ? other : one;
    }

    private int bucket(long communicator, int source, int tag) {
        long key = (communicator * GOLDEN + source) * GOLDEN + tag;
        return (int) (key * GOLDEN >>> Long.SIZE - Integer.numberOfTrailingZeros(firsts.length));
    }
}
