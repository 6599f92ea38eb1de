/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;
import java.util.BitSet;

import org.tutti.collective.layout.Fingerprint;

/**
 * The 64-bit words of a simulated memory, by address. A word that was never written is 0 and takes no memory. Each word
 * has an index in the arrays, its place, that stays the same until a new word is made.
 */
final class SparseWords {
    /** The step of a word that no step has stored. */
    static final int NO_STEP = -1;

    private long[] addresses = new long[1 << 12];
    private long[] values = new long[1 << 12];
    private double[] visible = new double[1 << 12];
    private int[] steps = new int[1 << 12];
    private int[] waiters = new int[1 << 12];
    private int[] writers = new int[1 << 12];
    private BitSet[] holders = new BitSet[1 << 12];
    private int count;

    /** {@return the word's place; the word is made if it does not exist} */
    int place(long address) {
        if (2 * count >= addresses.length) {
            grow();
        }
        int at = find(address);
        if (addresses[at] == 0) {
            addresses[at] = address;
            steps[at] = NO_STEP;
            count++;
        }
        return at;
    }

    long value(long address) {
        return values[find(address)];
    }

    long valueAt(int place) {
        return values[place];
    }

    /** {@return the time at which the latest value becomes visible, in nanoseconds} */
    double visibleAt(int place) {
        return visible[place];
    }

    /** {@return the step of the trace that stored the latest value} */
    int stepAt(int place) {
        return steps[place];
    }

    void set(int place, long value, double visibleAt, int step, int writer) {
        values[place] = value;
        writers[place] = writer + 1;
        visible[place] = visibleAt;
        steps[place] = step;
        if (holders[place] != null) {
            holders[place].clear();
        }
    }

    /** Notes that a core of the node has seen the latest value. */
    void hold(int place, int core) {
        if (holders[place] == null) {
            holders[place] = new BitSet();
        }
        holders[place].set(core);
    }

    /** {@return whether a core has seen the latest value} */
    boolean isHeld(int place, int core) {
        return holders[place] != null && holders[place].get(core);
    }

    /** {@return the rank that has stored the latest value, or −1 if no rank of the node has} */
    int writerAt(int place) {
        return writers[place] - 1;
    }

    /** Sets the time before which no core can fetch the latest value. */
    void setVisible(int place, double visibleAt) {
        visible[place] = visibleAt;
    }

    /** {@return the first of the ranks that wait for the word, plus one; 0 if none waits} */
    int waiterAt(int place) {
        return waiters[place];
    }

    void setWaiter(int place, int waiter) {
        waiters[place] = waiter;
    }

    private int find(long address) {
        int mask = addresses.length - 1;
        int at = (int) (address * Fingerprint.GOLDEN >>> 32) & mask;
        while (addresses[at] != 0 && addresses[at] != address) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldAddresses = addresses;
        long[] oldValues = values;
        double[] oldVisible = visible;
        int[] oldSteps = steps;
        int[] oldWaiters = waiters;
        int[] oldWriters = writers;
        BitSet[] oldHolders = holders;
        int capacity = 2 * oldAddresses.length;
        addresses = new long[capacity];
        values = new long[capacity];
        visible = new double[capacity];
        steps = new int[capacity];
        waiters = new int[capacity];
        writers = new int[capacity];
        holders = new BitSet[capacity];
        Arrays.fill(steps, NO_STEP);
        for (int old = 0; old < oldAddresses.length; old++) {
            if (oldAddresses[old] != 0) {
                int at = find(oldAddresses[old]);
                addresses[at] = oldAddresses[old];
                values[at] = oldValues[old];
                visible[at] = oldVisible[old];
                steps[at] = oldSteps[old];
                waiters[at] = oldWaiters[old];
                writers[at] = oldWriters[old];
                holders[at] = oldHolders[old];
            }
        }
    }
}
