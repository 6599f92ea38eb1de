/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.Section;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.Service;
import org.tutti.fabric.tcp.LocalProcess;
import org.tutti.fabric.tcp.TcpFabric;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process of the target's node has been stopped while it holds the lock of a stripe, for longer than any connection
 * may be silent. Others accumulate there, and reach the target meanwhile.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class HeldStripeTest {
    private static final long DATA_BYTES = 2L * PartLayout.STRIPE_BYTES;
    private static final long SILENCE_MILLIS_MAX = 600;
    private static final long STOPPED_MILLIS = 3 * SILENCE_MILLIS_MAX;
    private static final int STOPPED = 7;
    private static final int TARGET = 0;
    private static final int ACCUMULATES = 1;
    private static final int GETS = 2;

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final List<TcpFabric> fabrics = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private MemorySegment block;
    private long lock;
    private long handle;

    private void start(int rails) {
        for (int i = 0; i < 3; i++) {
            int self = i;
            InetSocketAddress[] addresses = new InetSocketAddress[rails];
            Arrays.fill(addresses, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            fabrics.add(new TcpFabric(new LocalProcess(self, new byte[32], List.of(addresses),
                    of -> fabrics.get(of).addresses(), SILENCE_MILLIS_MAX, SILENCE_MILLIS_MAX), 8,
                    new FabricListener() {
                        @Override
                        public void news(int kind, long index, long value) {
                            heard.add("news");
                        }

                        @Override
                        public void left(int process) {
                            heard.add(self + " heard that " + process + " has left");
                        }

                        @Override
                        public void lost(int process, Loss loss, String reason) {
                            heard.add(self + " has lost " + process + ": " + reason);
                        }
                    }, false, Service.SLEEP));
        }
        handle = fabrics.get(TARGET).register(PartLayout.region(block, DATA_BYTES),
                new PartAccumulator(block, DATA_BYTES, new ScriptedMembers(), TARGET));
    }

    @BeforeEach
    void hold() {
        block = arena.allocate(PartLayout.bytes(DATA_BYTES, 0), Words.LINE_BYTES);
        lock = PartLayout.lock(DATA_BYTES, PartLayout.STRIPE_BYTES);
        Words.store(block, lock, STOPPED + 1);
    }

    @AfterEach
    void close() {
        Words.store(block, lock, 0);
        fabrics.forEach(TcpFabric::close);
        arena.close();
    }

    private Waiter.Check patience(long millis) {
        long untilNanos = System.nanoTime() + millis * 1_000_000;
        return () -> assertThat(System.nanoTime() - untilNanos).as("still waiting; " + heard).isNegative();
    }

    /** Into both stripes, of which the second one is locked; a word says so afterwards. */
    private void accumulate(int round) {
        double[] more = new double[(int) DATA_BYTES / Double.BYTES];
        Arrays.setAll(more, i -> i * round);
        MemorySegment source = MemorySegment.ofArray(more);
        SectionPieces pieces = new SectionPieces();
        pieces.begin(Section.of(0, DATA_BYTES), source, Section.of(0, DATA_BYTES));
        Fabric fabric = fabrics.get(ACCUMULATES);
        assertThat(fabric.send(TARGET, handle, pieces, Accumulation.SUM.code(DataType.DOUBLE),
                Double.doubleToRawLongBits(1), 0, patience(10_000))).isTrue();
        assertThat(fabric.put(new PutTarget().at(TARGET, handle, 0).add(PartLayout.notification(DATA_BYTES, 0), 1),
                source, 0, 0, patience(10_000))).isTrue();
        fabric.flush();
    }

    private long notifications() {
        return Words.load(PartLayout.region(block, DATA_BYTES), PartLayout.notification(DATA_BYTES, 0));
    }

    private double[] elements() {
        return PartLayout.data(block, DATA_BYTES).toArray(ValueLayout.JAVA_DOUBLE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldServeOthersAndLoseNobodyWhileAStoppedProcessHoldsALock(int rails) {
        start(rails);
        accumulate(1);
        accumulate(2);
        MemorySegment got = arena.allocate(Double.BYTES);
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < STOPPED_MILLIS * 1_000_000) {
            assertThat(fabrics.get(GETS).get(TARGET, handle, DATA_BYTES - Double.BYTES, got, 0, Double.BYTES,
                    patience(10_000))).isTrue();
            assertThat(got.get(ValueLayout.JAVA_DOUBLE, 0)).as("under the lock").isZero();
        }
        assertThat(notifications()).as("words that follow what could not be accumulated").isZero();
        assertThat(heard).isEmpty();
        Words.store(block, lock, 0);
        Fabric fabric = fabrics.get(ACCUMULATES);
        long all = fabric.beginFence(TARGET, patience(10_000));
        assertThat(fabric.awaitFence(TARGET, all, patience(10_000))).isTrue();
        double[] expected = new double[(int) DATA_BYTES / Double.BYTES];
        Arrays.setAll(expected, i -> 3.0 * i);
        assertThat(Arrays.equals(elements(), expected)).isTrue();
        assertThat(notifications()).isEqualTo(2);
        assertThat(heard).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldServeOthersWhenWhoHasAccumulatedIsLostMeanwhile(int rails) {
        start(rails);
        accumulate(1);
        double first = PartLayout.STRIPE_BYTES / Double.BYTES - 1;
        Waiter.Check check = patience(10_000);
        while (elements()[(int) first] != first) { // the stripe before is done
            check.check();
            Thread.onSpinWait();
        }
        fabrics.get(TARGET).abandon(ACCUMULATES, "this test says so");
        MemorySegment got = arena.allocate(Double.BYTES);
        for (int i = 0; i < 100; i++) {
            assertThat(fabrics.get(GETS).get(TARGET, handle, DATA_BYTES - Double.BYTES, got, 0, Double.BYTES,
                    patience(10_000))).isTrue();
        }
        Words.store(block, lock, 0);
        assertThat(fabrics.get(GETS).get(TARGET, handle, 0, got, 0, Double.BYTES, patience(10_000))).isTrue();
        assertThat(elements()[elements().length - 1]).as("of one who is lost").isZero();
        assertThat(notifications()).isZero();
    }
}
