/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;

/**
 * A vector clock: for every component (a rank, or a channel by which puts travel) the latest of its times that is known
 * to have passed. What a component did at a time is ordered before whoever's clock covers that time.
 */
final class Clock {
    private int[] times;

    Clock(int components) {
        this.times = new int[components];
    }

    private Clock(int[] times) {
        this.times = times;
    }

    int time(int component) {
        return component < times.length ? times[component] : 0;
    }

    void set(int component, int time) {
        if (component >= times.length) {
            times = Arrays.copyOf(times, component + 1);
        }
        times[component] = time;
    }

    void join(Clock other) {
        if (other.times.length > times.length) {
            times = Arrays.copyOf(times, other.times.length);
        }
        for (int component = 0; component < other.times.length; component++) {
            times[component] = Math.max(times[component], other.times[component]);
        }
    }

    boolean covers(int component, int time) {
        return time(component) >= time;
    }

    /** Becomes equal to another one. */
    void set(Clock other) {
        if (times.length == other.times.length) {
            System.arraycopy(other.times, 0, times, 0, times.length);
        } else {
            times = other.times.clone();
        }
    }

    Clock copy() {
        return new Clock(times.clone());
    }
}
