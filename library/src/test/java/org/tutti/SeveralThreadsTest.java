/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Several threads of each rank in one remote memory, on one node and on several, with calls of every kind, against
 * plain models: all ranks are in this process, so the models are arrays that they share.
 */
@Timeout(120)
class SeveralThreadsTest {
    private static final int THREADS = 3;
    private static final int CALLS = 250;

    /** The longs that one thread alone writes in every part: some puts go by each protocol. */
    private static final int SLICE = 12_000;
    private static final int COUNTERS = 700;
    private static final int NOTIFIED = 4;

    static Stream<OneSidedTest.Shape> shapes() {
        return Stream.of(
                new OneSidedTest.Shape("2 threads", 2,
                        program -> Tutti.runLocal(2, JobOptions.DEFAULT.withThreads(Threads.PLATFORM), program)),
                new OneSidedTest.Shape("3 virtual", 3,
                        program -> Tutti.runLocal(3, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL), program)),
                nodes(0, 1), nodes(0, 0, 1, 1), nodes(0, 1, 2));
    }

    private static OneSidedTest.Shape nodes(int... nodeOfRank) {
        return new OneSidedTest.Shape("nodes " + Arrays.toString(nodeOfRank), nodeOfRank.length,
                program -> LocalNodes.run(nodeOfRank, program));
    }

    /** Runs threads of a rank; what one of them throws, this throws. */
    private static void runThreads(int threads, IntConsumer each) throws InterruptedException {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread.Builder builder = i % 3 == 2 ? Thread.ofVirtual() : Thread.ofPlatform();
            running.add(builder.name("caller " + i).start(() -> {
                try {
                    each.accept(number);
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : running) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("a thread has failed: " + failures.peek(), failures.peek());
        }
    }

    /** The values that the parts of all ranks must hold in the end. */
    private static final class Model {
        final int size;
        final long[][][] slices; // of a part, by a writer
        final AtomicLongArray sums;
        final AtomicLongArray notified;
        final AtomicLongArray promised;
        final int[] locked; // changed under mutexes
        final Set<Long> tickets = ConcurrentHashMap.newKeySet();

        Model(int size) {
            this.size = size;
            this.slices = new long[size][size * THREADS][SLICE];
            this.sums = new AtomicLongArray(size * COUNTERS);
            this.notified = new AtomicLongArray(size * NOTIFIED);
            this.promised = new AtomicLongArray(size * size * THREADS);
            this.locked = new int[size];
        }
    }

    /** A thread of a rank, and what it calls: drawn from its numbers. */
    private static final class Caller {
        private final Model model;
        private final RemoteMemory memory;
        private final RemoteMemory counters;
        private final Mutexes mutexes;
        private final int self;
        private final int writer;
        private final Random random;
        private final List<Request> requests = new ArrayList<>();

        Caller(Model model, Communicator world, RemoteMemory memory, RemoteMemory counters, Mutexes mutexes,
                int thread) {
            this.model = model;
            this.memory = memory;
            this.counters = counters;
            this.mutexes = mutexes;
            this.self = world.rank();
            this.writer = world.rank() * THREADS + thread;
            this.random = new Random(writer);
        }

        void call() {
            for (int i = 0; i < CALLS; i++) {
                int target = random.nextInt(model.size);
                long[] slice = model.slices[target][writer];
                RemotePart part = memory.at(target).elements();
                switch (random.nextInt(11)) {
                    case 0 -> put(part, slice, values());
                    case 1 -> putStrided(memory.at(target), slice);
                    case 2 -> get(part, slice);
                    case 3 -> getStrided(memory.at(target), slice);
                    case 4 -> getLater(part, slice);
                    case 5 -> accumulate(target);
                    case 6 ->
                        model.tickets.add(counters.at(target).fetchAddLong(8L * COUNTERS, 1) * model.size + target);
                    case 7 -> lock(target);
                    case 8 -> fence(target);
                    case 9 -> notifyOf(target, slice);
                    default -> aggregate(slice, target);
                }
            }
            requests.forEach(Request::await);
        }

        private long start() {
            return (long) writer * SLICE;
        }

        private long[] values() {
            int count = random.nextInt(4) == 0 ? random.nextInt(SLICE) : random.nextInt(100);
            return random.longs(count).toArray();
        }

        private void put(RemotePart part, long[] slice, long[] values) {
            int at = random.nextInt(SLICE - values.length);
            if (random.nextBoolean()) {
                part.put(start() + at, values);
            } else {
                try (Arena arena = Arena.ofConfined()) {
                    part.put(start() + at, Span.of(arena.allocateFrom(ValueLayout.JAVA_LONG, values), DataType.LONG));
                }
            }
            System.arraycopy(values, 0, slice, at, values.length);
        }

        private Section columns(int count) {
            return Section.strided(DataType.LONG, start(), 2, new long[]{count}, new long[]{5});
        }

        private void putStrided(RemotePart part, long[] slice) {
            long[] values = random.longs(2 * (1 + random.nextInt(SLICE / 5))).toArray();
            part.put(columns(values.length / 2), Span.of(values), Section.of(DataType.LONG, 0, values.length));
            for (int i = 0; i < values.length; i++) {
                slice[i / 2 * 5 + i % 2] = values[i];
            }
        }

        private void get(RemotePart part, long[] slice) {
            int count = random.nextInt(random.nextBoolean() ? 50 : SLICE);
            int at = random.nextInt(SLICE - count);
            long[] got = new long[count];
            part.get(start() + at, got);
            assertThat(got).isEqualTo(Arrays.copyOfRange(slice, at, at + count));
        }

        private void getStrided(RemotePart part, long[] slice) {
            long[] got = new long[2 * (1 + random.nextInt(SLICE / 5))];
            part.get(columns(got.length / 2), Span.of(got), Section.of(DataType.LONG, 0, got.length));
            for (int i = 0; i < got.length; i++) {
                assertThat(got[i]).isEqualTo(slice[i / 2 * 5 + i % 2]);
            }
        }

        private void getLater(RemotePart part, long[] slice) {
            int count = random.nextInt(200);
            int at = random.nextInt(SLICE - count);
            long[] got = new long[count];
            Request request = part.nonBlocking().get(start() + at, got);
            if (random.nextBoolean()) {
                request.await();
                assertThat(got).isEqualTo(Arrays.copyOfRange(slice, at, at + count));
            } else {
                requests.add(request); // more are on their way than there are places for
            }
        }

        private void accumulate(int target) {
            int count = 1 + random.nextInt(COUNTERS / 4);
            long[] values = random.longs(count, -9, 9).toArray();
            boolean strided = random.nextBoolean();
            int at = random.nextInt(COUNTERS - 3 * count);
            if (strided) {
                counters.at(target).accumulate(
                        Section.strided(DataType.LONG, at, 1, new long[]{count}, new long[]{3}), Span.of(values),
                        Section.of(DataType.LONG, 0, count), 2);
            } else {
                counters.at(target).elements().accumulate(at, values, Reduction.SUM);
            }
            for (int i = 0; i < count; i++) {
                model.sums.addAndGet(target * COUNTERS + at + (strided ? 3 * i : i),
                        strided ? 2 * values[i] : values[i]);
            }
        }

        /** All threads of all ranks want the same few mutexes. */
        private void lock(int target) {
            boolean locked = true;
            switch (random.nextInt(3)) {
                case 0 -> locked = mutexes.tryLock(0, target);
                case 1 -> locked = mutexes.tryLock(0, target, Duration.ofNanos(random.nextInt(200_000)));
                default -> mutexes.lock(0, target);
            }
            if (locked) {
                long[] value = new long[1];
                counters.at(target).get(8L * COUNTERS + 8, value);
                assertThat(value[0]).isEqualTo(model.locked[target]);
                value[0]++;
                model.locked[target]++;
                counters.at(target).put(8L * COUNTERS + 8, value);
                mutexes.unlock(0, target);
            }
        }

        /** After a fence the target sees what was put, which it looks for when it knows that. */
        private void fence(int target) {
            int own = self * THREADS + writer % THREADS;
            int place = target * model.size * THREADS + own;
            long more = model.promised.get(place) + 1;
            memory.at(target).put(promise(own), new long[]{more});
            if (random.nextBoolean()) {
                memory.fence(target);
            } else {
                memory.fenceAll();
            }
            model.promised.set(place, more);
            for (int from = 0; from < model.size * THREADS; from++) {
                long promised = model.promised.get(self * model.size * THREADS + from);
                assertThat((long) ValueLayout.JAVA_LONG.varHandle().getVolatile(memory.local(), promise(from)))
                        .isGreaterThanOrEqualTo(promised);
            }
        }

        private long promise(int from) {
            return 8L * (model.size * THREADS * SLICE + from);
        }

        private void notifyOf(int target, long[] slice) {
            int at = random.nextInt(SLICE - 10);
            long[] values = random.longs(10).toArray();
            int word = random.nextInt(NOTIFIED);
            memory.at(target).elements().putNotify(start() + at, values, word);
            System.arraycopy(values, 0, slice, at, 10);
            model.notified.incrementAndGet(target * NOTIFIED + word);
        }

        private void aggregate(long[] slice, int target) {
            Aggregate aggregate = memory.aggregate();
            long[] got = new long[20];
            for (int i = 0; i < 5; i++) {
                int at = random.nextInt(SLICE);
                long value = random.nextLong();
                aggregate.at(target).elements().put(start() + at, new long[]{value});
                slice[at] = value;
            }
            aggregate.at(target).get(Section.strided(DataType.LONG, start(), 1, new long[]{20}, new long[]{7}),
                    Span.of(got), Section.of(DataType.LONG, 0, 20));
            aggregate.await();
            for (int i = 0; i < 20; i++) {
                assertThat(got[i]).isEqualTo(slice[7 * i]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldDoWhatAllThreadsCall(OneSidedTest.Shape shape) {
        int size = shape.size();
        Model model = new Model(size);
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            try (RemoteMemory memory = world.allocate(DataType.LONG, (long) size * THREADS * (SLICE + 1));
                    RemoteMemory counters = world.allocate(DataType.LONG, COUNTERS + 2);
                    Mutexes mutexes = counters.allocateMutexes(1)) {
                runThreads(THREADS, thread -> new Caller(model, world, memory, counters, mutexes, thread).call());
                memory.barrier();
                counters.barrier();
                for (int from = 0; from < size * THREADS; from++) {
                    assertThat(memory.local().asSlice(8L * from * SLICE, 8L * SLICE).toArray(ValueLayout.JAVA_LONG))
                            .isEqualTo(model.slices[self][from]);
                }
                for (int i = 0; i < COUNTERS; i++) {
                    assertThat(counters.local().getAtIndex(ValueLayout.JAVA_LONG, i))
                            .isEqualTo(model.sums.get(self * COUNTERS + i));
                }
                long tickets = counters.at(self).fetchLong(8L * COUNTERS);
                assertThat(model.tickets).filteredOn(ticket -> ticket % size == self).hasSize((int) tickets);
                assertThat(counters.at(self).fetchLong(8L * COUNTERS + 8)).isEqualTo(model.locked[self]);
                for (int word = 0; word < NOTIFIED; word++) {
                    assertThat(memory.notifications(word)).isEqualTo(model.notified.get(self * NOTIFIED + word));
                }
                memory.barrier();
            }
        });
    }

    /** Rank 0 has a thread for every two words, which takes what comes there in any order; others notify. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldTakeEachNotificationOnce(OneSidedTest.Shape shape) {
        int each = 300;
        int words = 40;
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int all = each * THREADS * world.size();
            AtomicInteger taken = new AtomicInteger();
            try (RemoteMemory memory = world.allocate(DataType.INT, 1, words)) {
                if (world.rank() == 0) {
                    Thread notifying = Thread.ofPlatform().start(() -> notifyAll(memory, each * THREADS));
                    runThreads(THREADS, thread -> {
                        for (int i = thread; i < all; i += THREADS) {
                            if (i % 3 == 0) {
                                memory.awaitMore(39, 1);
                            } else {
                                assertThat(memory.awaitAny(17, 0)).isIn(0, 17);
                            }
                            taken.incrementAndGet();
                        }
                    });
                    notifying.join();
                    assertThat(taken.get()).isEqualTo(all);
                } else {
                    runThreads(THREADS, _ -> notifyAll(memory, each));
                }
                memory.barrier();
            }
        });
    }

    private static void notifyAll(RemoteMemory memory, int count) {
        for (int i = 0; i < count; i++) {
            memory.at(0).putNotify(0, new int[0], i % 3 == 0 ? 39 : i % 3 == 1 ? 0 : 17);
        }
    }

    /** Each thread waits for a mutex of its own, which is given back in an order that nobody knows. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldWaitForSeveralMutexesAtOnce(OneSidedTest.Shape shape) {
        int rounds = 40;
        shape.runner().accept(job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, THREADS);
                    Mutexes mutexes = memory.allocateMutexes(THREADS)) {
                runThreads(THREADS, thread -> {
                    Random random = new Random(world.rank() * 31L + thread);
                    for (int i = 0; i < rounds; i++) {
                        int home = random.nextInt(world.size());
                        int index = random.nextInt(4) == 0 ? random.nextInt(THREADS) : thread;
                        if (i % 4 == 3 && !mutexes.tryLock(index, home, Duration.ofNanos(50_000))) {
                            mutexes.lock(index, home);
                        } else if (i % 4 != 3) {
                            mutexes.lock(index, home);
                        }
                        long[] value = new long[1];
                        memory.at(home).get(8L * index, value);
                        value[0]++;
                        memory.at(home).put(8L * index, value);
                        mutexes.unlock(index, home);
                    }
                });
                memory.barrier();
                long[] sum = {Arrays.stream(memory.local().toArray(ValueLayout.JAVA_LONG)).sum()};
                world.allreduce(sum, Reduction.SUM);
                assertThat(sum[0]).isEqualTo((long) rounds * THREADS * world.size());
            }
        });
    }

    @Test
    void shouldHoldAMutexByOneThreadOfARank() {
        LocalNodes.run(new int[]{0, 1}, job -> {
            try (RemoteMemory memory = job.world().allocate(0); Mutexes mutexes = memory.allocateMutexes(2)) {
                CountDownLatch locked = new CountDownLatch(1);
                CountDownLatch tried = new CountDownLatch(1);
                int index = job.rank();
                runThreads(2, thread -> {
                    if (thread == 0) {
                        mutexes.lock(index, 1);
                        locked.countDown();
                        await(tried);
                        mutexes.unlock(index, 1);
                    } else {
                        await(locked);
                        assertThat(mutexes.tryLock(index, 1)).isFalse();
                        assertThat(mutexes.tryLock(index, 1, Duration.ofMillis(5))).isFalse();
                        assertThatThrownBy(() -> mutexes.unlock(index, 1)).isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("another thread of it holds it");
                        tried.countDown();
                        mutexes.lock(index, 1);
                        mutexes.unlock(index, 1);
                    }
                });
            }
        });
    }

    /** The arrays that a part remembers are those of several threads: each must get its own. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGiveEachThreadWhatItAskedForIntoArraysThatAreUsedAgain(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int last = world.size() - 1;
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1000)) {
                for (int i = 0; i < 1000; i++) {
                    memory.local().setAtIndex(ValueLayout.JAVA_LONG, i, i);
                }
                memory.barrier();
                runThreads(THREADS, thread -> {
                    long[][] arrays = IntStream.range(1, 7).mapToObj(length -> new long[10 * length + thread])
                            .toArray(long[][]::new);
                    for (int i = 0; i < 1500; i++) {
                        long[] array = arrays[i % arrays.length];
                        int at = (i * 7 + thread) % 900;
                        memory.at(last).elements().get(at, array);
                        for (int k = 0; k < array.length; k++) {
                            assertThat(array[k]).isEqualTo(at + k);
                        }
                    }
                });
                memory.barrier();
            }
        });
    }

    @Test
    void shouldShareAnAggregateAmongThreads() {
        LocalNodes.run(new int[]{0, 1}, job -> {
            try (RemoteMemory memory = job.world().allocate(DataType.LONG, 5000)) {
                MemorySegment local = memory.local();
                IntStream.range(0, 5000).forEach(i -> local.setAtIndex(ValueLayout.JAVA_LONG, i, i));
                memory.barrier();
                Aggregate aggregate = memory.aggregate();
                runThreads(THREADS, thread -> {
                    for (int round = 0; round < 30; round++) {
                        long[][] got = new long[40][3];
                        for (int i = 0; i < got.length; i++) {
                            aggregate.at(1 - job.rank()).elements().get(100L * i + thread, got[i]);
                        }
                        aggregate.await();
                        for (int i = 0; i < got.length; i++) {
                            long first = 100L * i + thread;
                            assertThat(got[i]).containsExactly(first, first + 1, first + 2);
                        }
                    }
                });
                memory.barrier();
            }
        });
    }

    /** Threads that share a carrier with the holder must let it run, however short they wait. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldLetVirtualThreadsTryMutexesForAShortTime(int nodeOfSecond) {
        LocalNodes.run(new int[]{0, nodeOfSecond}, job -> {
            try (RemoteMemory memory = job.world().allocate(DataType.LONG, 1);
                    Mutexes mutexes = memory.allocateMutexes(1)) {
                List<Thread> threads = IntStream.range(0, THREADS).mapToObj(thread -> Thread.ofVirtual().start(() -> {
                    long[] value = new long[1];
                    for (int i = 0; i < 20; i++) {
                        while (!mutexes.tryLock(0, 0, Duration.ofNanos(1000L * i))) {
                            Thread.onSpinWait();
                        }
                        memory.at(0).get(0, value);
                        value[0]++;
                        memory.at(0).put(0, value);
                        mutexes.unlock(0, 0);
                    }
                })).toList();
                for (Thread thread : threads) {
                    thread.join();
                }
                memory.barrier();
                if (job.rank() == 0) {
                    assertThat(memory.local().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2L * 20 * THREADS);
                }
                memory.barrier();
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
