/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.Arrays;

/**
 * Calls of a rank that await an answer of another node, which names the call by a number. A number is used once and
 * numbers grow, so a late answer finds no call. Any number of threads may use this class.
 *
 * @param <T> the class of the calls
 */
final class Awaited<T> {
    private static final int PLACE_BITS = 20;
    private static final long PLACE_MASK = (1L << PLACE_BITS) - 1;

    private final int callsMax;
    private Object[] calls = new Object[4];
    private long[] numbers = new long[4];
    private int[] free = new int[4]; // the places below placesUsed that have no call
    private int freeCount;
    private int placesUsed;
    private long uses;

    /**
     * Creates a table without calls.
     *
     * @param callsMax the most calls at a time, up to 2^20
     */
    Awaited(int callsMax) {
        this.callsMax = callsMax;
    }

    /** Adds a call. Returns its number, more than 0. */
    synchronized long add(T call) {
        int place = freeCount > 0 ? free[--freeCount] : newPlace();
        calls[place] = call;
        numbers[place] = ++uses << PLACE_BITS | place;
        return numbers[place];
    }

    private int newPlace() {
        if (placesUsed == callsMax) {
            throw new IllegalStateException("this rank has " + callsMax + " calls that await answers of other nodes, "
                    + "which is the limit; await some of them first");
        }
        if (placesUsed == calls.length) {
            calls = Arrays.copyOf(calls, 2 * placesUsed);
            numbers = Arrays.copyOf(numbers, calls.length);
            free = Arrays.copyOf(free, calls.length);
        }
        return placesUsed++;
    }

    /** Returns the place of a call with a number, from 0. No other call has the place at the same time. */
    static int place(long number) {
        return (int) (number & PLACE_MASK);
    }

    /** Returns the call with a number, which may be any, or null. */
    @SuppressWarnings("unchecked")
    synchronized T find(long number) {
        int place = place(number);
        return place < calls.length && numbers[place] == number ? (T) calls[place] : null;
    }

    /** Removes a call that awaits no answer any more. */
    synchronized void remove(long number) {
        int place = place(number);
        if (number != 0 && numbers[place] == number) {
            calls[place] = null;
            numbers[place] = 0;
            free[freeCount++] = place;
        }
    }
}
