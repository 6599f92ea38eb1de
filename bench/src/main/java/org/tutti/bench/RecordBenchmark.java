/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tutti.Collective;
import org.tutti.collective.calls.RankRecord;
import org.tutti.collective.calls.RecentCalls;
import org.tutti.collective.layout.Label;

/** The time in which a rank records a blocking call in the memory of its node, alone, without the call. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class RecordBenchmark {
    private static final Label ALGORITHM = new Label("flat");

    private Arena arena;
    private RankRecord record;
    private long operation;

    /** Makes the record. */
    @Setup
    public void start() {
        arena = Arena.ofShared();
        record = new RankRecord(arena.allocate(RankRecord.bytes(2), 64));
    }

    /** Frees the record. */
    @TearDown
    public void end() {
        arena.close();
    }

    @Benchmark
    public void counts() {
        record.counts().add(Collective.ALLREDUCE, Long.BYTES);
    }

    @Benchmark
    public void recentCalls() {
        RecentCalls recent = record.recentCalls();
        long key = recent.begin(0, ++operation, Collective.ALLREDUCE, ALGORITHM, Long.BYTES, 0,
                RecentCalls.State.RUNNING, null);
        recent.set(key, RecentCalls.State.DONE);
    }
}
