/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Counts the bytes of the nodes' shared memory into which each call has put data. Windows and eager buffers count;
 * words and the data beside them do not. A byte that is written several times counts once.
 */
final class MemoryUse {
    private record Block(int node, long end, LongPredicate counts) {}

    private record Key(int call, int node) {}

    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    private final Map<Key, TreeMap<Long, Long>> ranges = new HashMap<>();

    /** Adds a block of a node's shared memory; the predicate tells for each offset in it whether the byte counts. */
    void add(int node, long address, MemorySegment block, LongPredicate counts) {
        blocks.put(address, new Block(node, address + block.byteSize(), counts));
    }

    /** Notes that a call has written bytes. */
    void write(int call, long address, long bytes) {
        Map.Entry<Long, Block> entry = blocks.floorEntry(address);
        if (entry != null && address < entry.getValue().end
                && entry.getValue().counts.test(address - entry.getKey())) {
            cover(ranges.computeIfAbsent(new Key(call, entry.getValue().node), _ -> new TreeMap<>()), address,
                    address + bytes);
        }
    }

    private static void cover(TreeMap<Long, Long> covered, long start, long end) {
        Map.Entry<Long, Long> before = covered.floorEntry(start);
        if (before != null && before.getValue() >= end) {
            return;
        }
        long from = start;
        long to = end;
        for (Map.Entry<Long, Long> each = covered.floorEntry(to); each != null && each.getValue() >= from; each =
                covered.floorEntry(to)) {
            from = Math.min(from, each.getKey());
            to = Math.max(to, each.getValue());
            covered.remove(each.getKey());
        }
        covered.put(from, to);
    }

    /** {@return the number of bytes of a node that a call has written} */
    long bytes(int call, int node) {
        long bytes = 0;
        for (Map.Entry<Long, Long> range : ranges.getOrDefault(new Key(call, node), new TreeMap<>()).entrySet()) {
            bytes += range.getValue() - range.getKey();
        }
        return bytes;
    }
}
