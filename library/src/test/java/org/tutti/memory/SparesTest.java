/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class SparesTest {
    /** A thing that notices two threads. */
    private static final class Thing {
        final AtomicInteger users = new AtomicInteger();
        int uses; // plain: the pool hands over what a thread has written
    }

    private final AtomicInteger made = new AtomicInteger();
    private final Spares<Thing> spares = new Spares<>(() -> {
        made.incrementAndGet();
        return new Thing();
    });

    @Test
    void shouldMakeAsManyAsAreOutAtOnceAndKeepSoMany() {
        for (int round = 0; round < 3; round++) {
            List<Thing> out = new ArrayList<>();
            for (int i = 0; i < Spares.KEPT_MAX; i++) {
                out.add(spares.take());
            }
            Set<Thing> different = Collections.newSetFromMap(new IdentityHashMap<>());
            different.addAll(out);
            assertThat(different).hasSize(Spares.KEPT_MAX);
            out.forEach(spares::putBack);
        }
        assertThat(made.get()).isEqualTo(Spares.KEPT_MAX);
        Thing one = spares.take();
        spares.putBack(one);
        assertThat(spares.take()).isSameAs(one);
    }

    @Test
    void shouldGiveWhatAnEndedThreadHadToTheNextOne() throws InterruptedException {
        for (int round = 1; round <= 3; round++) {
            int uses = round;
            List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
            Thread thread = Thread.ofPlatform().start(() -> {
                Thing thing = spares.take();
                seen.add(++thing.uses);
                spares.putBack(thing);
            });
            thread.join();
            assertThat(seen).containsExactly(uses);
        }
        assertThat(made.get()).isEqualTo(1);
    }

    @Test
    void shouldGiveAnotherOneToACallWithinACall() {
        Thing outer = spares.take();
        Thing inner = spares.take();
        assertThat(inner).isNotSameAs(outer);
        spares.putBack(inner);
        spares.putBack(outer);
        assertThat(spares.take()).isSameAs(outer);
        assertThat(spares.take()).isSameAs(inner);
    }

    @Test
    void shouldGiveEachToOneThreadAtATimeAndLoseNoWrites() throws InterruptedException {
        int threads = 5;
        int rounds = 40_000;
        AtomicInteger shared = new AtomicInteger();
        Set<Thing> used = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < rounds; round++) {
                    Thing thing = spares.take();
                    if (thing.users.incrementAndGet() != 1) {
                        shared.incrementAndGet();
                    }
                    if (thing.uses++ == 0) {
                        used.add(thing);
                    }
                    thing.users.decrementAndGet();
                    spares.putBack(thing);
                }
            }));
        }
        for (Thread thread : running) {
            thread.join();
        }
        assertThat(shared.get()).isZero();
        assertThat(used.stream().mapToInt(thing -> thing.uses).sum()).isEqualTo(threads * rounds);
        assertThat(made.get()).isLessThan(100);
    }
}
