/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

import org.tutti.Communicator;
import org.tutti.Reduction;

/**
 * Measures one cell: calls follow each other without pause, as in an application's loop. This class first finds how
 * many calls make a run, and then runs until everything is compiled. A repeat is one run, and its figure is that of the
 * slowest rank. If each call is timed by itself, a repeat is as many runs as rare times need. The peers' programs do
 * the same, except for the compiler: {@code bench/peers/loop.h}.
 *
 * <p><b>Rewriting.</b> Before each call a rank rewrites all data of the call, so that no contender finds data of the
 * call before in the cache of a reader. Rewriting belongs to the loop. Outside the time it would need a barrier before
 * each call, which ranks of each contender leave differently, and calls could not follow each other without pause. In a
 * collective all ranks rewrite the same number of bytes, also ranks that contribute nothing, so that no rank waits for
 * the rewriting of another one. Before a repeat this class measures how long all ranks rewrite without calls, and
 * subtracts this time from the time of a call. Rewriting takes longer if a call has moved lines to another core; this
 * time counts for the call.
 */
abstract class MeasuredLoop implements AutoCloseable {
    private static final double RUN_NANOS = 50_000_000;
    private static final double TIMED_NANOS = 1_000_000_000; // of a repeat with calls that are timed one by one
    private static final double TIMED_NANOS_MAX = 10_000_000_000.0;
    private static final long TIMED_CALLS = 2_000;
    private static final int CALLS_MAX = 1_000_000;
    private static final int CALLS_MIN = 4;
    private static final int GROWTH_MAX = 8;
    private static final double WARM_UP_NANOS = 1_500_000_000;
    static final int REPEATS_WARMED_UP = 5;
    private static final double WARM_UP_NANOS_MAX = 5_000_000_000.0;
    private static final double FIRST_COMPILING_NANOS_MAX = 20_000_000_000.0;
    private static final double COMPILING_NANOS_MAX = 5_000_000_000.0;
    private static final double COMPILING_WINDOW_NANOS = 500_000_000;
    private static final double COMPILING_SHARE_MAX = 0.03; // for eight ranks, a quarter of a core
    private static final int QUIET_WINDOWS = 2;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final int STEADY_RUNS = 5;
    private static final double STEADY_RATIO = 1.25;
    private static final int REWRITING_RUNS = 5;
    private static final double REWRITING_RUN_NANOS = 10_000_000; // some time slices, if ranks share a core

    private final Communicator world;
    private Optional<Latencies> latencies = Optional.empty(); // if each call is timed
    private int calls = CALLS_MIN; // of a run, the same on every rank
    private long made;
    private int rewritings = 1; // of a run that only rewrites, the same on every rank
    private double rewritingNanos; // of a call, measured before the latest repeat
    private long compiledMillis;
    private long notedNanos;
    private double compilingNanos; // in the latest run, on the rank with the busiest compiler
    private double paceNanos; // of a call of the latest run, on the slowest rank
    private double runNanos; // of the latest run, including time that is not measured

    /**
     * The account of a rank's run.
     *
     * @param nanosPerCall the measured time of a call; 0 for a rank that did not call
     * @param paceNanos the time of a call with all that is not measured; 0 for a rank that did not call
     * @param calls how many calls the rank made
     */
    record Run(double nanosPerCall, double paceNanos, long calls) {
        /** The account of a run that is measured as a whole. */
        Run(double nanosPerCall, long calls) {
            this(nanosPerCall, nanosPerCall, calls);
        }
    }

    /**
     * The figures of a repeat.
     *
     * @param microseconds the time of a call on the slowest rank, without rewriting
     * @param rewriting the subtracted time of rewriting the data of a call, in microseconds
     * @param overlap the part of the shorter of call and computing that the other hid, in percent, if the ranks
     *            computed
     * @param percentiles microseconds, each from the rank where it is the greatest, in the order of {@link Percentile},
     *            if each call was timed
     */
    record Repeat(double microseconds, double rewriting, OptionalDouble overlap, List<Double> percentiles) {}

    MeasuredLoop(Communicator world) {
        this.world = world;
    }

    /**
     * Makes the calls of a run.
     *
     * @param callsWanted how many calls to make
     * @param isRepeat whether the figure counts; otherwise the run only warms up
     */
    abstract Run run(int callsWanted, boolean isRepeat);

    /** Times each later call by itself. */
    final void timeEachCall() {
        latencies = Optional.of(new Latencies());
    }

    /**
     * Makes the calls of a run in one loop or, if each call is timed, one by one. The time of a call begins when that
     * of the call before ends, so the times leave out nothing that delays calls. The mean time of rewriting is
     * subtracted from each. The times include the check of one element, as in every run.
     *
     * @param count the number of calls
     * @param loop makes a given number of calls
     */
    final void makeCalls(int count, IntConsumer loop) {
        if (latencies.isEmpty()) {
            loop.accept(count);
            return;
        }
        var times = latencies.get();
        long before = clock();
        for (int i = 0; i < count; i++) {
            loop.accept(1);
            long now = clock();
            times.add(Math.round(withoutRewriting(now - before)));
            before = now;
        }
    }

    /**
     * {@return whether a message or block has more than one element, the same on every rank; the time of rewriting one
     * element is too short to be measured}
     */
    abstract boolean hasMuchData();

    /** Rewrites the data of a call this many times, as before each call, without a call. */
    abstract void rewriteOnly(int times);

    /** {@return the nanoseconds of a call, given those of a call with rewriting; at least 1} */
    final double withoutRewriting(double nanos) {
        return Math.max(1, nanos - rewritingNanos);
    }

    /** {@return nanoseconds of a clock that runs while the measured operation does} */
    long clock() {
        return System.nanoTime();
    }

    /** Checks the results of all runs so far. */
    abstract void checkAll();

    /** Tells every rank how many calls a calling rank made in a run. */
    void noteCalls(long callsMade) {
        // a calling rank has counted its own calls
    }

    /**
     * Finds how many calls make a run, and runs until several runs in a row take about as long as the first of them;
     * everything is compiled then. With a rank on every core, the compiler has no core for itself, and many runs in a
     * row can be equally slow before it is done. It takes longest in the first cell, where it compiles the code that
     * all cells share. A cell therefore runs first until the compilers of all ranks have little to do. With few repeats
     * the user only tries something, so this step is left out and the warm-up has a shorter minimum, down to none for a
     * single repeat.
     *
     * @param repeats how many repeats follow
     * @param isFirst whether this is the first cell that this process measures
     */
    final void warmUp(int repeats, boolean isFirst) {
        if (repeats >= REPEATS_WARMED_UP) {
            runUntilCompiled(isFirst ? FIRST_COMPILING_NANOS_MAX : COMPILING_NANOS_MAX);
        }
        runUntilSteady(Math.min(repeats, STEADY_RUNS),
                WARM_UP_NANOS * (Math.min(repeats, REPEATS_WARMED_UP) - 1) / (REPEATS_WARMED_UP - 1)
                        * (isFirst ? 2 : 1));
    }

    /** Finds how many calls make a run, in a cell that this process has measured before. */
    final void warmUpAgain() {
        runUntilSteady(1, 0);
    }

    /**
     * Runs until the compilers are quiet. One quiet window is not enough, because a compilation counts when it ends,
     * and may take long.
     */
    private void runUntilCompiled(double nanosMax) {
        compiledNanos(); // earlier compilations do not count
        passedNanos();
        int quiet = 0;
        for (double total = 0; quiet < QUIET_WINDOWS && total < nanosMax;) {
            double window = 0;
            double compiling = 0;
            while (window < COMPILING_WINDOW_NANOS) {
                slowest(run(calls, false));
                resize();
                window += runNanos;
                compiling += compilingNanos;
            }
            quiet = compiling > COMPILING_SHARE_MAX * window ? 0 : quiet + 1;
            total += window;
        }
    }

    private void runUntilSteady(int steadyRuns, double least) {
        double first = 0;
        int steady = 0;
        for (double total = 0; total < least || total < WARM_UP_NANOS_MAX && steady < steadyRuns;) {
            double nanos = slowest(run(calls, false));
            total += paceNanos * calls;
            boolean same = first / STEADY_RATIO <= nanos && nanos <= first * STEADY_RATIO;
            boolean isLong = paceNanos * calls >= RUN_NANOS / 2 || calls == CALLS_MAX;
            steady = same && isLong ? steady + 1 : 0;
            first = steady == 0 ? nanos : first;
            resize();
        }
    }

    private void resize() {
        calls = (int) Math.clamp(RUN_NANOS / paceNanos, CALLS_MIN, Math.min(CALLS_MAX, GROWTH_MAX * calls));
    }

    /** {@return the overlap of the latest run, if it has one, given the time of a call on the slowest rank} */
    OptionalDouble overlap(double nanosPerCall) {
        return OptionalDouble.empty();
    }

    /** {@return the figures of a repeat; when this method returns, all ranks have checked their results} */
    final Repeat repeat() {
        latencies.ifPresent(Latencies::clear);
        rewritingNanos = hasMuchData() ? measuredRewriting() : 0;
        double nanos = withoutRewriting(latencies.isEmpty() ? slowest(run(calls, true)) : timedRuns());
        checkAll();
        world.barrier();
        return new Repeat(nanos / 1e3, rewritingNanos / 1e3, overlap(nanos),
                latencies.map(this::percentiles).orElse(List.of()));
    }

    /** The time of rewriting the data of a call on the slowest rank: the median of several runs that only rewrite. */
    private double measuredRewriting() {
        double[] nanos = new double[REWRITING_RUNS];
        for (int i = 0; i < nanos.length;) {
            world.barrier();
            world.barrier(); // the second one ends on all ranks at nearly the same time
            long start = System.nanoTime();
            rewriteOnly(rewritings);
            double[] slowest = {(double) (System.nanoTime() - start) / rewritings};
            world.allreduce(slowest, Reduction.MAX);
            nanos[i] = slowest[0];
            i += slowest[0] * rewritings >= REWRITING_RUN_NANOS / 2 ? 1 : 0; // a shorter run sizes the next one
            rewritings = (int) Math.clamp(REWRITING_RUN_NANOS / slowest[0], 1, (double) GROWTH_MAX * rewritings);
        }
        Arrays.sort(nanos);
        return nanos[REWRITING_RUNS / 2];
    }

    /** Runs until there are enough calls for one in a thousand to be significant, within a time limit. */
    private double timedRuns() {
        long all = 0;
        double total = 0;
        for (double passed = 0; passed < TIMED_NANOS || all < TIMED_CALLS && passed < TIMED_NANOS_MAX;) {
            double nanos = slowest(run(calls, true));
            all += made;
            total += nanos * made;
            passed += paceNanos * made;
            resize();
        }
        made = all;
        return total / all;
    }

    private List<Double> percentiles(Latencies own) {
        double[] most = Stream.of(Percentile.values()).mapToDouble(own::micros).toArray();
        world.allreduce(most, Reduction.MAX);
        return Arrays.stream(most).boxed().toList();
    }

    /** {@return the calls of the latest repeat} */
    final long calls() {
        return made;
    }

    private double slowest(Run run) {
        double[] most = {run.nanosPerCall(), run.paceNanos(), run.calls(), compiledNanos(), passedNanos()};
        world.allreduce(most, Reduction.MAX);
        paceNanos = most[1];
        made = (long) most[2];
        compilingNanos = most[3];
        runNanos = most[4];
        noteCalls(made);
        return most[0];
    }

    private double passedNanos() {
        long before = notedNanos;
        notedNanos = System.nanoTime();
        return (double) notedNanos - before;
    }

    /** The time of the compilations that have ended since the last call, summed over all compiler threads. */
    private double compiledNanos() {
        long before = compiledMillis;
        compiledMillis = COMPILER == null ? 0 : COMPILER.getTotalCompilationTime();
        return (compiledMillis - before) * NANOS_PER_MILLI;
    }

    /** Closes the cell; collective. */
    @Override
    public abstract void close();
}
