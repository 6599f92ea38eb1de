/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.job.LocalNodes;
import org.tutti.memory.Waits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls that are made once and done many times. */
@Timeout(300)
class PreparedTest {
    private static final int[] COUNTS = {0, 1, 700, 20_000, 1_000_000}; // the last is several operations
    private static final int TIMES = 3;
    private static final JobOptions PLATFORM = JobOptions.DEFAULT.withThreads(Threads.PLATFORM);

    private record Shape(String name, Consumer<Program> runner) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Shape> shapes() {
        return Stream.of(new Shape("2 platform threads", program -> Tutti.runLocal(2, PLATFORM, program)),
                new Shape("1 rank", program -> Tutti.runLocal(1, PLATFORM, program)),
                new Shape("3 ranks on 2 nodes", program -> LocalNodes.run(new int[]{0, 1, 0}, program)));
    }

    private static void fill(int[] values, int rank, int time) {
        Arrays.setAll(values, i -> element(rank, i, time));
    }

    private static int element(int rank, int index, int time) {
        return (rank + 2) * (index + 17) + time;
    }

    private static int sum(int ranks, int index, int time) {
        int sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            sum += element(rank, index, time);
        }
        return sum;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldDoTheSameEachTimeAsACallThatIsMadeThen(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            PreparedCommunicator prepare = world.prepare();
            int rank = world.rank();
            int last = world.size() - 1;
            for (int count : COUNTS) {
                int[] source = new int[count];
                int[] sum = new int[count];
                int[] spread = new int[count];
                int[] gathered = new int[count * world.size()];
                int[] exchanged = new int[count * world.size()];
                int[] counts = new int[world.size()];
                Arrays.fill(counts, count);
                PreparedCall allreduce = prepare.allreduce(source, sum, Reduction.SUM);
                PreparedCall broadcast = prepare.broadcast(spread, last);
                PreparedCall allgather = prepare.allgather(source, gathered);
                PreparedCall exchange =
                        prepare.allToAll(gathered, Blocks.of(counts), exchanged, Blocks.of(counts));
                PreparedCall barrier = prepare.barrier();
                for (int time = 0; time < TIMES; time++) {
                    int now = time;
                    fill(source, rank, time);
                    fill(spread, rank, time);
                    barrier.run();
                    Request reduced = time == 1 ? allreduce.start() : null;
                    if (reduced == null) {
                        allreduce.run();
                    }
                    broadcast.run();
                    if (rank == 0 && time == 2) {
                        world.allgather(source, gathered); // what others have prepared
                    } else {
                        allgather.run();
                    }
                    if (reduced != null) {
                        reduced.await();
                    }
                    exchange.start().await();
                    for (int i = 0; i < count; i += 1 + count / 1000) {
                        assertThat(sum[i]).isEqualTo(sum(world.size(), i, now));
                        assertThat(spread[i]).isEqualTo(element(last, i, now));
                        for (int other = 0; other < world.size(); other++) {
                            assertThat(gathered[other * count + i]).isEqualTo(element(other, i, now));
                            assertThat(exchanged[other * count + i]).isEqualTo(element(rank, i, now));
                        }
                    }
                }
            }
        });
    }

    @Test
    void shouldBeInFlightOnceAtATime() {
        CountDownLatch latch = new CountDownLatch(1);
        Tutti.runLocal(2, PLATFORM, job -> {
            long[] one = {1};
            PreparedCall call = job.world().prepare().allreduce(one, Reduction.ofLongs("held", true, (left, right) -> {
                NonBlockingTest.awaitLatch(latch);
                return left + right;
            }));
            Request request = call.start();
            assertThatThrownBy(call::start).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("called allreduce by a prepared call that is in flight; await it first");
            assertThatThrownBy(call::run).isInstanceOf(IllegalStateException.class);
            job.world().barrier();
            latch.countDown();
            request.await();
            call.run();
            assertThat(one[0]).isEqualTo(4);
        });
    }

    @Test
    void shouldRefuseMemoryThatIsNotThereAnyMore() {
        Tutti.runLocal(2, PLATFORM, job -> {
            PreparedCall call;
            try (Arena arena = Arena.ofShared()) {
                call = job.world().prepare().allreduce(Span.of(arena.allocate(80), DataType.LONG), Reduction.SUM);
                call.run();
                job.world().barrier();
            }
            String message = "called allreduce by a prepared call whose memory lies in an arena that has been closed; "
                    + "prepare another one";
            assertThatThrownBy(call::run).isInstanceOf(IllegalStateException.class).hasMessageEndingWith(message);
            assertThatThrownBy(call::start).isInstanceOf(IllegalStateException.class).hasMessageEndingWith(message);
            job.world().barrier();
        });
    }

    @Test
    void shouldKeepNobodysArraysWhenItIsForgotten() {
        int calls = 8;
        Tutti.runLocal(2, PLATFORM, job -> {
            List<WeakReference<long[]>> arrays = new ArrayList<>();
            startAndForget(job.world(), calls, arrays);
            job.world().barrier();
            for (int i = 0; i < 100 && arrays.stream().anyMatch(each -> each.get() != null); i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertThat(arrays).hasSize(calls + 1).allMatch(each -> each.get() == null);
            job.world().barrier();
        });
    }

    private static void startAndForget(Communicator world, int calls, List<WeakReference<long[]>> arrays) {
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i <= calls; i++) {
            long[] array = new long[100_000];
            arrays.add(new WeakReference<>(array));
            PreparedCall call = world.prepare().allreduce(array, Reduction.SUM);
            if (i < calls) {
                requests.add(call.start());
            } else {
                call.run();
            }
        }
        Request.awaitAll(requests.toArray(Request[]::new));
    }

    /** The last time it waits for its whole deadline, though longer has passed since it was made and first run. */
    @Test
    void shouldHaveTheDeadlineOfItsCommunicatorEachTime() {
        Duration limit = Duration.ofMillis(200);
        CountDownLatch late = new CountDownLatch(1);
        AtomicReference<Thread> other = new AtomicReference<>();
        Tutti.runLocal(2, PLATFORM, job -> {
            if (job.rank() == 0) {
                other.set(Thread.currentThread());
                job.world().barrier();
                late.await();
                return;
            }
            PreparedCall barrier = job.world().withDeadline(limit).prepare().barrier();
            while (other.get() == null || Waits.of(other.get()).isEmpty()) { // so that the first time does not wait
                Thread.sleep(1);
            }
            barrier.run();
            Thread.sleep(limit);
            long start = System.nanoTime();
            assertThatThrownBy(barrier::run).isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("rank 1 passed its deadline in barrier while it waited for rank 0");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(limit);
            late.countDown();
        });
    }

    /** A call that returns a value has no place where a request could leave it. */
    @Test
    void shouldHaveEveryCallThatTheBlockingFaceHas() {
        Set<String> calls = calls(Communicator.class, void.class);
        calls.remove("close[]");
        assertThat(calls).hasSizeGreaterThan(200);
        Set<String> ofRequests = calls(NonBlockingCommunicator.class, Request.class);
        assertThat(ofRequests).containsAll(calls);
        assertThat(calls(PreparedCommunicator.class, PreparedCall.class)).isEqualTo(ofRequests);
        assertThat(calls(PreparedCommunicator.class, PreparedReceive.class)).isNotEmpty()
                .isEqualTo(calls(NonBlockingCommunicator.class, ReceiveRequest.class));
    }

    /** Booleans go by bytes that stand for them, which each time are those of the array as it is then. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldReadAndWriteBooleansEachTime(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int rank = world.rank();
            int last = world.size() - 1;
            boolean[] source = new boolean[3];
            boolean[] any = new boolean[3];
            boolean[] gathered = new boolean[3 * world.size() + 1];
            int[] counts = new int[world.size()];
            Arrays.fill(counts, 3);
            PreparedCall allreduce = world.prepare().allreduce(source, any, Reduction.LOGICAL_OR);
            PreparedCall gather = world.prepare().gather(source, gathered, Blocks.of(counts), last);
            PreparedCall broadcast = world.prepare().broadcast(source, last);
            for (int time = 0; time < 4; time++) {
                boolean isOdd = time % 2 == 1;
                Arrays.fill(source, rank == last && isOdd);
                gathered[gathered.length - 1] = isOdd; // no block's, so it stays
                allreduce.run();
                assertThat(any).containsOnly(isOdd);
                if (time < 2) {
                    gather.run();
                } else {
                    gather.start().await();
                }
                for (int i = 0; rank == last && i < gathered.length; i++) {
                    assertThat(gathered[i]).isEqualTo(isOdd && i >= 3 * last);
                }
                broadcast.start().await();
                assertThat(source).containsOnly(isOdd);
            }
        });
    }

    private static Set<String> calls(Class<?> face, Class<?> returned) {
        return Arrays.stream(face.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> method.getReturnType() == returned).map(PreparedTest::signature)
                .collect(Collectors.toSet());
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList();
    }
}
