/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Arrays;

/**
 * The recorded calls of all ranks, a column for each property. Times are nanoseconds since 1970 by the clock of the
 * recording.
 */
final class Calls {
    private static final int CAPACITY = 1 << 10;
    private static final long DIRECTLY_NANOS_MIN = 10_000;
    private static final long DIRECTLY_NANOS_MAX = 100_000;

    private int size;
    private int[] ranks = new int[CAPACITY];
    private int[] sites = new int[CAPACITY];
    private int[] communicators = new int[CAPACITY];
    private int[] peers = new int[CAPACITY];
    private long[] begins = new long[CAPACITY];
    private long[] ends = new long[CAPACITY];
    private long[] waits = new long[CAPACITY];
    private long[] numbers = new long[CAPACITY];
    private long[] bytes = new long[CAPACITY];

    /**
     * Adds a call.
     *
     * @param rank the rank that calls
     * @param site the number of the site
     * @param communicator the number of the communicator among those that the report has found
     * @param peer the rank at the other end, or the rank that was waited for longest, or −1
     * @param begin the time at which the call begins
     * @param end the time at which it ends
     * @param waiting the nanoseconds in which the rank waited
     * @param number the number of the operation of a collective, or the tag of a message
     * @param length the length in bytes
     */
    void add(int rank, int site, int communicator, int peer, long begin, long end, long waiting, long number,
            long length) {
        if (size == ranks.length) {
            grow(size * 2);
        }
        ranks[size] = rank;
        sites[size] = site;
        communicators[size] = communicator;
        peers[size] = peer;
        begins[size] = begin;
        ends[size] = end;
        waits[size] = waiting;
        numbers[size] = number;
        bytes[size] = length;
        size++;
    }

    private void grow(int capacity) {
        ranks = Arrays.copyOf(ranks, capacity);
        sites = Arrays.copyOf(sites, capacity);
        communicators = Arrays.copyOf(communicators, capacity);
        peers = Arrays.copyOf(peers, capacity);
        begins = Arrays.copyOf(begins, capacity);
        ends = Arrays.copyOf(ends, capacity);
        waits = Arrays.copyOf(waits, capacity);
        numbers = Arrays.copyOf(numbers, capacity);
        bytes = Arrays.copyOf(bytes, capacity);
    }

    /** Adds a time to the times of each call, by the clock of its rank. */
    void shift(int[] clockOfRank, long[] shifts) {
        for (int call = 0; call < size; call++) {
            long shift = shifts[clockOfRank[ranks[call]]];
            begins[call] += shift;
            ends[call] += shift;
        }
    }

    int size() {
        return size;
    }

    int rank(int call) {
        return ranks[call];
    }

    int site(int call) {
        return sites[call];
    }

    int communicator(int call) {
        return communicators[call];
    }

    int peer(int call) {
        return peers[call];
    }

    long begin(int call) {
        return begins[call];
    }

    long end(int call) {
        return ends[call];
    }

    long nanos(int call) {
        return ends[call] - begins[call];
    }

    long waiting(int call) {
        return waits[call];
    }

    long number(int call) {
        return numbers[call];
    }

    long bytes(int call) {
        return bytes[call];
    }

    /**
     * {@return whether a call directly follows an earlier one of the same rank: after 10 µs or less, or after 100 µs or
     * less if the earlier call took at least as long}
     */
    boolean isDirectlyAfter(int before, int call) {
        return begin(call) - end(before) <= Math.clamp(nanos(before), DIRECTLY_NANOS_MIN, DIRECTLY_NANOS_MAX);
    }
}
