/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Mutexes;
import org.tutti.Mutexes.HolderFailure;
import org.tutti.RankFailedException;
import org.tutti.Tutti;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A rank that fails between two steps of a lock, with mutexes that are passed on. No rank knows the owner of its
 * ticket.
 */
@Timeout(300)
class MutexHolderTest {
    private static MemorySegment memory(Mutexes mutexes) throws ReflectiveOperationException {
        return (MemorySegment) field(field(mutexes, "wakes"), "own");
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    @Test
    void shouldTellWhoWaitsWhenATicketWasDrawnByARankThatFailed() {
        AtomicReference<MemorySegment> home = new AtomicReference<>();
        CountDownLatch shown = new CountDownLatch(1);
        CountDownLatch drawn = new CountDownLatch(1);
        assertThatThrownBy(() -> Tutti.runLocal(2, job -> {
            Mutexes mutexes = job.world().allocate(0).allocateMutexes(2, HolderFailure.PASS_ON);
            if (job.rank() == 0) {
                home.set(memory(mutexes));
                shown.countDown();
                drawn.await();
                assertThatThrownBy(() -> mutexes.lock(1, 0)).isInstanceOfSatisfying(RankFailedException.class,
                        e -> assertThat(e.rank()).isEqualTo(1)).hasMessageContaining("perhaps while it locked");
                mutexes.lock(0, 0);
                assertThat(mutexes.failedHolder(0, 0)).isEqualTo(-1);
                mutexes.unlock(0, 0);
            } else {
                shown.await();
                assertThat(Words.add(home.get(), new MutexLayout(2).mutex(1), MutexLayout.DRAW)).isZero();
                drawn.countDown();
                throw new IllegalStateException("this rank fails");
            }
        })).hasStackTraceContaining("this rank fails");
    }
}
