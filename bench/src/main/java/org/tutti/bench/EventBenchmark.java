/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.util.concurrent.TimeUnit;

import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tutti.events.CollectiveEvent;

/** Measures an event of Flight Recorder without its call, and a reading of the clock, of which an event makes two. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class EventBenchmark {
    private Recording recording;
    private long operation;

    /** Starts the recording. */
    @Setup
    public void start() {
        recording = new Recording();
        recording.enable("tutti.Collective").withoutThreshold().withoutStackTrace();
        recording.setMaxSize(100 << 20);
        recording.start();
    }

    /** Ends the recording. */
    @TearDown
    public void end() {
        recording.close();
    }

    @Benchmark
    public void event() {
        var event = new CollectiveEvent();
        event.begin();
        event.end();
        if (event.shouldCommit()) {
            event.communicator = "the world";
            event.operation = ++operation;
            event.collective = "allreduce";
            event.algorithm = "flat";
            event.bytes = 1024;
            event.caller = "";
            event.commit();
        }
    }

    @Benchmark
    public long clock() {
        return System.nanoTime();
    }
}
