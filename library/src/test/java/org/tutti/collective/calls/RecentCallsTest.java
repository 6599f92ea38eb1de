/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.collective.calls.RecentCalls.Entry;
import org.tutti.collective.calls.RecentCalls.State;
import org.tutti.collective.layout.Label;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes calls as one process does, and reads them as another one does, from the same memory. */
class RecentCallsTest {
    private static final Label FLAT = new Label("flat");
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(RecentCalls.BYTES, 64);
    private final RecentCalls writer = new RecentCalls(memory);
    private final RecentCalls reader = new RecentCalls(memory);

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldReadWhatAnotherObjectHasWritten() {
        long first = writer.begin(7, 11, Collective.ALLREDUCE, FLAT, 1L << 40, 4095, State.RUNNING, "split Heat:17");
        long second = writer.begin(-9, 1, Collective.BARRIER, FLAT, 0, 0, State.STARTED, null);
        writer.set(first, State.DONE);
        writer.set(second, State.FAILED);

        assertThat(reader.begun()).isEqualTo(2);
        assertThat(reader.read()).containsExactly(
                new Entry(1, 7, 11, Collective.ALLREDUCE, FLAT.hash(), 1L << 40, 4095, State.DONE, "split Heat:17"),
                new Entry(2, -9, 1, Collective.BARRIER, FLAT.hash(), 0, 0, State.FAILED, ""));
    }

    @Test
    void shouldKeepTheLastCalls() {
        LongStream.rangeClosed(1, 1000).forEach(operation -> writer.begin(0, operation, Collective.SCAN, FLAT,
                operation * 8, 0, State.RUNNING, null));
        assertThat(reader.read()).extracting(Entry::operation)
                .containsExactlyElementsOf(LongStream.rangeClosed(1000 - RecentCalls.CALLS + 1, 1000).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepTheLaterCallOfALineWhenTheEarlierOneEnds(boolean isShared) {
        if (isShared) {
            writer.share();
        }
        long slow = writer.begin(0, 1, Collective.BARRIER, FLAT, 0, 0, State.STARTED, null);
        for (int call = 0; call < RecentCalls.CALLS; call++) {
            writer.begin(0, 2 + call, Collective.BARRIER, FLAT, 0, 0, State.RUNNING, null);
        }
        List<Entry> before = reader.read();
        writer.set(slow, State.DONE);
        assertThat(before).hasSize(RecentCalls.CALLS).noneMatch(entry -> entry.number() == 1);
        assertThat(reader.read()).isEqualTo(before);
    }

    @Test
    void shouldCutLongTextsAndKeepOneLine() {
        writer.begin(0, 1, Collective.GATHER, FLAT, 8, 3, State.RUNNING, "x".repeat(1000));
        writer.begin(0, 2, Collective.GATHER, FLAT, 8, 3, State.RUNNING, "y");
        assertThat(reader.read()).extracting(Entry::text).containsExactly("x".repeat(64), "y");
    }

    @Test
    void shouldGiveEachOfSeveralThreadsItsOwnNumbers() throws InterruptedException {
        writer.share();
        List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> Thread.ofPlatform().start(() -> {
            for (int call = 0; call < 10_000; call++) {
                long key = writer.begin(thread, call, Collective.REDUCE, FLAT, thread * 100_000L + call, 0,
                        State.RUNNING, null);
                writer.set(key, State.DONE);
            }
        })).toList();
        while (threads.stream().anyMatch(Thread::isAlive)) { // an entry is of one call, or is left out
            assertThat(reader.read()).allMatch(
                    entry -> entry.bytes() == entry.communicator() * 100_000 + entry.operation());
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(reader.begun()).isEqualTo(40_000);
    }
}
