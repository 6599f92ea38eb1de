/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class WrittenProcessesTest {
    private final WrittenProcesses written = new WrittenProcesses(8);

    @Test
    void shouldFenceWhatWasWrittenSinceTheLastFence() {
        assertThat(written.isAny()).isFalse();
        assertThat(written.beginFence(3)).isFalse();
        written.note(3, 3);
        written.note(5, 5);
        written.note(3, 3);
        assertThat(written.count()).isEqualTo(2);
        assertThat(List.of(written.process(0), written.process(1))).containsExactly(3, 5);
        assertThat(written.beginFence(3)).isTrue();
        assertThat(written.beginFence(3)).as("the first fence has not ended").isTrue();
        written.endFence(3, false);
        assertThat(written.isAny()).isTrue();
        written.endFence(3, false);
        assertThat(written.beginFence(3)).isFalse();
        assertThat(written.isAny()).as("the other one").isTrue();
        assertThat(written.beginFence(5)).isTrue();
        written.endFence(5, true);
        assertThat(written.beginFence(5)).as("a fence in vain is repeated").isTrue();
        written.note(5, 5);
        written.endFence(5, false);
        assertThat(written.beginFence(5)).as("written to while the fence was under way").isTrue();
        written.endFence(5, false);
        assertThat(written.isAny()).isFalse();
    }

    /** Threads put, which is to count up, and fence: whatever a thread has put must be covered when its fence ends. */
    @Test
    void shouldLeaveNoPutOfAnyThreadOut() throws InterruptedException {
        AtomicLong sent = new AtomicLong();
        AtomicLong arrived = new AtomicLong();
        AtomicReference<String> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean fails = i == 3;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < 20_000; round++) {
                    long own = sent.incrementAndGet();
                    written.note(1, 1);
                    if (written.beginFence(1)) {
                        long all = sent.get();
                        boolean inVain = fails && round % 3 == 0;
                        if (!inVain) {
                            arrived.accumulateAndGet(all, Math::max);
                        }
                        written.endFence(1, inVain);
                        if (inVain) {
                            continue;
                        }
                    }
                    if (arrived.get() < own) {
                        failure.set("put " + own + " was left out: " + arrived.get());
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
    }
}
