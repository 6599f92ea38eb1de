/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class RegionsTest {
    private static final MemorySegment MEMORY = MemorySegment.NULL;

    @Test
    void shouldFindTheRegionsThatAreThere() {
        for (int seed = 0; seed < 50; seed++) {
            var random = new SplittableRandom(seed);
            Regions regions = new Regions();
            Map<Long, Region> model = new HashMap<>();
            List<Long> all = new ArrayList<>(List.of(0L));
            int most = 1 << random.nextInt(9);
            for (int i = 0; i < 3000; i++) {
                long known = all.get(random.nextInt(all.size()));
                if (random.nextInt(most) >= model.size()) {
                    Region region = regions.add(MEMORY);
                    assertThat(model.put(region.handle(), region)).isNull();
                    all.add(region.handle());
                } else if (random.nextBoolean()) {
                    regions.remove(known);
                    Region removed = model.remove(known);
                    assertThat(removed == null || removed.isRevoked()).isTrue();
                }
                assertThat(regions.find(known)).isSameAs(model.get(known));
                assertThat(regions.find(random.nextLong())).isNull();
            }
            all.forEach(handle -> assertThat(regions.find(handle)).isSameAs(model.get(handle)));
        }
    }

    @Test
    void shouldFindNoRegionByTheHandleThatNamesNone() {
        Regions regions = new Regions();
        List<Region> made = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            made.add(regions.add(MEMORY));
        }
        made.forEach(region -> regions.remove(region.handle()));
        assertThat(regions.find(0)).isNull();
    }

    @Test
    void shouldGiveNoHandleTwice() {
        Regions regions = new Regions();
        Set<Long> handles = new HashSet<>();
        for (int i = 0; i < 300_000; i++) {
            Region region = regions.add(MEMORY);
            assertThat(handles.add(region.handle())).isTrue();
            regions.remove(region.handle());
        }
        long bits = handles.stream().mapToLong(Long::bitCount).sum();
        assertThat(bits / 300_000.0).as("bits of a random number").isBetween(31.8, 32.2);
    }

    @Test
    void shouldRefuseMoreThanItsLimit() {
        Regions regions = new Regions();
        long first = regions.add(MEMORY).handle();
        for (int i = 1; i < Regions.REGIONS_MAX; i++) {
            regions.add(MEMORY);
        }
        assertThatThrownBy(() -> regions.add(MEMORY)).isInstanceOf(IllegalStateException.class);
        for (int i = 0; i < 100_000; i++) { // at the limit, too, a change must not copy the table
            regions.remove(first);
            first = regions.add(MEMORY).handle();
        }
        assertThatThrownBy(() -> regions.addKnown(MEMORY, 7, null)).isInstanceOf(IllegalStateException.class);
    }

    /** Looks up regions while another thread adds and removes others. */
    @Test
    void shouldFindRegionsDuringChanges() throws Exception {
        Regions regions = new Regions();
        List<Region> lasting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            lasting.add(regions.add(MEMORY));
        }
        var isOver = new AtomicBoolean();
        var looks = new AtomicLong();
        var looker = CompletableFuture.runAsync(() -> {
            while (!isOver.get()) {
                for (Region region : lasting) {
                    assertThat(regions.find(region.handle()) == region).isTrue();
                }
                looks.incrementAndGet();
            }
        });
        var random = new SplittableRandom(8);
        List<Long> others = new ArrayList<>();
        for (long i = 0; i < 1_000_000 || looks.get() < 1000 && !looker.isDone(); i++) {
            if (others.size() < random.nextInt(20)) {
                others.add(regions.add(MEMORY).handle());
            } else if (!others.isEmpty()) {
                long removed = others.remove(random.nextInt(others.size()));
                regions.remove(removed);
                assertThat(regions.find(removed) == null).isTrue();
            }
        }
        isOver.set(true);
        looker.get(30, TimeUnit.SECONDS);
    }
}
