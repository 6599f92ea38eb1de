/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.Job;
import org.tutti.JobOptions.Threads;
import org.tutti.NonBlockingPart;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Request;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Puts and accumulates that are under way when they return. The process of ranks 1 and 2 reads nothing more while the
 * lock of a stripe is held and more accumulates have come than it defers; rank 3 is on a node of its own.
 */
@Timeout(120)
class NonBlockingPutTest {
    private static final int[] NODES = {0, 1, 1, 2};
    private static final int LONG_BYTES = 64 << 20;
    private static final long MARK = 0x0123_4567_89ab_cdefL;

    /** What the test does at rank 0 while the process of rank 1 is stuck. */
    private interface Stuck {
        void run(RemoteMemory memory, HeldPart held, MemorySegment source) throws Exception;
    }

    private static MemorySegment source() {
        MemorySegment source = Arena.ofAuto().allocate(LONG_BYTES, 8);
        for (long at = 0; at < LONG_BYTES; at += 8) {
            source.set(ValueLayout.JAVA_LONG, at, MARK + at);
        }
        return source;
    }

    private static void whileStuck(Duration deadline, Stuck stuck) {
        AtomicReference<HeldPart> held = new AtomicReference<>();
        LocalNodes.run(NODES, job -> {
            Communicator world = job.world();
            Communicator limited = deadline == null ? world : world.withDeadline(deadline);
            RemoteMemory holding = world.allocate(world.rank() == 1 ? HeldPart.PART_BYTES : 0);
            RemoteMemory memory = limited.allocate(world.rank() % 2 == 0 ? 0 : LONG_BYTES);
            if (world.rank() == 1) {
                held.set(HeldPart.hold(holding, 2));
            }
            memory.barrier();
            if (world.rank() == 0) {
                holding.at(1).nonBlocking().accumulate(0, new double[(int) HeldPart.PART_BYTES / 8], Reduction.SUM);
                try {
                    stuck.run(memory, held.get(), source());
                } finally {
                    held.get().close();
                }
            }
            if (deadline != null) {
                world.barrier(); // the deadline of the memory holds for its close, too
            }
            memory.close();
            holding.close();
        });
    }

    /** Lets the other process go on, some time after the caller has begun to wait. */
    private static AtomicBoolean releaseLater(HeldPart held) {
        AtomicBoolean released = new AtomicBoolean();
        Thread.ofPlatform().start(() -> {
            try {
                Thread.sleep(300);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            released.set(true);
            held.close();
        });
        return released;
    }

    @Test
    void shouldBeDoneWhenTheTargetHasTakenTheBytes() {
        whileStuck(null, (memory, held, source) -> {
            NonBlockingPart part = memory.at(1).nonBlocking();
            Request put = part.put(0, source);
            assertThat(put.isDone()).isFalse();
            assertThat(put.await(Duration.ofMillis(300))).isFalse();
            long[] late = {1, 2, 3};
            Request next = part.put(8, late);
            assertThat(next.isDone()).as("a short put after a long one into the same part").isFalse();
            Request other = memory.at(3).nonBlocking().put(0, source);
            assertThat(Request.awaitAny(put, next, other)).as("another target").isEqualTo(2);
            assertThat(put.isDone()).isFalse();
            held.close();
            Request.awaitAll(next, put);
            assertThat(put.isDone() && next.isDone()).isTrue();
            source.fill((byte) 0); // it is the caller's again
            memory.fenceAll();
            long[] got = new long[LONG_BYTES / 8];
            for (int rank : new int[]{1, 3}) {
                memory.at(rank).get(0, got);
                assertThat(got[0]).isEqualTo(MARK);
                for (int i = 1; i < got.length; i++) {
                    if (got[i] != (rank == 1 && i <= 3 ? i : MARK + 8L * i)) {
                        throw new AssertionError("element " + i + " at rank " + rank + " is " + got[i]);
                    }
                }
            }
        });
    }

    /** Each of these calls comes after the put, and so ends only when the other process has gone on. */
    @ParameterizedTest
    @ValueSource(strings = {"fence", "fenceAll", "get", "put", "fetchAdd", "section", "close"})
    void shouldMakeLaterCallsWait(String name) {
        whileStuck(null, (memory, held, source) -> {
            Request put = memory.at(1).nonBlocking().put(0, source);
            assertThat(put.isDone()).isFalse();
            AtomicBoolean released = releaseLater(held);
            long[] got = new long[4];
            switch (name) {
                case "fence" -> memory.fence(1);
                case "fenceAll" -> memory.fenceAll();
                case "get" -> memory.at(1).get(LONG_BYTES - 32, got);
                case "put" -> memory.at(1).put(0, source.asSlice(0, 8));
                case "fetchAdd" -> got[3] = memory.at(1).fetchAddLong(LONG_BYTES - 8, 0);
                case "section" -> memory.at(1).nonBlocking().get(Section.strided(LONG_BYTES - 32, 8, new long[]{2},
                        new long[]{24}), Span.of(got), Section.strided(0, 8, new long[]{2}, new long[]{24})).await();
                default -> memory.close();
            }
            assertThat(released.get()).as("the call has waited").isTrue();
            assertThat(put.isDone()).isTrue();
            if (name.equals("get") || name.equals("section") || name.equals("fetchAdd")) {
                assertThat(got[3]).isEqualTo(MARK + LONG_BYTES - 8);
            }
        });
    }

    @Test
    void shouldEndAtItsDeadline() {
        whileStuck(Duration.ofSeconds(2), (memory, held, source) -> {
            Request put = memory.at(1).nonBlocking().put(0, source);
            Request behind = memory.at(1).nonBlocking().put(0, new byte[8]);
            assertThatThrownBy(put::await).isInstanceOf(DeadlineExceededException.class).hasMessageContaining("in put");
            assertThat(put.isDone()).isTrue();
            held.close();
            try {
                behind.await();
            } catch (DeadlineExceededException e) {
                assertThat(e).hasMessageContaining("in put");
            }
        });
    }

    @Test
    void shouldTellOfAFailureOfTheTarget() {
        CountDownLatch begun = new CountDownLatch(1);
        assertThatThrownBy(() -> LocalNodes.run(NODES, job -> {
            Communicator world = job.world();
            RemoteMemory holding = world.allocate(HeldPart.PART_BYTES);
            RemoteMemory memory = world.allocate(world.rank() == 1 ? LONG_BYTES : 0);
            if (world.rank() == 1) {
                HeldPart.hold(holding, 2);
            }
            memory.barrier();
            if (world.rank() == 0) {
                holding.at(1).nonBlocking().accumulate(0, new double[(int) HeldPart.PART_BYTES / 8], Reduction.SUM);
                Request put = memory.at(1).nonBlocking().put(0, source());
                Request behind = memory.at(1).nonBlocking().put(0, new byte[100]);
                assertThat(put.isDone()).isFalse();
                begun.countDown();
                for (Request each : List.of(put, behind)) {
                    assertThatThrownBy(each::await).isInstanceOf(RankFailedException.class).hasMessageContaining("1");
                    assertThat(each.isDone()).isTrue();
                }
                assertThatThrownBy(memory::close).isInstanceOf(RankFailedException.class);
            } else if (world.rank() == 1) {
                assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
                throw new IllegalStateException("this rank fails");
            }
        })).hasStackTraceContaining("this rank fails"); // its memory is gone, and the lock with it
    }

    @Test
    void shouldFenceAllMemoriesOfAJob() {
        AtomicReference<HeldPart> held = new AtomicReference<>();
        AtomicReference<MemorySegment> accumulated = new AtomicReference<>();
        LocalNodes.run(NODES, job -> {
            Communicator world = job.world();
            try (Communicator group = world.duplicate();
                    RemoteMemory first = world.allocate(HeldPart.PART_BYTES);
                    RemoteMemory second = group.allocate(HeldPart.PART_BYTES)) {
                if (world.rank() == 1) {
                    held.set(HeldPart.hold(second, 2));
                    accumulated.set(second.local());
                }
                first.barrier();
                second.barrier();
                if (world.rank() == 0) {
                    fence(job, first, second, held.get());
                    assertThat(accumulated.get().get(ValueLayout.JAVA_DOUBLE, 0)).isEqualTo(3);
                    assertThat(accumulated.get().get(ValueLayout.JAVA_DOUBLE, HeldPart.PART_BYTES - 8)).isEqualTo(3);
                }
                world.barrier();
                assertThat(first.local().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(world.rank() == 3 ? MARK + 8 : 0);
            }
            job.fenceAll(); // there is nothing to fence
            job.close();
            assertThatThrownBy(job::fenceAll).isInstanceOf(IllegalStateException.class);
        });
    }

    private static void fence(Job job, RemoteMemory first, RemoteMemory second, HeldPart held) {
        double[] threes = new double[(int) HeldPart.PART_BYTES / 8];
        Arrays.fill(threes, 3);
        first.at(3).put(0, source().asSlice(0, HeldPart.PART_BYTES));
        second.at(1).nonBlocking().accumulate(0, threes, Reduction.SUM);
        AtomicBoolean released = releaseLater(held);
        job.fenceAll();
        assertThat(released.get()).as("the fence has waited for the second memory").isTrue();
    }

    /** A slice of every part belongs to each rank, which changes it by calls of any length, in any mixture. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepTheOrderOfCallsIntoOnePart(boolean isVirtual) {
        int slice = 60_000;
        LocalNodes.run(new int[]{0, 1, 1}, isVirtual ? Threads.VIRTUAL : Threads.PLATFORM, 1, job -> {
            Communicator world = job.world();
            int self = world.rank();
            Random random = new Random(self);
            try (RemoteMemory memory = world.allocate(DataType.LONG, 3L * slice)) {
                memory.barrier();
                long[][] expected = new long[3][slice];
                List<Request> requests = new ArrayList<>();
                for (int i = 0; i < 300; i++) {
                    int target = random.nextInt(3);
                    requests.add(change(memory, target, self * slice, expected[target], random));
                    Request any = requests.get(random.nextInt(requests.size()));
                    switch (random.nextInt(12)) {
                        case 0 -> any.await();
                        case 1 -> any.isDone();
                        case 2 -> any.await(Duration.ofNanos(random.nextInt(100_000)));
                        case 3 -> Request.awaitAny(requests.toArray(Request[]::new));
                        case 4 -> check(memory, target, self * slice, expected[target]);
                        default -> {
                        }
                    }
                }
                Request.awaitAll(requests.toArray(Request[]::new));
                for (int target = 0; target < 3; target++) {
                    check(memory, target, self * slice, expected[target]);
                }
                memory.barrier();
            }
        });
    }

    private static void check(RemoteMemory memory, int target, int from, long[] expected) {
        long[] got = new long[expected.length];
        memory.at(target).elements().get(from, got);
        assertThat(Arrays.mismatch(got, expected)).isEqualTo(-1);
    }

    private static Request change(RemoteMemory memory, int target, int from, long[] expected, Random random) {
        int count = random.nextInt(random.nextInt(3) == 0 ? expected.length : 100);
        int at = random.nextInt(expected.length - count + 1);
        long[] source = random.longs(count).toArray();
        NonBlockingPart part = memory.at(target).nonBlocking().elements();
        if (random.nextBoolean()) {
            System.arraycopy(source, 0, expected, at, count);
            return random.nextBoolean() ? part.put(from + at, source) : part.replace(from + at, Span.of(source));
        }
        if (random.nextBoolean()) {
            for (int i = 0; i < count; i++) {
                expected[at + i] += source[i];
            }
            return part.accumulate(from + at, source, Reduction.SUM);
        }
        int runs = count / 2;
        for (int i = 0; i < runs; i++) {
            expected[at + 2 * i] = source[i];
        }
        Section there = Section.strided(DataType.LONG, from + at, 1, new long[]{runs}, new long[]{2});
        return part.put(there, Span.of(source), Section.of(DataType.LONG, 0, runs));
    }
}
