/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.CommunicatorBrokenException;
import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.Mutexes;
import org.tutti.PreparedCall;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Request;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

/**
 * Programs of {@link ProcessRankMain} on a communicator in which each rank is a node of its own. An element has the
 * value {@code (rank + 1) · (index + 1)} in the contribution of a rank, so all results follow from sums of ranks.
 */
final class FlatPrograms {
    private static final int[] COUNTS = {1, 1000, 30_000};

    private FlatPrograms() {}

    /** Every algorithm, every kind of call, groups, and remote memory. */
    static void compute(Communicator world) {
        try (Communicator flat = world.flatten()) {
            require(flat.topology().nodes() == world.size() && flat.rank() == world.rank(), "nodes");
            int round = 0;
            for (Collective collective : Collective.values()) {
                for (Algorithm algorithm : Catalogue.of(collective)) {
                    String name = algorithm.description().name();
                    for (int count : COUNTS) {
                        call(flat.withAlgorithm(collective, name), collective, count, round++ % world.size(), name);
                    }
                }
            }
            callInOtherWays(flat);
            useMemory(flat);
            try (Communicator reversed = flat.split(0, -flat.rank()); Communicator again = reversed.flatten()) {
                require(reversed.topology().nodes() == world.size(), "nodes of a group");
                for (Collective collective : Collective.values()) {
                    call(reversed, collective, COUNTS[1], 0, "reversed");
                    call(again, collective, COUNTS[1], 1, "again");
                    call(world, collective, COUNTS[1], 1, "world");
                }
            }
        }
        System.out.println("flat done");
    }

    private static void call(Communicator on, Collective collective, int count, int root, String what) {
        int rank = on.rank();
        int size = on.size();
        long all = size * (size + 1L) / 2;
        String text = collective + " " + what + " of " + count + " at rank " + rank;
        switch (collective) {
            case BARRIER -> on.barrier();
            case BROADCAST -> {
                long[] data = elements(rank == root ? root + 1 : 0, count);
                on.broadcast(data, root);
                check(data, 0, root + 1, count, text);
            }
            case REDUCE -> {
                long[] data = elements(rank + 1, count);
                on.reduce(data, Reduction.SUM, root);
                check(data, 0, rank == root ? all : rank + 1, count, text);
            }
            case ALLREDUCE -> {
                long[] data = elements(rank + 1, count);
                on.allreduce(data, Reduction.SUM);
                check(data, 0, all, count, text);
            }
            case SCAN -> {
                long[] data = elements(rank + 1, count);
                on.scan(data, Reduction.SUM);
                check(data, 0, (rank + 1) * (rank + 2L) / 2, count, text);
            }
            case EXCLUSIVE_SCAN -> {
                long[] data = elements(rank + 1, count);
                on.exclusiveScan(data, Reduction.SUM);
                check(data, 0, rank == 0 ? 1 : rank * (rank + 1L) / 2, count, text);
            }
            case GATHER -> {
                long[] target = new long[rank == root ? size * count : 0];
                on.gather(elements(rank + 1, count), rank == root ? target : null, root);
                checkBlocks(target, count, text);
            }
            case ALLGATHER -> {
                long[] target = new long[size * count];
                on.allgather(elements(rank + 1, count), target);
                checkBlocks(target, count, text);
            }
            case SCATTER -> {
                long[] target = new long[count];
                on.scatter(rank == root ? blocks(size, count, 0) : null, target, root);
                check(target, 0, rank + 1, count, text);
            }
            case ALL_TO_ALL -> {
                long[] target = new long[size * count];
                on.allToAll(blocks(size, count, rank), target);
                for (int block = 0; block < size; block++) {
                    check(target, block * count, rank + 1 + block, count, text);
                }
            }
            case REDUCE_SCATTER -> {
                long[] target = new long[count];
                on.reduceScatter(blocks(size, count, rank), target, Reduction.SUM);
                check(target, 0, size * (rank + 1L) + size * (size - 1L) / 2, count, text);
            }
        }
    }

    private static void callInOtherWays(Communicator flat) {
        int count = COUNTS[1];
        long all = flat.size() * (flat.size() + 1L) / 2;
        long[] started = elements(flat.rank() + 1, count);
        long[] target = new long[flat.size() * count];
        long[] sums = new long[count];
        Request sum = flat.nonBlocking().allreduce(started, Reduction.SUM);
        Request gathered = flat.nonBlocking().allgather(elements(flat.rank() + 1, count), target);
        gathered.await();
        sum.await();
        check(started, 0, all, count, "started");
        checkBlocks(target, count, "gathered");
        PreparedCall prepared = flat.prepare().allreduce(elements(flat.rank() + 1, count), sums, Reduction.SUM);
        for (int i = 0; i < 30; i++) {
            prepared.run();
        }
        check(sums, 0, all, count, "prepared");
        int[] counts = IntStream.range(0, flat.size()).map(rank -> rank * COUNTS[1]).toArray();
        long[] joined = new long[IntStream.of(counts).sum()];
        flat.allgather(elements(flat.rank() + 1, counts[flat.rank()]), joined, Blocks.of(counts));
        for (int block = 0, at = 0; block < flat.size(); at += counts[block++]) {
            check(joined, at, block + 1, counts[block], "blocks");
        }
    }

    private static void useMemory(Communicator flat) {
        int next = (flat.rank() + 1) % flat.size();
        try (RemoteMemory memory = flat.allocate(DataType.LONG, 1100); Mutexes mutexes = memory.allocateMutexes(1)) {
            memory.at(next).put(0, elements(flat.rank() + 1, 1000));
            memory.fence(next);
            flat.barrier();
            long[] got = new long[1000];
            memory.at(next).get(0, got);
            check(got, 0, flat.rank() + 1, 1000, "got");
            for (int rank = 0; rank < flat.size(); rank++) {
                memory.at(rank).accumulate(8000, new long[]{1}, Reduction.SUM);
                memory.at(rank).fetchAddLong(8008, 1);
                long[] count = new long[1];
                mutexes.lock(0, rank);
                memory.at(rank).get(8016, count);
                count[0]++;
                memory.at(rank).put(8016, count);
                memory.fence(rank);
                mutexes.unlock(0, rank);
            }
            memory.fenceAll();
            flat.barrier();
            long[] counted = new long[3];
            memory.at(flat.rank()).get(8000, counted);
            require(LongStream.of(counted).allMatch(each -> each == flat.size()), Arrays.toString(counted));
        }
    }

    /** Calls without an end; the victim is killed. */
    static void loop(Communicator world) {
        Communicator flat = world.flatten();
        flat.barrier();
        System.out.println("joined");
        for (long[] values = new long[50_000];;) {
            flat.allreduce(values, Reduction.SUM);
            flat.broadcast(values, 1);
        }
    }

    /** Ranks 1 and 2 are on one node. */
    static void mismatch(Communicator world) {
        if (world.rank() == 1 || world.rank() == 2) {
            try (Communicator pair = world.create(1, 2); Communicator flat = pair.flatten()) {
                if (world.rank() == 1) {
                    flat.allreduce(new long[4], Reduction.SUM);
                } else {
                    flat.allreduce(new long[5], Reduction.SUM);
                }
            }
        }
    }

    /** Rank 1 does not wait in its last call, which rank 2 leaves out. */
    static void leaveOutTheLast(Communicator world) {
        if (world.rank() == 1 || world.rank() == 2) {
            Communicator flat = world.create(1, 2).flatten();
            flat.barrier();
            if (world.rank() == 1) {
                flat.broadcast(new int[4], 0);
            }
        }
        world.barrier();
    }

    /** Rank 1 waits for the others, which call later, and for none of which it can have broken the world. */
    static void passADeadline(Communicator world) throws InterruptedException {
        Communicator flat = world.flatten();
        try {
            if (world.rank() == 1) {
                flat.withDeadline(Duration.ofMillis(300)).barrier();
            } else {
                Thread.sleep(1500);
                flat.barrier();
            }
            throw new IllegalStateException("the barrier ended");
        } catch (DeadlineExceededException | CommunicatorBrokenException e) {
            System.out.println(e.getClass().getSimpleName());
        }
        world.barrier();
    }

    private static long[] elements(long factor, int count) {
        return LongStream.range(0, count).map(i -> factor * (i + 1)).toArray();
    }

    /** A block for each rank: with the factors 1 to size, and a rank more. */
    private static long[] blocks(int size, int count, int rank) {
        return IntStream.range(0, size).mapToObj(block -> elements(block + 1 + rank, count))
                .flatMapToLong(LongStream::of).toArray();
    }

    private static void checkBlocks(long[] data, int count, String text) {
        for (int block = 0; block < data.length / count; block++) {
            check(data, block * count, block + 1, count, text);
        }
    }

    private static void check(long[] data, int from, long factor, int count, String text) {
        for (int i = 0; i < count; i++) {
            require(data[from + i] == factor * (i + 1), text + ": element " + (from + i) + " is " + data[from + i]);
        }
    }

    private static void require(boolean holds, String text) {
        if (!holds) {
            throw new IllegalStateException(text);
        }
    }
}
