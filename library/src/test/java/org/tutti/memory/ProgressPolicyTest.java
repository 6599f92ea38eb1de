/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class ProgressPolicyTest {
    private static final long FOR_EVER_NANOS = TimeUnit.DAYS.toNanos(1);
    private static final int THREADS = 3;

    private final ProgressPolicy policy = new ProgressPolicy();

    /** Threads that sleep until the rank waits; whoever is not woken sleeps for longer than the test may take. */
    private List<Thread> sleepers() throws InterruptedException {
        var begun = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                policy.enter();
                begun.countDown();
                while (!policy.isAwaited()) {
                    LockSupport.parkNanos(FOR_EVER_NANOS);
                }
                policy.leave();
            }));
        }
        begun.await();
        return threads;
    }

    @Test
    void shouldWakeAllInFlightWhenOneIsAwaited() throws InterruptedException {
        List<Thread> threads = sleepers();
        policy.begin();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(policy.isAwaited()).isTrue();
        policy.end();
        assertThat(policy.isAwaited()).isFalse();
    }

    @Test
    void shouldWakeAllInFlightWhenOneIsAskedForAndForgetThatAfterAWhile() throws InterruptedException {
        List<Thread> threads = sleepers();
        for (Thread thread : threads) {
            do { // who comes too late asks for nothing, but is woken the next time
                policy.look();
            } while (!thread.join(Duration.ofMillis(2)));
        }
        while (policy.isAwaited()) {
            Thread.onSpinWait();
        }
    }
}
