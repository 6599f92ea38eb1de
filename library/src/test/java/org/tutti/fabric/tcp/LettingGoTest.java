/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/** A connection keeps nobody's memory: what is in an automatic arena is freed when its owner has let go of it. */
@Timeout(60)
class LettingGoTest {
    private static final int BYTES = 64 << 10;

    private final Arena arena = Arena.ofShared();
    private final Regions regions = new Regions();
    private final SimulatedWire wire = new SimulatedWire(new SplittableRandom(1), 1 << 20);
    private final Peer peer = peer();

    private Peer peer() {
        Peer made = new Peer(4, regions, new Deaf(), new AtomicLong(), () -> false,
                new RailChoice(Striping.EVEN, () -> 0, 0), arena);
        made.connect(new Wire[]{wire.end(0)});
        return made;
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate(BYTES);
    }

    /** Such memory is freed when its scope is garbage. */
    private static void awaitFreed(WeakReference<MemorySegment.Scope> scope) throws InterruptedException {
        for (int turn = 0; scope.get() != null; turn++) {
            assertThat(turn).as("collections of garbage that have not freed the memory").isLessThan(20);
            System.gc();
            Thread.sleep(10);
        }
    }

    private WeakReference<MemorySegment.Scope> put() {
        MemorySegment source = memory();
        assertThat(peer.sender().put(new PutTarget().at(0, 1 << 16, 0), new PutSource().add(source, 0, BYTES), () -> {
        })).isTrue();
        return new WeakReference<>(source.scope());
    }

    private void receive(byte kind, int number, long region, long word) throws java.io.IOException {
        Frame frame = new Frame().of(kind);
        frame.number = number;
        frame.region = region;
        frame.word = word;
        frame.flags = FrameLayout.LAST;
        frame.length = BYTES;
        ByteBuffer bytes = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + BYTES).order(ByteOrder.LITTLE_ENDIAN);
        FrameLayout.write(bytes, frame);
        wire.end(1).write(bytes.rewind());
        while (peer.poll()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldNotKeepMemoryThatWasSent() throws InterruptedException {
        WeakReference<MemorySegment.Scope> first = put();
        WeakReference<MemorySegment.Scope> second = put();
        awaitFreed(first);
        awaitFreed(second);
        Reference.reachabilityFence(peer);
    }

    private WeakReference<MemorySegment.Scope> get() throws java.io.IOException {
        MemorySegment target = memory();
        int request = peer.requester().get(1 << 16, 0, target, 0, BYTES, () -> {
        });
        receive(FrameLayout.REPLY, 1, 0, 1 << 8 | request);
        assertThat(peer.requester().isAnswered(request)).isTrue();
        peer.requester().take(request);
        return new WeakReference<>(target.scope());
    }

    @Test
    void shouldNotKeepMemoryThatWasGotInto() throws Exception {
        awaitFreed(get());
        Reference.reachabilityFence(peer);
    }

    private WeakReference<MemorySegment.Scope> reveal() throws java.io.IOException {
        Region region = regions.add(memory());
        receive(FrameLayout.PUT, 1, region.handle(), 0);
        regions.remove(region.handle());
        peer.settle();
        return new WeakReference<>(region.segment().scope());
    }

    @Test
    void shouldNotKeepMemoryThatOthersMayNotAddressAnyMore() throws Exception {
        awaitFreed(reveal());
        Reference.reachabilityFence(peer);
    }
}
