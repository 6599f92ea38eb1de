/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A process that is given up while a connection with it comes about. */
class GivenUpTest {
    @Test
    void shouldCloseAConnectionThatComesInTheMeantime() {
        SimulatedWire wire = new SimulatedWire(new SplittableRandom(1), 1000);
        AtomicReference<Peer> peer = new AtomicReference<>();
        try (Arena arena = Arena.ofConfined()) {
            peer.set(new Peer(4, new Regions(), new FabricListener() {
                @Override
                public void news(int kind, long index, long value) {}

                @Override
                public void left(int process) {}

                @Override
                public void lost(int process, Loss loss, String reason) {
                    peer.get().connect(new Wire[]{wire.end(0)}); // as the service thread may at any moment
                }
            }, new AtomicLong(), () -> false, new RailChoice(Striping.EVEN, () -> 0, 0), arena));
            peer.get().lose(Loss.UNREACHABLE, "another thread has waited for too long");
            assertThatThrownBy(() -> wire.end(0).write(ByteBuffer.allocate(1))).as("the connection is closed")
                    .isInstanceOf(IOException.class);
        }
    }
}
