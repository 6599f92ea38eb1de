/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** As many processes as a job may well have on one machine, all of which connect at the same time. */
@Isolated("counts threads or memory of the whole JVM")
class ManyProcessesTest {
    private static final int PROCESSES = 64;
    private static final int STEPS = 6;
    private static final int ROUNDS = 3;
    private static final int DESCRIPTORS_OTHERWISE = 20;

    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private final TcpFabric[] fabrics = new TcpFabric[PROCESSES];
    private final MemorySegment[] memories = new MemorySegment[PROCESSES];
    private final long[] regions = new long[PROCESSES];

    /** Notes lost processes; leaving is no news. */
    private final class Listener implements FabricListener {
        @Override
        public void news(int kind, long index, long value) {
            lost.add("news");
        }

        @Override
        public void left(int process) {
            assertThat(process).isBetween(0, PROCESSES - 1);
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            lost.add(process + ": " + reason);
        }
    }

    static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    /** In step k the word of step k at the process 2^k further goes up; all have come when all steps are done. */
    private void barrier(int self, int round) {
        Waiter waiter = new Waiter(false, fabrics[self]);
        MemorySegment nothing = MemorySegment.ofArray(new byte[0]);
        for (int step = 0; step < STEPS; step++) {
            int to = (self + (1 << step)) % PROCESSES;
            long word = (long) step * Words.LINE_BYTES;
            assertThat(fabrics[self].put(new PutTarget().at(to, regions[to], 0).raise(word, round, 0), nothing, 0, 0,
                    () -> {
                    })).isTrue();
            fabrics[self].flush();
            waiter.await(memories[self], word, round, () -> {
            });
        }
    }

    /** All first neighbours at once, before anybody waits for anybody. */
    private void connect(int self) {
        MemorySegment nothing = MemorySegment.ofArray(new byte[0]);
        for (int step = 0; step < STEPS; step++) {
            int to = (self + (1 << step)) % PROCESSES;
            assertThat(fabrics[self].put(new PutTarget().at(to, regions[to], 0).add(1024, 1), nothing, 0, 0, () -> {
            })).isTrue();
        }
        fabrics[self].flush();
    }

    @Test
    @Timeout(300)
    void shouldConnectAllNeighboursOfManyProcessesAtTheSameTime() throws InterruptedException {
        int before = descriptors();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (Arena arena = Arena.ofShared()) {
            for (int i = 0; i < PROCESSES; i++) {
                memories[i] = arena.allocate(2048, Words.LINE_BYTES);
                fabrics[i] = new TcpFabric(
                        new LocalProcess(i, new byte[32],
                                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                                process -> fabrics[process].addresses(), 20_000, 20_000),
                        PROCESSES, new Listener(), false, Service.SLEEP);
                regions[i] = fabrics[i].register(memories[i]);
            }
            everyone(self -> {
                connect(self);
                for (int round = 1; round <= ROUNDS; round++) {
                    barrier(self, round);
                }
                for (int step = 0; step < STEPS; step++) {
                    assertThat(fabrics[self].fence((self + (1 << step)) % PROCESSES, () -> {
                    })).isTrue();
                }
            }, failures);
            assertThat(failures).isEmpty();
            for (int i = 0; i < PROCESSES; i++) {
                assertThat(Words.load(memories[i], 1024)).isEqualTo(STEPS);
                // five neighbours on either side, and the one opposite
                assertThat(fabrics[i].processesConnected()).isEqualTo(2 * STEPS - 1);
                assertThat(fabrics[i].connectionsDropped()).isZero();
                assertThat(fabrics[i].accessesRefused()).isZero();
            }
            everyone(self -> fabrics[self].close(), failures);
            assertThat(failures).isEmpty();
            assertThat(lost).isEmpty();
        }
        assertThat(descriptors()).isLessThan(before + DESCRIPTORS_OTHERWISE);
    }

    private static void everyone(java.util.function.IntConsumer what, Queue<Throwable> failures)
            throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            int self = i;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    what.accept(self);
                } catch (RuntimeException | AssertionError e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
