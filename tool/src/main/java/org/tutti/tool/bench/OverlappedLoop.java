/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.IntConsumer;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.Reduction;

/**
 * A cell of non-blocking calls during which the ranks compute, measured as IMB-NBC does. Right before each run, this
 * class measures how long the calls take alone, and how long the same computing takes alone on all ranks. Time that
 * ranks take from each other on shared cores therefore counts as computing. The work is counted in steps, so time that
 * the calls take from the computing makes the run longer.
 */
final class OverlappedLoop extends StartedLoop {
    private static final int RUNS_ALONE = 5;

    private final Communicator world;
    private double stepsPerNano = 1; // measured before the latest run
    private double callNanos;
    private double computingNanos;

    OverlappedLoop(Communicator world, Communicators measured, Collective collective, long bytes, boolean segments) {
        super(world, measured, collective, bytes, segments, CallKind.OVERLAPPED);
        this.world = world;
    }

    @Override
    Run run(int calls, boolean isRepeat) {
        callNanos = withoutRewriting(nanosAlone(calls, count -> startedCalls(count, 0)));
        long steps = Math.max(1, Math.round(callNanos * stepsPerNano));
        computingNanos = nanosAlone(calls, count -> computeOnly(count, steps));
        stepsPerNano = steps / computingNanos;
        return new Run(nanosPerCall(calls, count -> startedCalls(count, steps)), calls);
    }

    private void computeOnly(int times, long steps) {
        for (int i = 0; i < times; i++) {
            compute(steps);
        }
    }

    /** The median over some runs of the time of a call on the slowest rank; the same on every rank. */
    private double nanosAlone(int calls, IntConsumer loop) {
        double[] nanos = new double[RUNS_ALONE];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = nanosPerCall(Math.ceilDiv(calls, RUNS_ALONE), loop);
        }
        world.allreduce(nanos, Reduction.MAX);
        Arrays.sort(nanos);
        return nanos[RUNS_ALONE / 2];
    }

    @Override
    OptionalDouble overlap(double nanosPerCall) {
        double hidden = (callNanos + computingNanos - nanosPerCall) / Math.min(callNanos, computingNanos);
        return OptionalDouble.of(100 * Math.clamp(hidden, 0, 1));
    }
}
