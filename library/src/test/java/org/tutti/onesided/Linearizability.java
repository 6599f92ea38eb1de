/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds out whether calls on one element could have happened one after the other: whether there is an order that agrees
 * with the clock and with what each rank was promised, in which every call returned what it has returned. The search is
 * that of Wing and Gong (1993), which tries what may come next, with Lowe's memory of where it has been before.
 */
final class Linearizability {
    /** The most calls on an element: the set of those that are done is a long. */
    static final int CALLS_MAX = Long.SIZE;

    /** More than this is not to be expected, as nearly every call returns a value that tells what was before it. */
    private static final int STATES_MAX = 2_000_000;

    /** The kind of a call on the element; the last two kinds return nothing. */
    enum Kind {
        FETCH_ADD,
        SWAP,
        COMPARE_AND_SWAP,
        ADD,
        REPLACE
    }

    /**
     * A call. One that returns nothing ends when a fence has waited for it.
     *
     * @param kind the kind of the call
     * @param operand the value of the call
     * @param expected the value that a compare-and-swap expects
     * @param returned the value that it returned
     * @param rank the calling rank
     * @param order the number of calls that the rank began before
     * @param beginNanos the time of the call
     * @param endNanos the time at which it was complete
     */
    record Call(Kind kind, long operand, long expected, long returned, int rank, int order, long beginNanos,
            long endNanos) {
        boolean returns() {
            return kind != Kind.ADD && kind != Kind.REPLACE;
        }

        /** What the element is afterwards. */
        private long apply(long value) {
            return switch (kind) {
                case FETCH_ADD, ADD -> value + operand;
                case SWAP, REPLACE -> operand;
                case COMPARE_AND_SWAP -> value == expected ? operand : value;
            };
        }

        /**
         * Whether it must come before another one. Those of a rank on an element are done in its order; with several
         * rails not so two that return nothing.
         */
        private boolean isBefore(Call other, boolean inOrder) {
            return endNanos < other.beginNanos
                    || rank == other.rank && order < other.order && (inOrder || returns() || other.returns());
        }
    }

    private record State(long done, long value) {}

    private final List<Call> calls;
    private final long[] before;
    private final boolean isInt;
    private final long last;
    private final Set<State> seen = new HashSet<>();

    private Linearizability(List<Call> calls, boolean inOrder, boolean isInt, long last) {
        this.calls = calls;
        this.isInt = isInt;
        this.last = last;
        this.before = new long[calls.size()];
        for (int i = 0; i < before.length; i++) {
            for (int j = 0; j < before.length; j++) {
                before[i] |= i != j && calls.get(j).isBefore(calls.get(i), inOrder) ? 1L << j : 0;
            }
        }
    }

    /**
     * Searches for an order.
     *
     * @param calls the calls, at most {@value #CALLS_MAX}
     * @param inOrder whether calls of a rank that return nothing are done in its order
     * @param isInt whether the element has 32 bits; values are given as numbers
     * @param first what the element was before
     * @param last what it is afterwards
     * @return whether there is one
     */
    static boolean holds(List<Call> calls, boolean inOrder, boolean isInt, long first, long last) {
        if (calls.size() > CALLS_MAX) {
            throw new IllegalArgumentException(calls.size() + " calls are too many");
        }
        return new Linearizability(calls, inOrder, isInt, last).search(0, first);
    }

    private boolean search(long done, long value) {
        if (Long.bitCount(done) == before.length) {
            return value == last;
        }
        if (!seen.add(new State(done, value))) {
            return false;
        }
        if (seen.size() > STATES_MAX) {
            throw new AssertionError("the search goes on for too long: draw fewer calls without a fence");
        }
        for (int i = 0; i < before.length; i++) {
            Call call = calls.get(i);
            boolean next = (done & 1L << i) == 0 && (before[i] & ~done) == 0
                    && (!call.returns() || call.returned() == value);
            if (next && search(done | 1L << i, isInt ? (int) call.apply(value) : call.apply(value))) {
                return true;
            }
        }
        return false;
    }
}
