/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;
import org.tutti.fabric.tcp.LocalProcess;
import org.tutti.fabric.tcp.TcpFabric;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/** Measures the costs of a put between two fabrics of this process, over loopback, each polled by a thread. */
final class RailMeasurement implements AutoCloseable {
    static final int SMALL_BYTES = 8;
    static final int LARGE_BYTES = 64 << 10;
    static final int STREAM_PUTS = 64;

    private static final int PLACES = 64; // targets of puts, like eager buffers: more than caches hold
    private static final int REGION_BYTES = 4096 + PLACES * LARGE_BYTES;
    private static final long WORD = 64;
    private static final long DATA = 4096;
    private static final int SILENCE_MILLIS_MAX = 10_000;
    private static final int SECRET_BYTES = 32;
    private static final Runnable NOTHING = () -> {
    };
    private static final FabricListener DEAF = new FabricListener() {
        @Override
        public void news(int kind, long index, long value) {
            // neither end sends news
        }

        @Override
        public void left(int process) {
            // only after the measurement
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            System.err.println("the connection over loopback is lost: " + reason);
        }
    };

    private final class End implements Waiter.Progress {
        private final int number;
        private final MemorySegment memory = Arena.ofAuto().allocate(REGION_BYTES, Words.LINE_BYTES);
        private final TcpFabric fabric;
        private final MemorySegment source = MemorySegment.ofArray(new double[LARGE_BYTES / Double.BYTES]);
        private final PutTarget target = new PutTarget();
        private final Waiter waiter;
        private final Waiter untimed;
        private final long region;
        private long puts;
        private long putNanos;
        private long receiveNanos;

        End(int number, boolean coreForEach) {
            this.number = number;
            this.fabric = new TcpFabric(
                    new LocalProcess(number, new byte[SECRET_BYTES],
                            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                            process -> ends[process].fabric.addresses(), SILENCE_MILLIS_MAX, SILENCE_MILLIS_MAX),
                    2, DEAF, coreForEach, Service.SLEEP);
            this.waiter = new Waiter(coreForEach, this);
            this.untimed = new Waiter(coreForEach, fabric);
            this.region = fabric.register(memory);
        }

        void put(long bytes, long value, Timing timing) {
            End other = ends[1 - number];
            long start = System.nanoTime();
            long place = DATA + puts++ % PLACES * LARGE_BYTES;
            fabric.put(target.at(other.number, other.region, place).raise(WORD, value, 0), source, 0, bytes,
                    timing::check);
            fabric.flush();
            putNanos += System.nanoTime() - start;
        }

        @Override
        public boolean poll() {
            long start = System.nanoTime();
            boolean any = fabric.poll();
            if (any) {
                receiveNanos += System.nanoTime() - start;
            }
            return any;
        }

        void await(long value, Timing timing) {
            waiter.await(memory, WORD, value, timing::check);
        }
    }

    private final End[] ends = new End[2];
    private final Timing timing = new Timing();

    /** @param coreForEach whether each of two threads has a core of its own */
    RailMeasurement(boolean coreForEach) {
        ends[0] = new End(0, coreForEach);
        ends[1] = new End(1, coreForEach);
    }

    /** {@return the waiter of a rank at one of the two ends, which polls for arrivals} */
    Waiter waiter(int end) {
        return ends[end].untimed;
    }

    /** {@return nanoseconds from the beginning of a put until the other end has seen it} */
    double oneWayNanos() {
        return Timing.shortest(rounds -> roundTripNanos(rounds, SMALL_BYTES) / 2);
    }

    /** {@return nanoseconds for which taking in a put occupies the polling thread} */
    double receiveNanos(int bytes) {
        return Timing.shortest(rounds -> {
            roundTripNanos(rounds, bytes);
            return (double) ends[0].receiveNanos / rounds;
        });
    }

    /** {@return nanoseconds for which a put, sent immediately, occupies its caller} */
    double putNanos(int bytes) {
        return Timing.shortest(rounds -> {
            roundTripNanos(rounds, bytes);
            return (double) ends[0].putNanos / rounds;
        });
    }

    private double roundTripNanos(int rounds, int bytes) {
        ends[0].putNanos = 0;
        ends[0].receiveNanos = 0;
        return timing.nanosPerRound(rounds, NOTHING, round -> {
            ends[0].put(bytes, round * STREAM_PUTS, timing);
            ends[0].await(round * STREAM_PUTS, timing);
        }, round -> {
            ends[1].await(round * STREAM_PUTS, timing);
            ends[1].put(bytes, round * STREAM_PUTS, timing);
        });
    }

    /** {@return nanoseconds a put in a row of puts, each sent immediately} */
    double streamNanos(int bytes) {
        return Timing.shortest(rounds -> timing.nanosPerRound(rounds, NOTHING, round -> {
            for (int i = 1; i <= STREAM_PUTS; i++) {
                ends[0].put(bytes, (round - 1) * STREAM_PUTS + i, timing);
            }
            ends[0].await(round * STREAM_PUTS, timing);
        }, round -> {
            ends[1].await(round * STREAM_PUTS, timing);
            ends[1].put(SMALL_BYTES, round * STREAM_PUTS, timing);
        })) / STREAM_PUTS;
    }

    @Override
    public void close() {
        for (End end : ends) {
            end.fabric.close();
        }
    }
}
