/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.BitSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Tells which cores have which bytes of the nodes' memories in their caches, in a predicted run. A core that reads
 * bytes has them in addition to the other cores; a core that writes bytes has them alone. A core that lacks bytes
 * fetches them from their owner: the rank that wrote them last or, when no rank has written them, the rank that read
 * them first. Caches never overflow. Only the cores of one host use the memory of a node.
 */
final class CacheLines {
    private static final int NOBODY = -1;

    /** The cost of bytes that cross from one rank to another. */
    @FunctionalInterface
    interface CrossingCost {
        /**
         * Returns the cost of consecutive bytes with the same owner.
         *
         * @param bytes the number of bytes, 1 or more
         * @param owner their owner
         * @return nanoseconds
         */
        double nanos(long bytes, int owner);
    }

    /** Consecutive bytes with one owner and the same holders; they begin at the key in the map. */
    private static final class Range {
        private long end;
        private int owner;
        private final BitSet holders;

        Range(long end, int owner, BitSet holders) {
            this.end = end;
            this.owner = owner;
            this.holders = holders;
        }

        boolean isElsewhere(int core) {
            return holders.cardinality() > (holders.get(core) ? 1 : 0);
        }
    }

    private final long privateStart;
    private final TreeMap<Long, Range> ranges = new TreeMap<>();

    /**
     * @param nodes the number of nodes; memory above theirs is private to a rank, and its bytes never cross
     */
    CacheLines(int nodes) {
        this.privateStart = SymbolicMemory.start(nodes);
        ranges.put(SymbolicMemory.start(0), new Range(privateStart, NOBODY, new BitSet()));
    }

    /** {@return the nanoseconds that a read costs in addition, for the bytes that the reader's core does not have} */
    double read(int rank, int core, long start, long bytes, CrossingCost cost) {
        if (start >= privateStart || bytes == 0) {
            return 0;
        }
        SortedMap<Long, Range> touched = cutOut(start, start + bytes);
        double nanos = crossing(touched, cost, range -> !range.holders.get(core));
        for (Range range : touched.values()) {
            range.owner = range.owner == NOBODY ? rank : range.owner;
            range.holders.set(core);
        }
        return nanos;
    }

    /** {@return the nanoseconds that a write costs in addition, for the bytes that other cores have} */
    double write(int rank, int core, long start, long bytes, CrossingCost cost) {
        if (start >= privateStart || bytes == 0) {
            return 0;
        }
        SortedMap<Long, Range> touched = cutOut(start, start + bytes);
        double nanos = crossing(touched, cost, range -> range.isElsewhere(core));
        touched.clear();
        BitSet alone = new BitSet();
        alone.set(core);
        ranges.put(start, new Range(start + bytes, rank, alone));
        return nanos;
    }

    private SortedMap<Long, Range> cutOut(long start, long end) {
        cut(start);
        cut(end);
        return ranges.subMap(start, end);
    }

    private void cut(long at) {
        Map.Entry<Long, Range> entry = ranges.lowerEntry(at);
        if (entry != null && entry.getValue().end > at) {
            Range left = entry.getValue();
            ranges.put(at, new Range(left.end, left.owner, (BitSet) left.holders.clone()));
            left.end = at;
        }
    }

    private static double crossing(SortedMap<Long, Range> touched, CrossingCost cost, Predicate<Range> crosses) {
        double nanos = 0;
        long bytes = 0;
        int owner = NOBODY;
        for (Map.Entry<Long, Range> entry : touched.entrySet()) {
            Range range = entry.getValue();
            if (range.owner != owner) {
                nanos += bytes == 0 ? 0 : cost.nanos(bytes, owner);
                bytes = 0;
                owner = range.owner;
            }
            bytes += owner != NOBODY && crosses.test(range) ? range.end - entry.getKey() : 0;
        }
        return nanos + (bytes == 0 ? 0 : cost.nanos(bytes, owner));
    }
}
