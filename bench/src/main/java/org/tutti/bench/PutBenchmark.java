/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.bench.TwoRanks.Rank;

/**
 * The time of a call of rank 0 on the part of rank 1 on the same node: a put of 8 bytes, the same in elements, a get,
 * and a put of eight runs, for which the call needs a {@code OneSidedCall}. {@link TwoRankBenchmark} says how to run
 * it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PutBenchmark {
    private static final int CALLS = 2000;
    private static final int MASK = 1023;
    private static final Section RUNS = Section.strided(0, 8, new long[]{8}, new long[]{64});
    private static final Section ALL = Section.of(0, 64);
    private static final Span EIGHT = Span.of(new long[8]);

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void put8(TwoRanks ranks) {
        Rank rank = ranks.measured();
        var part = rank.memory.at(1);
        for (int i = 0; i < CALLS; i++) {
            rank.small[0] = i;
            part.put(8L * (i & MASK), rank.small);
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void putElement(TwoRanks ranks) {
        Rank rank = ranks.measured();
        var part = rank.memory.at(1).elements();
        for (int i = 0; i < CALLS; i++) {
            rank.small[0] = i;
            part.put(i & MASK, rank.small);
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void get8(TwoRanks ranks) {
        Rank rank = ranks.measured();
        var part = rank.memory.at(1);
        for (int i = 0; i < CALLS; i++) {
            part.get(8L * (i & MASK), rank.small);
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void putEightRuns(TwoRanks ranks) {
        var part = ranks.measured().memory.at(1);
        for (int i = 0; i < CALLS; i++) {
            part.put(RUNS, EIGHT, ALL);
        }
    }
}
