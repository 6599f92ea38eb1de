/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;

/** A priority queue of events by time. Events of the same time are in the order in which they were added. */
final class Events {
    private double[] times = new double[64];
    private long[] orders = new long[64];
    private int[] whats = new int[64];
    private int count;
    private long added;

    boolean isEmpty() {
        return count == 0;
    }

    /** {@return the time of the earliest event} */
    double firstTime() {
        return times[0];
    }

    /** Adds an event, which is any number, at a time. */
    void add(double time, int what) {
        if (count == times.length) {
            times = Arrays.copyOf(times, 2 * count);
            orders = Arrays.copyOf(orders, 2 * count);
            whats = Arrays.copyOf(whats, 2 * count);
        }
        int at = count++;
        long order = added++;
        while (at > 0 && isBefore(time, order, (at - 1) / 2)) {
            move((at - 1) / 2, at);
            at = (at - 1) / 2;
        }
        times[at] = time;
        orders[at] = order;
        whats[at] = what;
    }

    /** {@return the earliest event, removed from the queue} */
    int remove() {
        int first = whats[0];
        count--;
        double time = times[count];
        long order = orders[count];
        int what = whats[count];
        int at = 0;
        while (2 * at + 1 < count) {
            int child = 2 * at + 1;
            if (child + 1 < count && isBefore(times[child + 1], orders[child + 1], child)) {
                child++;
            }
            if (isBefore(time, order, child)) {
                break;
            }
            move(child, at);
            at = child;
        }
        times[at] = time;
        orders[at] = order;
        whats[at] = what;
        return first;
    }

    private boolean isBefore(double time, long order, int other) {
        return time < times[other] || time == times[other] && order < orders[other];
    }

    private void move(int from, int to) {
        times[to] = times[from];
        orders[to] = orders[from];
        whats[to] = whats[from];
    }
}
