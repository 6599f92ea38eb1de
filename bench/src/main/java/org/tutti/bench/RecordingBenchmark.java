/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.util.concurrent.TimeUnit;

import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tutti.Reduction;
import org.tutti.bench.TwoRanks.Rank;

/**
 * The time of an allreduce between two ranks while Flight Recorder records calls, and while it does not. It runs as
 * {@link TwoRankBenchmark} does.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RecordingBenchmark {
    private static final int CALLS = 2000;

    /** A recording of the events of calls. */
    @State(Scope.Benchmark)
    public static class Recorder {
        @Param({"false", "true"})
        private boolean recording;

        private Recording events;

        /** Starts the recording. */
        @Setup(Level.Trial)
        public void start() {
            if (recording) {
                events = new Recording();
                events.enable("tutti.Collective").withoutThreshold().withoutStackTrace();
                events.setMaxSize(100 << 20);
                events.start();
            }
        }

        /** Ends the recording. */
        @TearDown(Level.Trial)
        public void end() {
            if (recording) {
                events.close();
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void allreduce8(TwoRanks ranks, Recorder recorder) {
        ranks.run(rank -> allreduces(rank, rank.small));
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void allreduce1K(TwoRanks ranks, Recorder recorder) {
        ranks.run(rank -> allreduces(rank, rank.kibibyte));
    }

    private static void allreduces(Rank rank, long[] elements) {
        int last = elements.length - 1;
        for (int i = 0; i < CALLS; i++) {
            rank.calls++;
            for (int at = 0; at <= last; at++) {
                elements[at] = (rank.world.rank() + 1) * (rank.calls + at);
            }
            rank.world.allreduce(elements, Reduction.SUM);
            TwoRankBenchmark.check(elements[last], 3 * (rank.calls + last));
        }
    }
}
