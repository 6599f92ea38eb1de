/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;
import org.tutti.memory.Waits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The behaviour when another process has the greatest permitted number of unanswered requests. */
@Timeout(60)
class RequestEntriesTest {
    @Test
    void shouldListTheWaitForAnEntry() {
        try (Arena arena = Arena.ofShared()) {
            var peer = new Peer(4, new Regions(), new Deaf(), new AtomicLong(), () -> false,
                    new RailChoice(Striping.EVEN, () -> 0, 0), arena);
            peer.connect(new Wire[]{new SimulatedWire(new SplittableRandom(1), 1 << 20).end(0)}); // nobody answers
            for (int place = 0; place < Requests.ENTRIES; place++) {
                assertThat(ask(peer)).isEqualTo(place);
            }
            assertThatThrownBy(() -> ask(peer)).hasMessage("listed");
            assertThat(Waits.of(Thread.currentThread())).isEmpty();
        }
    }

    /** Asks until it is listed among the waits. */
    private static int ask(Peer peer) {
        return peer.requester().atomic(1, 0, AtomicOperation.FETCH_ADD, 1, 0, () -> {
            if (Waits.of(Thread.currentThread()).isPresent()) {
                throw new IllegalStateException("listed");
            }
        });
    }
}
