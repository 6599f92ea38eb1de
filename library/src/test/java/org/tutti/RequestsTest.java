/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls on remote memory that are not waited for, near and far, against plain computations. */
@Timeout(300)
class RequestsTest {
    private static final int ELEMENTS = 20_000;
    private static final Set<String> CALLS =
            Set.of("put", "putNotify", "get", "accumulate", "accumulateComplex", "replace");

    static List<OneSidedTest.Shape> shapes() {
        return OneSidedTest.shapes().toList();
    }

    @Test
    void shouldHaveTheSameCallsAsThePartThatWaits() {
        assertThat(calls(NonBlockingPart.class, Request.class)).isEqualTo(calls(RemotePart.class, void.class))
                .hasSizeGreaterThan(30);
    }

    private static Set<String> calls(Class<?> face, Class<?> returned) {
        return Arrays.stream(face.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> CALLS.contains(method.getName()) && method.getReturnType() == returned)
                .map(RequestsTest::signature).collect(Collectors.toSet());
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }

    private static long element(int rank, long index) {
        return rank * 1_000_003L + index * 7;
    }

    private static void fill(RemoteMemory memory, int rank) {
        for (int i = 0; i < ELEMENTS; i++) {
            memory.local().setAtIndex(ValueLayout.JAVA_LONG, i, element(rank, i));
        }
    }

    private static void check(long[] got, int rank, int from) {
        for (int i = 0; i < got.length; i++) {
            assertThat(got[i]).as("element %d of %d", i, got.length).isEqualTo(element(rank, from + i));
        }
    }

    /** More gets at once than there are places for, of all ranks, awaited in an order of their own. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGetFromAllRanksAtOnce(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            Random random = new Random(world.rank());
            try (RemoteMemory memory = world.allocate(DataType.LONG, ELEMENTS)) {
                fill(memory, world.rank());
                memory.barrier();
                for (int round = 0; round < 3; round++) {
                    List<Request> requests = new ArrayList<>();
                    List<long[]> arrays = new ArrayList<>();
                    int[] from = new int[200];
                    for (int i = 0; i < from.length; i++) {
                        long[] array = new long[random.nextInt(i % 10 == 0 ? 9000 : 50)];
                        from[i] = random.nextInt(ELEMENTS - array.length + 1);
                        arrays.add(array);
                        requests.add(memory.at(i % world.size()).nonBlocking().get(8L * from[i], array));
                    }
                    for (int i = from.length - 1; i >= 0; i--) {
                        int which = (i + 77) % from.length;
                        if (i % 2 == 0) {
                            requests.get(which).await();
                        } else {
                            assertThat(requests.get(which).await(Duration.ofSeconds(20))).isTrue();
                        }
                        assertThat(requests.get(which).isDone()).isTrue();
                        check(arrays.get(which), which % world.size(), from[which]);
                    }
                }
                memory.barrier();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldDoAllCallsOfAnAggregate(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int self = world.rank();
            int size = world.size();
            try (RemoteMemory memory = world.allocate(DataType.LONG, ELEMENTS);
                    RemoteMemory counters = world.allocate(DataType.LONG, 8L * size)) {
                fill(memory, self);
                memory.barrier();
                Aggregate aggregate = memory.aggregate();
                Section columns = Section.strided(80, 16, new long[]{50}, new long[]{160});
                for (int round = 0; round < 3; round++) {
                    long[][] wholes = new long[size][300];
                    long[][] cut = new long[size][100];
                    Aggregate adding = counters.aggregate();
                    for (int rank = 0; rank < size; rank++) {
                        assertThat(aggregate.at(rank).get(8, wholes[rank])).isSameAs(aggregate);
                        aggregate.at(rank).get(columns, Span.of(cut[rank]), Section.of(0, 800));
                        for (int i = 0; i < 4; i++) {
                            adding.at(rank).accumulate(64L * self + 8 * i, new long[]{i + 1L}, Reduction.SUM);
                            adding.at(rank).put(64L * self + 32 + 8 * i, new long[]{round * 10 + i});
                        }
                    }
                    aggregate.await();
                    adding.await();
                    for (int rank = 0; rank < size; rank++) {
                        check(wholes[rank], rank, 1);
                        for (int i = 0; i < 100; i++) {
                            assertThat(cut[rank][i]).isEqualTo(element(rank, 10 + 20 * (i / 2) + i % 2));
                        }
                    }
                    counters.barrier();
                    for (int i = 0; i < 8 * size; i++) {
                        assertThat(counters.local().getAtIndex(ValueLayout.JAVA_LONG, i))
                                .isEqualTo(i % 8 < 4 ? (round + 1L) * (i % 8 + 1) : round * 10 + i % 8 - 4);
                    }
                    counters.barrier();
                }
                assertThat(aggregate.isDone()).isTrue();
                assertThat(aggregate.await(Duration.ZERO)).isTrue();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldBeDoneWithPutsWhenTheyReturn(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int next = (world.rank() + 1) % world.size();
            int from = (world.rank() + world.size() - 1) % world.size();
            try (RemoteMemory memory = world.allocate(DataType.LONG, 1000)) {
                long[] source = new long[10];
                List<Request> requests = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    Arrays.fill(source, element(world.rank(), i));
                    requests.add(memory.at(next).nonBlocking().put(80L * i, source));
                }
                requests.add(memory.at(next).nonBlocking().accumulate(0, new long[]{5}, 2));
                requests.add(memory.at(next).nonBlocking().replace(8, Span.of(new long[]{-1})));
                requests.add(memory.at(next).nonBlocking().putNotify(16, Span.of(new long[]{-2}), 1));
                assertThat(requests).allMatch(Request::isDone);
                Request.awaitAll(requests.toArray(Request[]::new));
                memory.awaitNotifications(1, 1);
                memory.barrier();
                for (int i = 3; i < 1000; i++) {
                    assertThat(memory.local().getAtIndex(ValueLayout.JAVA_LONG, i)).isEqualTo(element(from, i / 10));
                }
                assertThat(memory.local().getAtIndex(ValueLayout.JAVA_LONG, 0)).isEqualTo(element(from, 0) + 10);
                assertThat(memory.local().getAtIndex(ValueLayout.JAVA_LONG, 1)).isEqualTo(-1);
                assertThat(memory.local().getAtIndex(ValueLayout.JAVA_LONG, 2)).isEqualTo(-2);
            }
        });
    }

    /** The places for requests are shared by the ranks of a process: who has asked must not keep the others out. */
    @Test
    void shouldLetOthersCallWhileSomebodyDoesNotAwaitHisGets() {
        LocalNodes.run(new int[]{0, 0, 0, 1}, job -> {
            Communicator world = job.world();
            RemoteMemory memory = world.allocate(DataType.LONG, ELEMENTS);
            fill(memory, world.rank());
            memory.barrier();
            List<long[]> arrays = new ArrayList<>();
            if (world.rank() < 2) {
                for (int i = 0; i < 60; i++) {
                    arrays.add(new long[100]);
                    memory.at(3).nonBlocking().get(800L * i, arrays.get(i));
                }
            }
            world.barrier();
            long[] own = new long[ELEMENTS];
            if (world.rank() == 2) {
                memory.at(3).get(0, own);
                check(own, 3, 0);
                memory.at(3).get(Section.strided(0, 8, new long[]{100}, new long[]{24}), Span.of(own),
                        Section.of(0, 800));
                assertThat(own[99]).isEqualTo(element(3, 297));
                assertThat(memory.at(3).fetchAddLong(0, 0)).isEqualTo(element(3, 0));
            }
            world.barrier();
            memory.close(); // waits for what nobody has awaited
            for (int i = 0; i < arrays.size(); i++) {
                check(arrays.get(i), 3, 100 * i);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldCompleteStagesAndBeAwaitedByOtherThreads(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int last = world.size() - 1;
            try (RemoteMemory memory = world.allocate(DataType.LONG, ELEMENTS)) {
                fill(memory, world.rank());
                memory.barrier();
                long[] some = new long[ELEMENTS];
                AtomicReference<Long> seen = new AtomicReference<>();
                Request request = memory.at(last).nonBlocking().get(0, some);
                var stage = request.completion().thenRun(() -> seen.set(some[ELEMENTS - 1])).toCompletableFuture();
                AtomicReference<Throwable> failure = new AtomicReference<>();
                Thread other = Thread.ofPlatform().start(() -> {
                    try {
                        request.await();
                        check(some, last, 0);
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                });
                request.await();
                stage.get(20, TimeUnit.SECONDS);
                assertThat(seen.get()).isEqualTo(element(last, ELEMENTS - 1));
                other.join();
                assertThat(failure.get()).isNull();
                memory.barrier();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldRefuseMistakesInTheCallItself(OneSidedTest.Shape shape) {
        shape.runner().accept(job -> {
            Communicator world = job.world();
            int last = world.size() - 1;
            RemoteMemory memory = world.allocate(16);
            NonBlockingPart part = memory.at(last).nonBlocking();
            assertThat(memory.at(last).nonBlocking()).isSameAs(part);
            Aggregate aggregate = memory.aggregate();
            assertThatThrownBy(() -> part.get(9, new long[1])).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> aggregate.at(last).put(16, new byte[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> aggregate.at(last + 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> part.accumulate(0, new double[1], Reduction.BITWISE_OR))
                    .isInstanceOf(IllegalArgumentException.class);
            try (Arena arena = Arena.ofConfined()) {
                assertThatThrownBy(() -> part.get(0, arena.allocate(8))).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("Arena.ofShared");
            }
            assertThat(part.get(16, new long[0]).isDone()).isTrue();
            aggregate.await();
            memory.close();
            assertThatThrownBy(() -> part.get(0, new long[1])).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> aggregate.at(last).put(0, new long[1])).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(memory::aggregate).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void shouldTellWhoAwaitsWhatHasFailed() {
        CountDownLatch begun = new CountDownLatch(1);
        assertThatThrownBy(() -> LocalNodes.run(new int[]{0, 1, 2}, job -> {
            Communicator world = job.world();
            RemoteMemory memory = world.allocate(DataType.LONG, ELEMENTS);
            if (world.rank() == 2) {
                if (!begun.await(20, TimeUnit.SECONDS)) {
                    throw new AssertionError("rank 0 has not begun");
                }
                throw new IllegalStateException("this rank fails");
            }
            if (world.rank() == 1) {
                assertThatThrownBy(world::barrier).isInstanceOf(TuttiException.class);
                return;
            }
            Aggregate aggregate = memory.aggregate();
            begun.countDown();
            RankFailedException failure = null;
            while (failure == null) {
                try {
                    aggregate.at(2).get(0, new long[1000]);
                    aggregate.await();
                } catch (RankFailedException e) {
                    failure = e;
                }
            }
            assertThat(failure.rank()).isEqualTo(2);
            Request request = aggregate;
            assertThatThrownBy(memory::close).isInstanceOf(RankFailedException.class);
            assertThat(request.isDone()).isTrue();
        })).hasStackTraceContaining("this rank fails");
    }

    @Test
    void shouldGoOnAfterAnInterruptOrATimeout() {
        LocalNodes.run(new int[]{0, 1}, job -> {
            Communicator world = job.world();
            try (RemoteMemory memory = world.allocate(DataType.LONG, ELEMENTS)) {
                fill(memory, world.rank());
                memory.barrier();
                if (world.rank() == 0) {
                    for (int round = 0; round < 50; round++) {
                        long[] some = new long[ELEMENTS];
                        Request request = memory.at(1).nonBlocking().get(0, some);
                        request.await(Duration.ofNanos(1));
                        Thread.currentThread().interrupt();
                        try {
                            request.await();
                        } catch (CallInterruptedException e) {
                            assertThat(e).hasMessageContaining("can be awaited again");
                        }
                        assertThat(Thread.interrupted()).isTrue();
                        request.await();
                        check(some, 1, 0);
                    }
                }
                memory.barrier();
            }
        });
    }
}
