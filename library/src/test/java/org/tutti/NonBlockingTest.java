/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.JobOptions.Threads;
import org.tutti.choice.Catalogue;
import org.tutti.job.CountedMemory;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(300)
class NonBlockingTest {
    private static final int[] COUNTS = {0, 1, 6, 700, 9000, 40_000};
    /** Every second one is awaited in the reverse order, the others are shuffled. */
    private static final int ROUNDS = 2 * Rows.times(2);

    private static final JobOptions PLATFORM = JobOptions.DEFAULT.withThreads(Threads.PLATFORM);

    /** The nodes of the ranks, and the kind of their threads. */
    private record Shape(String name, Consumer<Program> runner) {
        @Override
        public String toString() {
            return name;
        }
    }

    private record Case(Shape shape, Collective collective, String algorithm) {}

    static Stream<Shape> shapes() {
        return Stream.of(new Shape("3 platform threads", program -> Tutti.runLocal(3, PLATFORM, program)),
                new Shape("4 virtual threads",
                        program -> Tutti.runLocal(4, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL), program)),
                new Shape("2 nodes", program -> LocalNodes.run(new int[]{0, 1}, program)),
                new Shape("2 nodes of 2", program -> LocalNodes.run(new int[]{0, 0, 1, 1}, program)),
                new Shape("3 nodes", program -> LocalNodes.run(new int[]{0, 1, 2, 0}, program)));
    }

    static Stream<Case> cases() {
        return Rows.sampled(shapes().flatMap(shape -> Arrays.stream(Collective.values())
                .flatMap(collective -> Catalogue.of(collective).stream()
                        .map(algorithm -> new Case(shape, collective, algorithm.description().name())))));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("cases")
    void shouldGiveWhatBlockingCallsGiveInWhateverOrderTheyAreAwaited(Case each) {
        each.shape.runner.accept(job -> {
            Communicator world = job.world().withAlgorithm(each.collective, each.algorithm);
            for (int round = 0; round < ROUNDS; round++) {
                List<Request> requests = new ArrayList<>();
                List<Runnable> checks = new ArrayList<>();
                for (int i = 0; i < 2 * COUNTS.length; i++) {
                    int count = COUNTS[i % COUNTS.length];
                    call(world, each.collective, count, round * 100 + i, i % world.size(), i % 5 == 3, requests,
                            checks);
                }
                if (round % 2 == 0) {
                    Collections.reverse(requests);
                } else {
                    Collections.shuffle(requests, new Random(round * 31L + world.rank()));
                }
                Request.awaitAll(requests.toArray(Request[]::new));
                checks.forEach(Runnable::run);
            }
        });
    }

    private static void call(Communicator world, Collective collective, int count, int salt, int root,
            boolean blocking, List<Request> requests, List<Runnable> checks) {
        NonBlockingCommunicator other = world.nonBlocking();
        int rank = world.rank();
        int size = world.size();
        long[] data = new long[count];
        for (int i = 0; i < count; i++) {
            data[i] = element(rank, salt, i);
        }
        long[] all = new long[size * count];
        for (int i = 0; i < all.length; i++) {
            all[i] = element(rank, salt, i);
        }
        long[] result = collective.targetHasBlocks(rank, root) ? new long[size * count] : data.clone();
        switch (collective) {
            case BARRIER -> {
                if (blocking) {
                    world.barrier();
                } else {
                    requests.add(other.barrier());
                }
                return;
            }
            case BROADCAST -> {
                if (blocking) {
                    world.broadcast(data, root);
                } else {
                    requests.add(other.broadcast(data, root));
                }
            }
            case REDUCE -> {
                if (blocking) {
                    world.reduce(data, Reduction.SUM, root);
                } else {
                    requests.add(other.reduce(data, Reduction.SUM, root));
                }
            }
            case ALLREDUCE -> {
                if (blocking) {
                    world.allreduce(data, Reduction.SUM);
                } else {
                    requests.add(other.allreduce(data, Reduction.SUM));
                }
            }
            case GATHER -> {
                if (blocking) {
                    world.gather(data, result, root);
                } else {
                    requests.add(other.gather(data, result, root));
                }
            }
            case SCATTER -> {
                if (blocking) {
                    world.scatter(all, result, root);
                } else {
                    requests.add(other.scatter(all, result, root));
                }
            }
            case ALLGATHER -> {
                if (blocking) {
                    world.allgather(data, result);
                } else {
                    requests.add(other.allgather(data, result));
                }
            }
            case ALL_TO_ALL -> {
                if (blocking) {
                    world.allToAll(all, result);
                } else {
                    requests.add(other.allToAll(all, result));
                }
            }
            case REDUCE_SCATTER -> {
                if (blocking) {
                    world.reduceScatter(all, result, Reduction.SUM);
                } else {
                    requests.add(other.reduceScatter(all, result, Reduction.SUM));
                }
            }
            case SCAN -> {
                if (blocking) {
                    world.scan(data, result, Reduction.SUM);
                } else {
                    requests.add(other.scan(data, result, Reduction.SUM));
                }
            }
            case EXCLUSIVE_SCAN -> {
                if (blocking) {
                    world.exclusiveScan(data, result, Reduction.SUM);
                } else {
                    requests.add(other.exclusiveScan(data, result, Reduction.SUM));
                }
            }
        }
        boolean inPlace = switch (collective) {
            case BROADCAST, REDUCE, ALLREDUCE -> true;
            default -> false;
        };
        checks.add(() -> {
            long[] received = inPlace ? data : result;
            for (int i = 0; i < received.length; i++) {
                int block = i / Math.max(1, count);
                int index = i % Math.max(1, count);
                int own = rank * count + index;
                long expected = switch (collective) {
                    case BROADCAST -> element(root, salt, i);
                    case REDUCE -> rank == root ? sum(0, size, salt, i) : element(rank, salt, i);
                    case GATHER -> rank == root ? element(block, salt, index) : element(rank, salt, i);
                    case SCATTER -> element(root, salt, own);
                    case ALLGATHER -> element(block, salt, index);
                    case ALL_TO_ALL -> element(block, salt, own);
                    case REDUCE_SCATTER -> sum(0, size, salt, own);
                    case SCAN -> sum(0, rank + 1, salt, i);
                    case EXCLUSIVE_SCAN -> rank == 0 ? element(rank, salt, i) : sum(0, rank, salt, i);
                    default -> sum(0, size, salt, i);
                };
                if (received[i] != expected) { // of millions AssertJ would take longer than the calls
                    assertThat(received[i]).as("element %s of %s", i, received.length).isEqualTo(expected);
                }
            }
        });
    }

    private static long sum(int first, int end, int salt, int index) {
        long sum = 0;
        for (int each = first; each < end; each++) {
            sum += element(each, salt, index);
        }
        return sum;
    }

    private static long element(int rank, int salt, int index) {
        return (rank + 1L) * 1_000_003 + salt * 7919L + index;
    }

    @Test
    void shouldHaveTheSameCallsAsTheBlockingFace() {
        Set<String> names = Arrays.stream(Collective.values()).map(NonBlockingTest::method).collect(Collectors.toSet());
        Set<String> expected = calls(Communicator.class, names, void.class);
        assertThat(expected).hasSizeGreaterThan(40);
        expected.addAll(withTags(calls(Messenger.class, Set.of("send", "sendSynchronous"), void.class)));
        assertThat(calls(NonBlockingCommunicator.class, Set.of(), Request.class)).isEqualTo(expected);
        assertThat(calls(NonBlockingCommunicator.class, Set.of(), ReceiveRequest.class))
                .isEqualTo(withTags(calls(Messenger.class, Set.of("receive"), long.class))).hasSize(9);
    }

    /** The calls of messages with an array or a span, a rank and a tag. */
    private static Set<String> withTags(Set<String> calls) {
        return calls.stream().filter(call -> call.matches("\\w+\\[class (\\[.|org.tutti.Span), int, int]"))
                .collect(Collectors.toSet());
    }

    /** The name of a collective's method: reduceScatter of reduce-scatter. */
    private static String method(Collective collective) {
        return Pattern.compile("-(.)").matcher(collective.label())
                .replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
    }

    private static Set<String> calls(Class<?> face, Set<String> names, Class<?> returned) {
        return Arrays.stream(face.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> names.isEmpty() || names.contains(method.getName()))
                .filter(method -> method.getReturnType() == returned).map(NonBlockingTest::signature)
                .collect(Collectors.toSet());
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void aLaterOperationMayEndFirst(Shape shape) {
        CountDownLatch later = new CountDownLatch(2);
        shape.runner.accept(job -> {
            NonBlockingCommunicator world = job.world().nonBlocking();
            int last = job.size() - 1;
            Reduction held = Reduction.ofLongs("held", true, (left, right) -> {
                awaitLatch(later);
                return left + right;
            });
            long[] first = {1};
            long[] second = {job.rank()};
            Request a = world.allreduce(first, held);
            Request b = world.broadcast(second, last);
            b.await();
            if (job.rank() < 2) {
                assertThat(a.isDone()).isFalse();
                later.countDown();
            }
            a.await();
            assertThat(first[0]).isEqualTo(job.size());
            assertThat(second[0]).isEqualTo(last);
        });
    }

    static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldGoOnWhileTheCallersCompute() {
        Tutti.runLocal(2, PLATFORM, job -> {
            long[] data = new long[100_000];
            Arrays.fill(data, job.rank() + 1);
            Request request = job.world().nonBlocking().allreduce(data, Reduction.SUM);
            while (!request.isDone()) {
                Thread.onSpinWait();
            }
            assertThat(data).containsOnly(3);
        });
    }

    @Test
    void allRequestsEndWhenARankLeaves() {
        Tutti.runLocal(3, PLATFORM, job -> {
            if (job.rank() == 1) {
                return;
            }
            List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                requests.add(job.world().nonBlocking().allreduce(new int[10 * i], Reduction.SUM));
            }
            for (Request request : requests) {
                assertThatExceptionOfType(RankFailedException.class).isThrownBy(request::await)
                        .satisfies(e -> assertThat(e.rank()).isEqualTo(1));
                assertThatThrownBy(() -> request.completion().toCompletableFuture().get())
                        .hasCauseInstanceOf(RankFailedException.class);
            }
        });
    }

    @Test
    void ownRequestsEndWhenTheJobIsClosed() {
        AtomicReference<Request> left = new AtomicReference<>();
        Tutti.runLocal(2, PLATFORM, job -> {
            if (job.rank() == 0) {
                left.set(job.world().nonBlocking().allreduce(new int[5], Reduction.SUM));
            } else { // leaves when rank 0 has, whose request has broken the communicator by then
                while (left.get() == null || !left.get().isDone()) {
                    Thread.sleep(1);
                }
            }
        });
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> left.get().await());
    }

    @Test
    void shouldEndARequestAtItsDeadlineAndNotAtThatOfItsAwaiting() {
        CountDownLatch ended = new CountDownLatch(1);
        Tutti.runLocal(2, PLATFORM, job -> {
            if (job.rank() == 0) {
                Request request = job.world().withDeadline(Duration.ofMillis(300)).nonBlocking().barrier();
                assertThat(request.await(Duration.ofMillis(1))).isFalse();
                assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(request::await);
                ended.countDown();
            } else {
                awaitLatch(ended);
            }
        });
    }

    @Test
    void shouldFindMismatchesWithBlockingCalls() {
        AtomicInteger found = new AtomicInteger();
        Tutti.runLocal(2, PLATFORM, job -> {
            try {
                if (job.rank() == 0) {
                    job.world().nonBlocking().allreduce(new int[3], Reduction.SUM).await();
                } else {
                    job.world().allreduce(new int[4], Reduction.SUM);
                }
            } catch (CollectiveMismatchException _) {
                found.incrementAndGet();
            }
        });
        assertThat(found.get()).isEqualTo(2);
    }

    @Test
    void shouldRefuseMoreRequestsThanTheLimit() {
        CountDownLatch refused = new CountDownLatch(1);
        Tutti.runLocal(2, PLATFORM, job -> {
            NonBlockingCommunicator world = job.world().nonBlocking();
            Request[] requests = new Request[NonBlockingCommunicator.IN_FLIGHT_MAX];
            if (job.rank() == 1) {
                awaitLatch(refused);
            }
            for (int i = 0; i < requests.length; i++) {
                requests[i] = world.barrier();
            }
            if (job.rank() == 0) {
                assertThatExceptionOfType(IllegalStateException.class).isThrownBy(world::barrier)
                        .withMessageContaining("1024");
                refused.countDown();
            }
            Request.awaitAll(requests);
            world.barrier().await();
        });
    }

    @Test
    void manyRequestsOneAfterTheOtherLeaveNothingBehind() {
        Tutti.runLocal(2, PLATFORM, job -> {
            for (int i = 1; i <= 5000; i++) {
                long[] data = {i};
                job.world().nonBlocking().allreduce(data, Reduction.SUM).await();
                assertThat(data[0]).isEqualTo(2L * i);
            }
        });
    }

    /** On two nodes a rank claims windows and inboxes for those that run, and these are sixteen at most. */
    @Test
    void shouldClaimNoMoreMemoryForManyRequestsThanForThoseThatRunAtOnce() {
        AtomicLong claimed = new AtomicLong();
        LocalNodes.run(new int[]{0, 1}, () -> new CountedMemory(claimed), job -> {
            Communicator world = job.world();
            world.barrier();
            allreduceTogether(world, 1); // the eager buffers are there from then on
            world.barrier();
            long before = claimed.get();
            world.barrier();
            allreduceTogether(world, 200);
            world.barrier();
            long operationsAtOnce = 16;
            long ofEach = (32 + 512 + 512) << 10;
            assertThat(claimed.get() - before).isLessThanOrEqualTo(world.size() * operationsAtOnce * ofEach);
        });
    }

    @Test
    void shouldClaimOneInboxForRequestsThatFollowEachOther() {
        AtomicLong claimed = new AtomicLong();
        LocalNodes.run(new int[]{0, 1}, () -> new CountedMemory(claimed), job -> {
            Communicator world = job.world();
            for (int i = 0; i < 16; i++) { // as many windows as are in flight are there then
                allreduceTogether(world, 1);
            }
            world.barrier();
            long before = claimed.get();
            world.barrier();
            for (int i = 0; i < 50; i++) {
                allreduceTogether(world, 1);
            }
            world.barrier();
            assertThat(claimed.get()).isEqualTo(before);
        });
    }

    private static void allreduceTogether(Communicator world, int requests) {
        long[][] data = new long[requests][100_000];
        Request[] all = new Request[requests];
        for (int i = 0; i < requests; i++) {
            Arrays.fill(data[i], world.rank() + i);
            all[i] = world.nonBlocking().allreduce(data[i], Reduction.SUM);
        }
        Request.awaitAll(all);
        for (int i = 0; i < requests; i++) {
            long sum = 2L * i + 1;
            assertThat(Arrays.stream(data[i]).allMatch(each -> each == sum)).isTrue();
        }
    }

    /** Every team asks its node's memory where loans are. */
    @Test
    void shouldMakeNothingNewForEachCallThatIsRefused() {
        AtomicInteger teams = new AtomicInteger();
        LocalNodes.run(new int[]{0, 0}, () -> new CountedMemory(new AtomicLong()) {
            @Override
            public MemorySegment[] loans(long address, int places) {
                teams.incrementAndGet();
                return super.loans(address, places);
            }
        }, job -> {
            AtomicInteger refused = new AtomicInteger();
            Reduction refusing = Reduction.ofLongs("refusing", true, (left, right) -> {
                assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(() -> job.world().nonBlocking().barrier());
                refused.incrementAndGet();
                return left + right;
            });
            long[] data = new long[100];
            job.world().allreduce(data, refusing);
            job.world().barrier();
            assertThat(refused.get()).isPositive();
            assertThat(teams.get()).isLessThanOrEqualTo(2 * job.world().size());
        });
    }

    @Test
    void shouldRefuseMemoryOfOneThread() {
        Tutti.runLocal(1, job -> {
            try (Arena arena = Arena.ofConfined()) {
                Span span = Span.of(arena.allocate(8), DataType.LONG);
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> job.world().nonBlocking().broadcast(span, 0))
                        .withMessageContaining("Arena.ofShared");
            }
        });
    }

    @Test
    void shouldGoOnAfterACallThatIsRefusedBecauseThereAreTooManyRanks() {
        int ranks = 300;
        Reduction units = Reduction.of("units", DataType.LONG, 64, true, (_, _, _, _) -> {});
        Tutti.runLocal(ranks, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL), job -> {
            long[] source = new long[ranks * 64];
            long[] target = new long[64];
            assertThatThrownBy(() -> job.world().nonBlocking().reduceScatter(source, target, units))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("use groups of fewer ranks");
            assertThatThrownBy(() -> job.world().reduceScatter(source, target, units))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("use groups of fewer ranks");
            long[] sum = {1};
            job.world().nonBlocking().allreduce(sum, Reduction.SUM).await();
            assertThat(sum).containsExactly(ranks);
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldTellWhichOfSeveralHaveEnded(Shape shape) {
        CountDownLatch[] latches = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
        shape.runner.accept(job -> {
            NonBlockingCommunicator world = job.world().nonBlocking();
            Request[] requests = new Request[3];
            for (int i = 0; i < requests.length; i++) {
                int index = i;
                requests[i] = world.allreduce(new long[]{1}, Reduction.ofLongs("held " + i, true, (left, right) -> {
                    awaitLatch(latches[index]);
                    return left + right;
                }));
            }
            assertThat(Request.awaitAny(Duration.ofMillis(1), requests)).isEmpty();
            assertThat(Request.awaitAll(Duration.ofMillis(1), requests)).isFalse();
            job.world().barrier(); // before any of the ranks lets one end
            latches[2].countDown();
            assertThat(Request.awaitAny(requests)).isEqualTo(2);
            assertThat(Request.awaitAny(Duration.ZERO, requests)).hasValue(2);
            requests[2] = null;
            job.world().barrier();
            latches[1].countDown();
            assertThat(Request.awaitSome(requests)).containsExactly(1);
            job.world().barrier();
            latches[0].countDown();
            assertThat(Request.awaitAll(Duration.ofDays(200_000), requests[0], requests[1])).isTrue();
            assertThat(Request.awaitSome(requests)).containsExactly(0, 1);
            Request.awaitAll(requests);
            assertThat(Request.awaitAll(Duration.ZERO, requests)).isTrue();
        });
    }

    @Test
    void shouldNotAwaitAnyOfNone() {
        assertThatThrownBy(() -> Request.awaitAny(new Request[2])).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("none of 2 requests is in flight: all are null; wait for one request at least");
    }

    @Test
    void anInterruptEndsTheWaitForAnyAndNothingElse() {
        CountDownLatch latch = new CountDownLatch(1);
        Tutti.runLocal(2, PLATFORM, job -> {
            Request held = job.world().nonBlocking().allreduce(new long[]{1},
                    Reduction.ofLongs("held", true, (left, right) -> {
                        awaitLatch(latch);
                        return left + right;
                    }));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> Request.awaitAny(held)).isInstanceOf(CallInterruptedException.class)
                    .hasMessage("a thread was interrupted while it awaited one of 1 requests; they go on, and can be "
                            + "awaited again");
            assertThat(Thread.interrupted()).isTrue();
            job.world().barrier();
            latch.countDown();
            assertThat(Request.awaitAny(held)).isZero();
        });
    }
}
