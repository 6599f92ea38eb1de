/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.tutti.Reduction;
import org.tutti.bench.TwoRanks.Rank;

/**
 * The time of a blocking call between two ranks, which are platform threads of one JVM, with calls back to back. Rank 0
 * measures, and is the root of a rooted collective; the other rank is behind by at most the number of slots of the
 * communicator. Every call sends other data, and every result is checked, of a large message one element of every page.
 *
 * <pre>
 *  ./mvnw -q package -pl bench -am -Dmaven.test.skip
 *  java -cp 'bench/target/*:bench/target/lib/*' org.openjdk.jmh.Main -f 1 -wi 3 -w 1 -i 5 -r 1 -prof gc
 * </pre>
 *
 * <p>The benchmark needs two idle cores: look at the machine's load first. {@code gc.alloc.rate.norm} of
 * {@code -prof gc} is the number of bytes that both ranks together allocate for a call.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TwoRankBenchmark {
    static final int LARGE_BYTES = 1 << 20;

    private static final int CALLS = 2000;
    private static final int LARGE_CALLS = 20;
    private static final int PAGE_ELEMENTS = 4096 / Long.BYTES;

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void barrier(TwoRanks ranks) {
        ranks.run(TwoRankBenchmark::barriers);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void broadcast8(TwoRanks ranks) {
        ranks.run(TwoRankBenchmark::smallBroadcasts);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void reduce8(TwoRanks ranks) {
        ranks.run(TwoRankBenchmark::smallReduces);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void allreduce8(TwoRanks ranks) {
        ranks.run(TwoRankBenchmark::smallAllreduces);
    }

    @Benchmark
    @OperationsPerInvocation(LARGE_CALLS)
    public void broadcast1M(TwoRanks ranks) {
        ranks.run(TwoRankBenchmark::largeBroadcasts);
    }

    private static void barriers(Rank rank) {
        for (int i = 0; i < CALLS; i++) {
            rank.world.barrier();
        }
    }

    private static void smallBroadcasts(Rank rank) {
        for (int i = 0; i < CALLS; i++) {
            rank.calls++;
            if (rank.world.rank() == 0) {
                rank.small[0] = rank.calls;
            }
            rank.world.broadcast(rank.small, 0);
            check(rank.small[0], rank.calls);
        }
    }

    private static void smallReduces(Rank rank) {
        for (int i = 0; i < CALLS; i++) {
            contribute(rank);
            rank.world.reduce(rank.small, Reduction.SUM, 0);
            if (rank.world.rank() == 0) {
                check(rank.small[0], 3 * rank.calls);
            }
        }
    }

    private static void smallAllreduces(Rank rank) {
        for (int i = 0; i < CALLS; i++) {
            contribute(rank);
            rank.world.allreduce(rank.small, Reduction.SUM);
            check(rank.small[0], 3 * rank.calls);
        }
    }

    private static void contribute(Rank rank) {
        rank.calls++;
        rank.small[0] = (rank.world.rank() + 1) * rank.calls;
    }

    private static void largeBroadcasts(Rank rank) {
        for (int i = 0; i < LARGE_CALLS; i++) {
            rank.calls++;
            if (rank.world.rank() == 0) {
                for (int at = 0; at < rank.large.length; at += PAGE_ELEMENTS) {
                    rank.large[at] = rank.calls + at;
                }
            }
            rank.world.broadcast(rank.large, 0);
            for (int at = 0; at < rank.large.length; at += PAGE_ELEMENTS) {
                check(rank.large[at], rank.calls + at);
            }
        }
    }

    static void check(long value, long expected) {
        if (value != expected) {
            throw new AssertionError("received " + value + " instead of " + expected);
        }
    }
}
