/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.Arrays;

import org.tutti.RemotePart;

/**
 * Versions that a rank puts into another rank's part. After a fence it stores, in the part of a third rank, that the
 * version is there; a rank that has read this number must find that version or a later one. There are also pairs of
 * numbers, the second put after the first one without a fence: over one rail no rank may see the second number without
 * the first one.
 */
final class PublishedVersions extends HistoryActor {
    private static final int VERSION_LONGS = 8;
    private static final long VERSION_BYTES = (long) VERSION_LONGS * Long.BYTES;
    private static final long PAIR_BYTES = 2L * Long.BYTES;

    private final long[] versions;
    private final long[] pairs;

    PublishedVersions(Setting history, long start) {
        super(history, start);
        this.versions = new long[size];
        this.pairs = new long[size];
    }

    static long bytes(int size) {
        return size * (VERSION_BYTES + PAIR_BYTES + (long) size * Long.BYTES);
    }

    private long version(int writer) {
        return start + writer * VERSION_BYTES;
    }

    private long pair(int writer) {
        return start + size * VERSION_BYTES + writer * PAIR_BYTES;
    }

    /** Where a writer says which version is at a target. */
    private RemotePart board(int target) {
        return memory.at((target + 1) % size);
    }

    private long notice(int writer, int target) {
        return start + size * (VERSION_BYTES + PAIR_BYTES) + ((long) writer * size + target) * Long.BYTES;
    }

    @Override
    void act(int target) {
        switch (random.nextInt(4)) {
            case 0 -> publish(target);
            case 1 -> look(random.nextInt(size), target);
            case 2 -> putPair(target);
            default -> lookAtPair(random.nextInt(size), target);
        }
    }

    private void publish(int target) {
        long next = ++versions[target];
        long[] version = new long[VERSION_LONGS];
        Arrays.fill(version, next);
        memory.at(target).put(version(self), version);
        memory.fence(target);
        long before = board(target).swapLong(notice(self, target), next);
        require(before == next - 1, "rank " + self + " has swapped " + before + " for version " + next);
    }

    private void look(int writer, int target) {
        long[] version = new long[VERSION_LONGS];
        long before = board(target).fetchAddLong(notice(writer, target), 0);
        memory.at(target).get(version(writer), version);
        long after = board(target).fetchAddLong(notice(writer, target), 0);
        for (long each : version) {
            require(each >= before && each <= after + 1, "rank " + self + " found version " + each + " of rank "
                    + writer + " at rank " + target + ", when the notice went from " + before + " to " + after);
        }
    }

    private void putPair(int target) {
        if (!isInOrder(target)) {
            memory.fence(target); // or an earlier pair may be the last
        }
        long[] next = {++pairs[target]};
        memory.at(target).put(pair(self), next);
        memory.at(target).put(pair(self) + Long.BYTES, next);
    }

    /** Puts on the own node are stores, which the processor and the compiler may turn round. */
    private void lookAtPair(int writer, int target) {
        long[] first = new long[1];
        long[] second = new long[1];
        memory.at(target).get(pair(writer) + Long.BYTES, second);
        memory.at(target).get(pair(writer), first);
        boolean ordered = isOneRail() && world.topology().nodeOf(writer) != world.topology().nodeOf(target);
        require(!ordered || first[0] >= second[0], "rank " + self + " has seen " + second[0] + " of rank " + writer
                + " at rank " + target + " before " + first[0]);
    }

    @Override
    void check() {
        for (int target = 0; target < size; target++) {
            long[] pair = new long[2];
            memory.at(target).get(pair(self), pair);
            require(pair[0] == pairs[target] && pair[1] == pairs[target], "the pair of rank " + self + " at rank "
                    + target + " is " + pair[0] + ", " + pair[1] + " instead of " + pairs[target]);
        }
    }
}
