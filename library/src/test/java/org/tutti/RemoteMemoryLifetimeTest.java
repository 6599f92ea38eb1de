/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Remote memory that ends while others are at work on it, and comes again as other memory. */
@Timeout(300)
class RemoteMemoryLifetimeTest {
    private static final int ALLOCATIONS = 120;
    private static final int SLICE_BYTES_MAX = 60_000;
    private static final byte MARK = (byte) 255;

    record Shape(String name, Consumer<Program> runner) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Shape nodes(Threads threads, int rails, int... nodeOfRank) {
        return new Shape("nodes " + Arrays.toString(nodeOfRank) + " " + rails + " rails " + threads,
                program -> LocalNodes.run(nodeOfRank, threads, rails, program));
    }

    static Stream<Shape> shapes() {
        return Stream.of(nodes(Threads.PLATFORM, 1, 0, 0, 0), nodes(Threads.VIRTUAL, 1, 0, 0, 0, 0),
                nodes(Threads.PLATFORM, 1, 0, 1), nodes(Threads.PLATFORM, 2, 0, 0, 1, 1),
                nodes(Threads.VIRTUAL, 1, 0, 1, 2));
    }

    /** What a rank writes in one life of the memory; no two lives that follow each other have a value in common. */
    private static byte value(int life, int writer, int size) {
        return (byte) (1 + (life * size + writer) % 250);
    }

    /** One rank in one life of the memory, which ends for each when it has nothing more to do with it. */
    private static final class Life {
        private final RemoteMemory memory;
        private final Communicator world;
        private final int number;
        private final int slice;
        private final Random random;
        private final List<byte[]> givenUp;

        Life(RemoteMemory memory, Communicator world, int number, int slice, Random random, List<byte[]> givenUp) {
            this.memory = memory;
            this.world = world;
            this.number = number;
            this.slice = slice;
            this.random = random;
            this.givenUp = givenUp;
        }

        void live() {
            for (int calls = random.nextInt(8); calls > 0; calls--) {
                RemotePart part = memory.at(random.nextInt(world.size()));
                if (random.nextInt(3) == 0) {
                    Thread.currentThread().interrupt(); // ends calls that wait for other nodes
                }
                if (random.nextBoolean()) {
                    put(part);
                } else {
                    get(part);
                }
            }
        }

        private void put(RemotePart part) {
            long offset = (long) world.rank() * slice;
            try (Arena arena = Arena.ofShared()) {
                MemorySegment source = random.nextBoolean() ? arena.allocate(slice)
                        : MemorySegment.ofArray(new byte[slice]);
                part.put(offset, source.fill(value(number, world.rank(), world.size())));
            } catch (CallInterruptedException e) {
                assertThat(e).hasMessageContaining("was interrupted in put");
            } finally {
                Thread.interrupted();
            }
        }

        private void get(RemotePart part) {
            int writer = random.nextInt(world.size());
            byte[] found = new byte[slice];
            try {
                part.get((long) writer * slice, found);
                byte expected = value(number, writer, world.size());
                for (byte each : found) {
                    if (each != 0 && each != expected) {
                        throw new AssertionError("life " + number + ": rank " + world.rank() + " found " + each
                                + " in the slice of rank " + writer + " at rank " + part.rank());
                    }
                }
            } catch (CallInterruptedException _) {
                Arrays.fill(found, MARK); // it is this rank's again
                givenUp.add(found);
            } finally {
                Thread.interrupted();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldNotWriteToMemoryThatWasGivenOutAgain(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            Random common = new Random(5);
            Random own = new Random(world.rank());
            List<byte[]> givenUp = new ArrayList<>();
            for (int number = 0; number < ALLOCATIONS; number++) {
                int slice = 1 + common.nextInt(SLICE_BYTES_MAX);
                try (RemoteMemory memory = world.allocate((long) world.size() * slice)) {
                    new Life(memory, world, number, slice, own, givenUp).live();
                }
            }
            for (byte[] each : givenUp) {
                for (byte mark : each) {
                    assertThat(mark).isEqualTo(MARK);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldRefuseCallsOfARankThatHasLeftItsJob(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            RemoteMemory memory = world.allocate(64);
            memory.barrier();
            job.close();
            for (int rank = 0; rank < world.size(); rank++) {
                RemotePart part = memory.at(rank);
                List<ThrowingCallable> calls = List.of(() -> part.put(0, new byte[1]), () -> part.get(0, new byte[1]),
                        () -> part.swapLong(0, 1), () -> part.accumulate(0, new int[1], Reduction.SUM),
                        memory::fenceAll);
                for (ThrowingCallable call : calls) {
                    assertThatThrownBy(call).isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("rank " + world.rank()).hasMessageContaining("left its job");
                }
            }
            assertThatThrownBy(memory::close).hasMessageContaining("left its job");
        });
    }

    private static Set<Integer> others(Communicator world) {
        return IntStream.range(0, world.size()).filter(rank -> rank != world.rank()).boxed()
                .collect(Collectors.toSet());
    }

    /** What others do to the part of a rank that has left is done, or ends with a sentence that names it. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldNameTheRankThatHasLeftAmidTheCallsOfOthers(Shape shape) {
        for (int round = 0; round < 5; round++) {
            int turns = 1 << 2 * round;
            AtomicInteger ended = new AtomicInteger();
            shape.runner.accept(job -> {
                Communicator world = job.world();
                RemoteMemory memory = world.allocate(100_000);
                byte[] some = new byte[20_000];
                int leaver = world.size() - 1;
                assertThat(memory.at(leaver).size()).isEqualTo(100_000);
                if (world.rank() == leaver) {
                    for (int turn = 0; turn < turns; turn++) {
                        memory.at(0).put(0, some);
                    }
                    job.close(); // perhaps while the others are in the midst of something
                    return;
                }
                try {
                    for (int turn = 0; turn < 2 * turns; turn++) {
                        memory.at(leaver).put(0, some);
                        memory.at(leaver).get(0, some);
                        memory.at(leaver).accumulate(0, new double[100], Reduction.SUM);
                        memory.at(leaver).fetchAddLong(0, 1);
                        memory.fence(leaver);
                    }
                    memory.close();
                } catch (RankFailedException e) {
                    assertThat(e.rank()).isIn(others(world)); // one that has heard of it may have left as well
                    assertThat(e).hasMessageContaining("rank " + e.rank());
                    ended.incrementAndGet();
                }
            });
            assertThat(ended.get()).isPositive(); // who closes waits for one that will not come
        }
    }
}
