/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.RemoteMemory;
import org.tutti.Tutti;

/**
 * A job of two ranks in this JVM. The thread of the benchmark performs the calls of rank 0. Rank 1 has a thread of its
 * own that spins until it is told to perform the same batch of calls, so that both ranks make equally many.
 */
@State(Scope.Benchmark)
public class TwoRanks {
    /** A rank with the memory that it sends and receives. */
    static final class Rank {
        final Communicator world;
        final RemoteMemory memory;
        final long[] small = new long[1];
        final long[] kibibyte = new long[1024 / Long.BYTES];
        final long[] large = new long[TwoRankBenchmark.LARGE_BYTES / Long.BYTES];

        /**
         * The number of calls that this rank has made. The data of the next call depend on it, so that no call repeats
         * the last one.
         */
        long calls;

        Rank(Communicator world) {
            this.world = world;
            this.memory = world.allocate(DataType.LONG, MEMORY_ELEMENTS);
        }
    }

    private static final int MEMORY_ELEMENTS = 1024;

    private final CountDownLatch end = new CountDownLatch(1);
    private Thread ranks;
    private Rank measured;
    private Consumer<Rank> batch;
    private volatile long ordered;
    private volatile boolean ended;

    /** Starts the ranks. */
    @Setup(Level.Trial)
    public void start() {
        CompletableFuture<Rank> handedOver = new CompletableFuture<>();
        ranks = Thread.ofPlatform().name("two ranks").start(() -> {
            try {
                Tutti.runLocal(2, JobOptions.DEFAULT.withThreads(Threads.PLATFORM), job -> {
                    if (job.rank() == 0) {
                        handedOver.complete(new Rank(job.world()));
                        end.await();
                    } else {
                        follow(new Rank(job.world()));
                    }
                });
            } catch (RuntimeException failure) {
                handedOver.completeExceptionally(failure);
                throw failure;
            }
        });
        measured = handedOver.join();
    }

    private void follow(Rank rank) {
        for (long done = 0;; done++) {
            while (ordered == done) {
                if (ended) {
                    return;
                }
                Thread.onSpinWait();
            }
            batch.accept(rank);
        }
    }

    /** Lets both ranks perform a batch, and returns when rank 0 has performed it. */
    void run(Consumer<Rank> calls) {
        batch = calls;
        long next = ordered + 1; // this thread is the only writer
        ordered = next;
        calls.accept(measured);
    }

    /** Returns rank 0, for calls that need no other rank. */
    Rank measured() {
        return measured;
    }

    /** Ends the ranks. */
    @TearDown(Level.Trial)
    public void stop() throws InterruptedException {
        ended = true;
        end.countDown();
        ranks.join();
    }
}
