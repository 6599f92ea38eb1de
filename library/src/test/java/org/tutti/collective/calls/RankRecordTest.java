/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.Collective;
import org.tutti.collective.calls.RecentCalls.State;
import org.tutti.collective.layout.Label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Counts calls as a rank does, and reads the counts from a copy of the record. */
class RankRecordTest {
    private static final int SIZE = 5;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(RankRecord.bytes(SIZE), 64);
    private final RankRecord record = new RankRecord(memory);

    @AfterEach
    void close() {
        arena.close();
    }

    private RankRecord copy() {
        return RankRecord.of(record.copy(), SIZE);
    }

    @Test
    void shouldCountEachCollectiveAndEachAwaitedRankAlone() {
        for (Collective collective : Collective.values()) {
            for (int call = 0; call <= collective.ordinal(); call++) {
                record.counts().add(collective, 1000);
            }
        }
        for (int rank = 0; rank < SIZE; rank++) {
            record.counts().addWait(rank, 10 + rank);
            record.counts().addWait(rank, 100);
        }
        CallCounts counts = copy().counts();
        assertThat(Collective.values()).allSatisfy(collective -> {
            assertThat(counts.calls(collective)).isEqualTo(collective.ordinal() + 1);
            assertThat(counts.bytes(collective)).isEqualTo(1000 * (collective.ordinal() + 1));
        });
        assertThat(IntStream.range(0, SIZE).mapToLong(counts::waitedNanos)).containsExactly(110L, 111L, 112L, 113L,
                114L);
    }

    @Test
    void shouldCopyTheLastCalls() {
        for (int call = 1; call <= 100; call++) {
            long key = record.recentCalls().begin(3, call, Collective.GATHER, new Label("tree"), 8L * call, 2,
                    State.RUNNING, "Heat:" + call);
            record.recentCalls().set(key, call < 100 ? State.DONE : State.RUNNING);
        }
        assertThat(copy().recentCalls().begun()).isEqualTo(100);
        assertThat(copy().recentCalls().read()).hasSize(64).isEqualTo(record.recentCalls().read());
    }

    @Test
    void shouldCountRailsApartFromCalls() {
        record.rails().addLoss();
        record.rails().addLoss();
        record.rails().addReturn();
        assertThat(copy().rails().lost()).isEqualTo(2);
        assertThat(copy().rails().restored()).isEqualTo(1);
        assertThat(copy().recentCalls().begun()).isZero();
        assertThat(Collective.values()).allMatch(collective -> copy().counts().calls(collective) == 0);
    }

    @Test
    void shouldReadWhateverTheMemoryHolds() {
        for (long begun : new long[]{-1, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, 1L << 32, 70}) {
            for (long seed = 0; seed < 20; seed++) {
                var random = new Random(seed);
                for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
                    memory.set(ValueLayout.JAVA_LONG, offset, random.nextLong());
                }
                memory.set(ValueLayout.JAVA_LONG, 0, begun);
                for (int call = 0; call < RecentCalls.CALLS; call++) { // numbers that the reader looks for
                    long number = begun - call;
                    long line = 64 * (1 + 2 * Math.floorMod(number, (long) RecentCalls.CALLS));
                    memory.set(ValueLayout.JAVA_LONG, line, number << 32 | random.nextInt() & 0xffffffffL);
                }
                assertThat(copy().recentCalls().read()).hasSize(begun < 0 ? 0 : 64)
                        .allSatisfy(call -> assertThat(call.text().length()).isLessThanOrEqualTo(64));
            }
        }
    }

    @Test
    void shouldLoseNoCountOfSeveralThreads() throws InterruptedException {
        record.share();
        var begin = new CountDownLatch(1);
        List<Thread> threads = IntStream.range(0, 4).mapToObj(_ -> Thread.ofPlatform().start(() -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            for (int call = 0; call < 20_000; call++) {
                record.counts().add(Collective.SCAN, 3);
                record.counts().addWait(4, 7);
            }
        })).toList();
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(copy().counts().calls(Collective.SCAN)).isEqualTo(80_000);
        assertThat(copy().counts().bytes(Collective.SCAN)).isEqualTo(240_000);
        assertThat(copy().counts().waitedNanos(4)).isEqualTo(560_000);
    }

    @Test
    void shouldRefuseACopyOfAnotherLength() {
        byte[] copy = record.copy();
        assertThatThrownBy(() -> RankRecord.of(Arrays.copyOf(copy, copy.length - 1), SIZE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("5 ranks")
                .hasMessageEndingWith("not " + (copy.length - 1));
        assertThatThrownBy(() -> RankRecord.of(copy, SIZE + 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
