/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;

/**
 * A vector clock. For every component (a thread of a rank, or a channel of puts) it has the latest time of the
 * component that is known to have passed. An action of a component is ordered before every action with a clock that
 * covers the component's time.
 */
final class Clock {
    private int[] times;

    Clock(int components) {
        this.times = new int[components];
    }

    private Clock(int[] times) {
        this.times = times;
    }

    /** {@return the latest time of a component that is known to have passed} */
    int time(int component) {
        return component < times.length ? times[component] : 0;
    }

    void set(int component, int time) {
        if (component >= times.length) {
            times = Arrays.copyOf(times, component + 1);
        }
        times[component] = time;
    }

    /**
     * Raises every component's time to that of another clock, so that this clock covers all that the other one covers.
     */
    void join(Clock other) {
        if (other.times.length > times.length) {
            times = Arrays.copyOf(times, other.times.length);
        }
        for (int component = 0; component < other.times.length; component++) {
            times[component] = Math.max(times[component], other.times[component]);
        }
    }

    /** {@return whether an action of a component at a time is known to have happened} */
    boolean covers(int component, int time) {
        return time(component) >= time;
    }

    /** Makes this clock equal to another one. */
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
