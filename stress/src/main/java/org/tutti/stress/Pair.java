/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.allreduce.Allreduce;
import org.tutti.collective.allreduce.FlatAllreduce;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.barrier.SrmBarrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.broadcast.SlotRingBroadcast;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.collective.window.WindowPool;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

/**
 * Two ranks with the library's own {@link Team}s. A pair serves one state after the other, so that its slots go through
 * all their generations. The numbers that it sends grow, so that a stale number is noticed.
 */
final class Pair {
    static final Pool<Pair> POOL = new Pool<>(Pair::new);

    private static final int RANKS = 2;
    private static final int ELEMENTS_MAX = 64;
    private static final Memory MEMORY = new PrivateMemory();
    private static final Broadcast BROADCAST = new SlotRingBroadcast();
    private static final Allreduce ALLREDUCE = new FlatAllreduce();
    private static final Barrier FLAT_BARRIER = new FlatBarrier();
    private static final Barrier SRM_BARRIER = new SrmBarrier();

    private final Team[] teams = new Team[RANKS];
    private final long[][] elements = new long[RANKS][ELEMENTS_MAX];
    private final MemorySegment[] segments = new MemorySegment[RANKS];
    private final Call[] calls = new Call[RANKS];
    private final Kernel[] sums = new Kernel[RANKS]; // one thread at a time may use a kernel
    private long numbers;

    private Pair() {
        long ring = MEMORY.claim(new RingLayout(1, RANKS).bytes(), "a stress test");
        for (int rank = 0; rank < RANKS; rank++) {
            teams[rank] = new Team(new LiveMachine(new Waiter(true)), HealthyMembers.INSTANCE,
                    new WindowPool(MEMORY, WindowSizes.windowBytesMax(RANKS)), ring, rank,
                    new NodeView(new Topology(new int[RANKS]), 0), null);
            sums[rank] = Kernels.of(Reduction.SUM, DataType.LONG);
            segments[rank] = MemorySegment.ofArray(elements[rank]);
            calls[rank] = new Call();
        }
    }

    /** Reserves numbers that this pair has never sent: the returned one and the {@code count − 1} after it. */
    long reserve(int count) {
        long first = numbers + 1;
        numbers += count;
        return first;
    }

    /** Lets rank 0 send a number in {@code count} elements. */
    void send(long number, int count) {
        Arrays.fill(elements[0], 0, count, number);
        broadcast(0, count);
    }

    /** Lets rank 1 receive from rank 0, and returns the number, or −1 if its copies differ. */
    long receive(int count) {
        broadcast(1, count);
        for (int i = 1; i < count; i++) {
            if (elements[1][i] != elements[1][0]) {
                return -1;
            }
        }
        return elements[1][0];
    }

    private void broadcast(int rank, int count) {
        run(rank, BROADCAST, count, null);
    }

    long sum(int rank, long number) {
        elements[rank][0] = number;
        run(rank, ALLREDUCE, 1, sums[rank]);
        return elements[rank][0];
    }

    void flatBarrier(int rank) {
        barrier(rank, FLAT_BARRIER);
    }

    void srmBarrier(int rank) {
        barrier(rank, SRM_BARRIER);
    }

    private void barrier(int rank, Barrier barrier) {
        calls[rank].clear();
        run(rank, barrier);
    }

    private void run(int rank, Algorithm algorithm, int count, Kernel kernel) {
        calls[rank].setElements(segments[rank], segments[rank], DataType.LONG, count, kernel);
        run(rank, algorithm);
    }

    private void run(int rank, Algorithm algorithm) {
        calls[rank].set(algorithm, 0, Long.MAX_VALUE);
        calls[rank].draw(teams[rank]);
        calls[rank].run(teams[rank]);
    }
}
