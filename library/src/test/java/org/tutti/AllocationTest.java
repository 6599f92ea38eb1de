/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobOptions.Threads;
import org.tutti.choice.Catalogue;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shows that blocking operations allocate nothing at either of two ranks, once they are compiled. When that is, is the
 * compiler's business: rounds of calls are repeated until one of them is clean at both ranks.
 */
@Execution(ExecutionMode.CONCURRENT)
class AllocationTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final TransferProtocol[] PROTOCOLS = TransferProtocol.values();
    private static final int[] WORDS = {7, 6};
    private static final Section PAIR = Section.of(0, 16);
    private static final Span PAIRS = Span.of(new double[2]);

    /**
     * The number of calls of a round. A wait of more than two milliseconds allocates an entry of 72 bytes in a list,
     * and a busy machine has no longer round without such a wait.
     */
    private static final int CALLS_BETWEEN_NODES = 100;
    /** A system call with memory of an arena takes 80 bytes of the JDK's own; allreduces have two. */
    private static final double JDK_BYTES_OF_WRITES = 200;

    /** A region takes 40 bytes, and its random number some 27 of the JDK's own. */
    private static final double BYTES_OF_OFFER_MAX = 80;

    private static final int LONG_ELEMENTS = 8192;
    private static final int CALLS = 8_000;
    private static final int CALLS_IN_A_ROW = 25;
    private static final int ROWS_OF_CALLS = 60;

    /** The number of calls after which everything is compiled, and a round without long waits has come. */
    private static final int CALLS_MAX = 120_000;
    private static final JobOptions PLATFORM = JobOptions.DEFAULT.withThreads(Threads.PLATFORM);

    /** Some bytes are for segments over arrays, which are made anew after a garbage collection. */
    private static final double BYTES_PER_CALL_MAX = 1;

    @FunctionalInterface
    private interface Call {
        void run(Communicator world, Data data);
    }

    private static final String ROUTED = "all-to-all of blocks by a requested algorithm";

    private record Operation(String name, int elements, Call call) {
        @Override
        public String toString() {
            return name + ", " + elements * Long.BYTES + " bytes";
        }
    }

    private record Data(long[] array, long[] other, Span span, Span sameSpan, Span otherSpan, Span offHeap,
            Span otherOffHeap, Span half, double[] doubles, RemoteMemory memory, Section section, Section vector,
            Mutexes mutexes,
            long[] calls) {
        private static Span offHeap(int elements, Arena arena) {
            return Span.of(arena.allocate((long) elements * Long.BYTES, Long.BYTES), DataType.LONG);
        }

        RemotePart next(Communicator world) {
            return memory.at((world.rank() + 1) % world.size());
        }

        static Data of(int elements, Arena arena, RemoteMemory memory, Mutexes mutexes) {
            long[] array = new long[elements];
            long[] other = new long[elements];
            return new Data(array, other, Span.of(array), Span.of(array), Span.of(other), offHeap(elements, arena),
                    offHeap(elements, arena), Span.of(array, 0, (elements + 1) / 2), new double[elements], memory,
                    Section.strided(0, 8, new long[]{Math.clamp(elements, 1, 4)}, new long[]{16}),
                    elements == 1 ? Section.of(0, 8) : Section.vector(new long[]{0, 16, 2000}, new long[]{8, 16, 8}),
                    mutexes, new long[1]);
        }
    }

    static Stream<Operation> blockingOperations() {
        return Rows.sampled(Stream.concat(operations(), Stream.of(2, 1024)
                .flatMap(elements -> withBlocks(elements).stream())));
    }

    static Stream<Operation> operations() {
        return Stream.concat(Stream.of(new Operation("barrier", 0, (world, data) -> world.barrier())),
                Stream.of(1, 512).flatMap(elements -> withData(elements).stream()));
    }

    /** For two ranks, each of which has half of the elements. */
    private static List<Operation> withBlocks(int elements) {
        Blocks halves = Blocks.of(elements / 2, elements / 2);
        return List.of(
                new Operation("gather in place", elements,
                        (world, data) -> world.gather(world.rank() == 0 ? data.span : data.half, 0)),
                new Operation("gather of blocks in place", elements,
                        (world, data) -> world.gather(world.rank() == 0 ? data.span : data.half, 0, halves)),
                new Operation("scatter in place", elements,
                        (world, data) -> world.scatter(world.rank() == 0 ? data.span : data.half, 0)),
                new Operation("allgather in place", elements, (world, data) -> world.allgather(data.array)),
                new Operation("allgather of blocks in place", elements,
                        (world, data) -> world.allgather(data.array, halves)),
                new Operation("all-to-all", elements, (world, data) -> world.allToAll(data.array, data.other)),
                new Operation("all-to-all of blocks", elements,
                        (world, data) -> world.allToAll(data.array, halves, data.other, halves)),
                new Operation(ROUTED, elements,
                        (world, data) -> world.allToAll(data.array, halves, data.other, halves)),
                new Operation("reduce-scatter in place", elements,
                        (world, data) -> world.reduceScatter(data.array, Reduction.SUM)),
                new Operation("scan in place", elements, (world, data) -> world.scan(data.array, Reduction.MAX)),
                new Operation("values", elements, (world, data) -> {
                    boolean isRoot = world.broadcast(world.rank() == 0, 0);
                    data.calls[0] = world.allreduce(data.calls[0] + (isRoot ? 1 : 2), Reduction.SUM);
                }));
    }

    private static List<Operation> withData(int elements) {
        return List.of(
                new Operation("broadcast of an array", elements, (world, data) -> world.broadcast(data.array, 1)),
                new Operation("broadcast of a span", elements, (world, data) -> world.broadcast(data.span, 1)),
                new Operation("broadcast off heap", elements, (world, data) -> world.broadcast(data.offHeap, 1)),
                new Operation("reduce of an array in place", elements,
                        (world, data) -> world.reduce(data.array, Reduction.SUM, 0)),
                new Operation("reduce of an array", elements,
                        (world, data) -> world.reduce(data.array, data.other, Reduction.MAX, 0)),
                new Operation("reduce of a span in place", elements,
                        (world, data) -> world.reduce(data.span, Reduction.SUM, 0)),
                new Operation("reduce of a span", elements,
                        (world, data) -> world.reduce(data.span, data.otherSpan, Reduction.MAX, 0)),
                new Operation("allreduce of an array in place", elements,
                        (world, data) -> world.allreduce(data.array, Reduction.SUM)),
                new Operation("allreduce of an array", elements,
                        (world, data) -> world.allreduce(data.array, data.other, Reduction.MAX)),
                new Operation("allreduce of a span in place", elements,
                        (world, data) -> world.allreduce(data.span, Reduction.SUM)),
                new Operation("allreduce of a span", elements,
                        (world, data) -> world.allreduce(data.span, data.otherSpan, Reduction.MAX)),
                new Operation("allreduce between spans of the same memory", elements,
                        (world, data) -> world.allreduce(data.span, data.sameSpan, Reduction.MAX)),
                new Operation("allreduce off heap", elements,
                        (world, data) -> world.allreduce(data.offHeap, Reduction.SUM)));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("blockingOperations")
    void aBlockingCallAllocatesNothing(Operation operation) {
        assertThat(bytesPerCall(operation, world -> operation.name.equals(ROUTED)
                ? world.withAlgorithm(Collective.ALL_TO_ALL, "bruck")
                : world)).as("bytes that a rank allocates per call: %s", operation)
                .isLessThan(BYTES_PER_CALL_MAX);
    }

    static Stream<Operation> someOperations() {
        return Rows.sampled(operations());
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("someOperations")
    void aBlockingCallWithADeadlineAllocatesNothing(Operation operation) {
        assertThat(bytesPerCall(operation, world -> world.withDeadline(Duration.ofMinutes(1))))
                .as("bytes that a rank allocates per call: %s", operation)
                .isLessThan(BYTES_PER_CALL_MAX);
    }

    static Stream<Operation> arrayOperations() {
        return Rows.sampled(operations().filter(operation -> !operation.name.contains("span")));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("arrayOperations")
    void aBlockingCallBetweenNodesAllocatesNothing(Operation operation) {
        assertThat(bytesPerCall(operation, world -> world, CALLS_BETWEEN_NODES,
                program -> LocalNodes.run(new int[]{0, 1}, program)))
                .as("bytes that a rank allocates per call: %s, between nodes", operation)
                .isLessThan(BYTES_PER_CALL_MAX);
    }

    static Stream<Operation> longOperations() {
        return Rows.sampled(Stream.of(new Operation("broadcast off heap", LONG_ELEMENTS,
                (world, data) -> world.broadcast(data.offHeap, 1)),
                new Operation("allreduce off heap", LONG_ELEMENTS,
                        (world, data) -> world.allreduce(data.offHeap, Reduction.SUM)),
                new Operation("allreduce between two memories off heap", LONG_ELEMENTS,
                        (world, data) -> world.allreduce(data.offHeap, data.otherOffHeap, Reduction.MAX))));
    }

    /** Sent straight from where it is, by views that have to be made once. */
    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("longOperations")
    void aLongBlockingCallBetweenNodesAllocatesNothing(Operation operation) {
        assertThat(bytesPerCall(operation, world -> world, CALLS_BETWEEN_NODES, JDK_BYTES_OF_WRITES,
                program -> LocalNodes.run(new int[]{0, 1}, program)))
                .as("bytes that a rank allocates per call: %s, between nodes", operation)
                .isLessThan(JDK_BYTES_OF_WRITES);
    }

    static Stream<Operation> oneSidedOperations() {
        return Rows.sampled(Stream.of(1, 512).flatMap(elements -> Stream.of(
                new Operation("put of an array", elements, (world, data) -> data.next(world).put(8, data.array)),
                new Operation("put of a span", elements, (world, data) -> data.next(world).put(8, data.span)),
                new Operation("put off heap, fence", elements, (world, data) -> {
                    data.next(world).put(8, data.offHeap);
                    data.memory.fence((world.rank() + 1) % world.size());
                }),
                new Operation("get of an array", elements, (world, data) -> data.next(world).get(8, data.array)),
                new Operation("get off heap", elements, (world, data) -> data.next(world).get(8, data.offHeap)),
                new Operation("atomics", elements, (world, data) -> {
                    data.next(world).fetchAddLong(0, 1);
                    data.next(world).fetchLong(0);
                    data.next(world).swapInt(0, 1);
                    data.next(world).compareAndSwapLong(0, 1, 2);
                }),
                new Operation("accumulate of an array", elements,
                        (world, data) -> data.next(world).accumulate(8, data.array, Reduction.SUM)),
                new Operation("accumulate of doubles, scaled", elements,
                        (world, data) -> data.next(world).accumulate(8, data.doubles, 0.5)),
                new Operation("put and get of sections", elements, (world, data) -> {
                    data.next(world).put(data.section, data.span, data.section);
                    data.next(world).get(data.section, data.otherSpan, data.section);
                    data.next(world).accumulate(data.section, data.span, data.section, 2);
                }),
                new Operation("put and get by every protocol", elements, (world, data) -> {
                    for (TransferProtocol protocol : PROTOCOLS) {
                        RemotePart part = data.next(world).withProtocol(protocol);
                        part.put(8, data.array);
                        part.get(8, data.offHeap);
                        part.put(data.section, data.span, data.section);
                        part.get(data.section, data.span, data.section);
                        part.put(data.vector, data.span, data.vector);
                        part.get(data.vector, data.span, data.vector);
                    }
                }),
                new Operation("complex numbers", elements,
                        (world, data) -> data.next(world).accumulateComplex(PAIR, PAIRS, PAIR, 2, 3)),
                new Operation("put with notification, and the wait for one", elements, (world, data) -> {
                    data.next(world).putNotify(8, data.span, 5);
                    data.memory.awaitNotifications(5, ++data.calls[0]);
                }),
                new Operation("put of elements with notification, and the wait for the next one", elements,
                        (world, data) -> {
                            data.next(world).elements().putNotify(1, data.span, 6);
                            data.memory.awaitMore(6, 1);
                            data.next(world).elements().putNotify(1, data.span, 6);
                            data.memory.awaitAny(WORDS);
                        }),
                new Operation("lock, put, unlock", elements, (world, data) -> {
                    int next = (world.rank() + 1) % world.size();
                    data.mutexes.lock(1, next);
                    data.next(world).put(8, data.array);
                    data.mutexes.unlock(1, next);
                }),
                new Operation("lock and unlock, of what the other one locks as well", elements, (world, data) -> {
                    data.mutexes.lock(0, 0);
                    data.mutexes.unlock(0, 0);
                }),
                new Operation("put, barrier", elements, (world, data) -> {
                    data.next(world).put(8, data.array);
                    data.memory.barrier();
                }))));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("oneSidedOperations")
    void aOneSidedCallAllocatesNothing(Operation operation) {
        assertThat(bytesPerCall(operation, world -> world)).as("bytes that a rank allocates per call: %s", operation)
                .isLessThan(BYTES_PER_CALL_MAX);
        assertThat(bytesPerCall(operation, world -> world.withDeadline(Duration.ofMinutes(1)), CALLS_BETWEEN_NODES,
                program -> LocalNodes.run(new int[]{0, 1}, program)))
                .as("bytes that a rank allocates per call: %s, between nodes", operation)
                .isLessThan(BYTES_PER_CALL_MAX);
    }

    /** As many calls of three threads of each rank at the same time, each with memory of its own. */
    @Tag("sampled")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneSidedCallsOfSeveralThreadsAllocateNothing(boolean oneNode) {
        double[] result = new double[2];
        LocalNodes.run(oneNode ? new int[]{0, 0} : new int[]{0, 1}, job -> {
            Communicator world = job.world();
            int other = 1 - job.rank();
            double[] most = new double[1];
            try (RemoteMemory memory = world.allocate(DataType.LONG, 512)) {
                int calls = 0;
                do {
                    double[] bytes = new double[3];
                    Thread[] threads = new Thread[bytes.length];
                    for (int i = 0; i < threads.length; i++) {
                        int number = i;
                        Span span = Span.of(new long[64]);
                        threads[i] = Thread.ofPlatform().start(
                                () -> bytes[number] = bytesPerCall(memory, memory.at(other), span, other));
                    }
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    most[0] = Arrays.stream(bytes).max().getAsDouble();
                    world.allreduce(most, Reduction.MAX);
                    calls += ROWS_OF_CALLS * CALLS_IN_A_ROW;
                } while (most[0] >= BYTES_PER_CALL_MAX && calls < CALLS_MAX);
            }
            result[job.rank()] = most[0];
        });
        assertThat(result[0]).as("bytes that a thread allocates per call").isLessThan(BYTES_PER_CALL_MAX);
    }

    /**
     * Returns the least number of bytes per call of several short rows of calls. A wait of more than two milliseconds
     * allocates an entry in a list, and six threads on two cores wait that long for a core again and again.
     */
    private static double bytesPerCall(RemoteMemory memory, RemotePart part, Span span, int rank) {
        Section columns = Section.strided(DataType.LONG, 0, 1, new long[]{32}, new long[]{2});
        Section whole = Section.of(DataType.LONG, 0, 32);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ROWS_OF_CALLS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < CALLS_IN_A_ROW; call++) {
                part.put(8, span);
                part.put(columns, span, whole);
                part.get(8, span);
                part.get(columns, span, whole);
                part.accumulate(8, span, Reduction.SUM);
                part.fetchAddLong(0, 1);
                memory.fence(rank);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return (double) least / CALLS_IN_A_ROW;
    }

    static Stream<String> broadcasts() {
        return Rows.sampled(
                Catalogue.of(Collective.BROADCAST).stream().map(algorithm -> algorithm.description().name()));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("broadcasts")
    void aBroadcastOfAnyAlgorithmAllocatesNothing(String algorithm) {
        Operation operation =
                new Operation("broadcast of an array", 20_000, (world, data) -> world.broadcast(data.array, 1));
        UnaryOperator<Communicator> view = world -> world.withAlgorithm(Collective.BROADCAST, algorithm);
        assertThat(bytesPerCall(operation, view, CALLS_BETWEEN_NODES,
                program -> Tutti.runLocal(2, PLATFORM, program)))
                .as("bytes that a rank allocates per call by %s", algorithm).isLessThan(BYTES_PER_CALL_MAX);
    }

    static Stream<Arguments> scans() {
        return Rows.sampled(Stream.of(1, 512).flatMap(elements -> Catalogue.of(Collective.SCAN).stream()
                .map(algorithm -> Arguments.of(algorithm.description().name(), elements))));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("scans")
    void aScanOfAnyAlgorithmBetweenNodesAllocatesNothing(String algorithm, int elements) {
        Operation operation =
                new Operation("scan in place", elements, (world, data) -> world.scan(data.array, Reduction.MAX));
        UnaryOperator<Communicator> view = world -> world.withAlgorithm(Collective.SCAN, algorithm);
        assertThat(bytesPerCall(operation, view, CALLS_BETWEEN_NODES,
                program -> LocalNodes.run(new int[]{0, 0, 1, 2}, program)))
                .as("bytes that a rank allocates per call by %s", algorithm).isLessThan(BYTES_PER_CALL_MAX);
    }

    static Stream<String> reduceScatters() {
        return Rows.sampled(
                Catalogue.of(Collective.REDUCE_SCATTER).stream().map(algorithm -> algorithm.description().name()));
    }

    /** Short messages go to pairs, long ones to windows. */
    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("reduceScatters")
    void aReduceScatterOfAnyAlgorithmBetweenNodesAllocatesNothing(String algorithm) {
        for (int elements : new int[]{2, LONG_ELEMENTS}) {
            Operation operation = new Operation("reduce-scatter in place", elements,
                    (world, data) -> world.reduceScatter(data.array, Reduction.SUM));
            double limit = elements == LONG_ELEMENTS ? JDK_BYTES_OF_WRITES : BYTES_PER_CALL_MAX;
            assertThat(bytesPerCall(operation, world -> world.withAlgorithm(Collective.REDUCE_SCATTER, algorithm),
                    CALLS_BETWEEN_NODES, limit, program -> LocalNodes.run(new int[]{0, 1}, program)))
                    .as("bytes that a rank allocates per call by %s: %s", algorithm, operation)
                    .isLessThan(limit);
        }
    }

    private static Operation pingPong(int elements) {
        return new Operation("messages to and fro", elements, (world, data) -> {
            if (world.rank() == 0) {
                world.send(data.array, 1);
                world.receive(data.array, 1, 0);
            } else {
                world.receive(data.array, Messenger.ANY_RANK, Messenger.ANY_TAG);
                world.send(data.array, 0);
            }
        });
    }

    /** In the slot, in the ring of bytes, and offered: copied once from the sender's memory, or through chunks. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 2500, 20_000})
    void aMessageAllocatesNothing(int elements) {
        assertThat(bytesPerCall(pingPong(elements), world -> world)).isLessThan(BYTES_PER_CALL_MAX);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 2500})
    void anEagerMessageBetweenNodesAllocatesNothing(int elements) {
        assertThat(bytesPerCall(pingPong(elements), world -> world, CALLS_BETWEEN_NODES,
                program -> LocalNodes.run(new int[]{0, 1}, program))).isLessThan(BYTES_PER_CALL_MAX);
    }

    private static Operation offered(int elements, Function<Data, Span> span) {
        return new Operation("synchronous messages", elements, (world, data) -> {
            if (world.rank() == 0) {
                world.sendSynchronous(span.apply(data), 1, 0);
                world.receive(span.apply(data), 1, 0);
            } else {
                world.receive(span.apply(data), Messenger.ANY_RANK, Messenger.ANY_TAG);
                world.sendSynchronous(span.apply(data), 0, 0);
            }
        });
    }

    /** The receiver registers its memory for each offered message. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 2500})
    void anOfferedMessageBetweenNodesAllocatesItsRegion(int elements) {
        assertThat(bytesPerCall(offered(elements, Data::span), world -> world, CALLS_BETWEEN_NODES, BYTES_OF_OFFER_MAX,
                program -> LocalNodes.run(new int[]{0, 1}, program))).isLessThan(BYTES_OF_OFFER_MAX);
    }

    @ParameterizedTest
    @ValueSource(ints = {2500, 20_000})
    void aLongOfferedMessageBetweenNodesAllocatesItsRegion(int elements) {
        double limit = BYTES_OF_OFFER_MAX + JDK_BYTES_OF_WRITES;
        assertThat(bytesPerCall(offered(elements, Data::offHeap), world -> world, CALLS_BETWEEN_NODES, limit,
                program -> LocalNodes.run(new int[]{0, 1}, program))).isLessThan(limit);
    }

    private static double bytesPerCall(Operation operation, UnaryOperator<Communicator> view) {
        return bytesPerCall(operation, view, CALLS, program -> Tutti.runLocal(2, PLATFORM, program));
    }

    private static double bytesPerCall(Operation operation, UnaryOperator<Communicator> view, int calls,
            Consumer<Program> runner) {
        return bytesPerCall(operation, view, calls, BYTES_PER_CALL_MAX, runner);
    }

    /** The bytes per call of the rank that allocates most, in the first round below a limit or the last one. */
    private static double bytesPerCall(Operation operation, UnaryOperator<Communicator> view, int calls, double limit,
            Consumer<Program> runner) {
        double[] result = new double[1];
        runner.accept(job -> {
            Communicator world = job.world();
            Communicator measured = view.apply(world);
            double[] bytes = new double[1];
            try (Arena arena = Arena.ofShared();
                    RemoteMemory memory = measured.allocate(DataType.LONG, operation.elements + 1L);
                    Mutexes mutexes = memory.allocateMutexes(2)) {
                Data data = Data.of(operation.elements, arena, memory, mutexes);
                int calledBefore = 0;
                do {
                    long before = THREADS.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < calls; i++) {
                        operation.call.run(measured, data);
                    }
                    bytes[0] = (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / calls;
                    world.allreduce(bytes, Reduction.MAX);
                    calledBefore += calls;
                } while (bytes[0] >= limit && calledBefore < CALLS_MAX);
            }
            if (job.rank() == 0) {
                result[0] = bytes[0];
            }
        });
        return result[0];
    }
}
