/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Graphs, and the collectives between neighbours, of ranks of a process, without loans, and of several nodes. */
@Timeout(120)
class NeighbourhoodTest {
    /** An edge of a graph, with a number that tells it from the others. */
    private record Edge(int source, int target, int number) {}

    private static List<Edge> edges(int[]... ends) {
        return IntStream.range(0, ends.length).mapToObj(i -> new Edge(ends[i][0], ends[i][1], i)).toList();
    }

    private static List<Edge> randomEdges(Random random, int ranks) {
        return IntStream.range(0, random.nextInt(4 * ranks))
                .mapToObj(number -> new Edge(random.nextInt(ranks), random.nextInt(ranks), number)).toList();
    }

    private static List<Edge> into(List<Edge> edges, int rank) {
        return edges.stream().filter(edge -> edge.target == rank).toList();
    }

    private static List<Edge> outOf(List<Edge> edges, int rank) {
        return edges.stream().filter(edge -> edge.source == rank).toList();
    }

    private static GraphCommunicator graph(Communicator world, List<Edge> edges) {
        return world.graph(into(edges, world.rank()).stream().mapToInt(Edge::source).toArray(),
                outOf(edges, world.rank()).stream().mapToInt(Edge::target).toArray());
    }

    private static int[] data(int length, int... seeds) {
        return new Random(Arrays.hashCode(seeds)).ints(length).toArray();
    }

    private static int[] joined(Stream<int[]> blocks) {
        return blocks.flatMapToInt(Arrays::stream).toArray();
    }

    /** The block of an edge in a round; every third is empty. */
    private static int[] block(Edge edge, int round) {
        int seed = edge.number + round;
        return data(seed % 3 == 0 ? 0 : seed % 7 == 0 ? 30_000 : seed * 5 % 50, edge.source, edge.target, seed);
    }

    private static Blocks blocks(List<Edge> edges, int round) {
        return Blocks.of(edges.stream().mapToInt(edge -> block(edge, round).length).toArray());
    }

    @ParameterizedTest
    @EnumSource
    void shouldGatherFromSourcesOfAGraph(MessageShape shape) {
        List<Edge> edges = edges(new int[][]{{0, 1}, {1, 2}, {0, 1}, {2, 2}, {3, 0}, {1, 0}, {2, 2}, {0, 2}});
        shape.run(4, job -> {
            try (GraphCommunicator graph = graph(job.world(), edges)) {
                for (int length : new int[]{0, 1, 7, 2000, 100_000}) {
                    int[] target = new int[length * graph.sources().length];
                    graph.neighbourAllgather(data(length, job.rank(), length), target);
                    assertThat(target).isEqualTo(joined(into(edges, job.rank()).stream()
                            .map(edge -> data(length, edge.source, length))));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeBlocksOfRandomGraphs(MessageShape shape) {
        shape.run(5, job -> {
            for (int seed = 0; seed < 12; seed++) {
                List<Edge> edges = randomEdges(new Random(seed), 5);
                List<Edge> in = into(edges, job.rank());
                List<Edge> out = outOf(edges, job.rank());
                try (GraphCommunicator graph = graph(job.world(), edges)) {
                    assertThat(graph.sources()).isEqualTo(in.stream().mapToInt(Edge::source).toArray());
                    assertThat(graph.targets()).isEqualTo(out.stream().mapToInt(Edge::target).toArray());
                    List<Request> requests = new ArrayList<>();
                    List<int[]> targets = new ArrayList<>();
                    for (int round = 0; round < 9; round++) { // no rank waits for another one in between
                        int now = round;
                        int[] source = joined(out.stream().map(edge -> block(edge, now)));
                        int[] target = new int[(int) blocks(in, now).end()];
                        targets.add(target);
                        switch (round % 3) {
                            case 0 -> graph.neighbourAllToAll(source, blocks(out, now), target, blocks(in, now));
                            case 1 -> requests.add(graph.nonBlocking().neighbourAllToAll(source, blocks(out, now),
                                    target, blocks(in, now)));
                            default -> graph.prepare().neighbourAllToAll(source, blocks(out, now), target,
                                    blocks(in, now)).run();
                        }
                    }
                    Request.awaitAll(requests.toArray(Request[]::new));
                    for (int round = 0; round < targets.size(); round++) {
                        int now = round;
                        assertThat(targets.get(round)).isEqualTo(joined(in.stream().map(edge -> block(edge, now))));
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldGatherBlocksOfAnyLengthIntoHoles(MessageShape shape) {
        List<Edge> edges = edges(new int[][]{{0, 1}, {2, 1}, {1, 1}, {0, 2}, {2, 0}, {0, 1}});
        shape.run(3, job -> {
            List<Edge> in = into(edges, job.rank());
            try (GraphCommunicator graph = graph(job.world(), edges)) {
                int[] counts = in.stream().mapToInt(edge -> edge.source * 3).toArray();
                int[] displacements = IntStream.range(0, counts.length).map(i -> 1 + 10 * (counts.length - 1 - i))
                        .toArray();
                long[] expected = minusOnes(50);
                for (int i = 0; i < counts.length; i++) {
                    Arrays.fill(expected, displacements[i], displacements[i] + counts[i], in.get(i).source);
                }
                long[] source = new long[3 * job.rank()];
                Arrays.fill(source, job.rank());
                long[] target = minusOnes(50);
                graph.neighbourAllgather(source, target, Blocks.of(counts, displacements));
                assertThat(target).isEqualTo(expected);
            }
        });
    }

    private static long[] minusOnes(int length) {
        long[] values = new long[length];
        Arrays.fill(values, -1);
        return values;
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryElementsOfEveryType(MessageShape shape) {
        shape.run(3, job -> {
            int right = (job.rank() + 1) % 3;
            int left = (job.rank() + 2) % 3;
            try (GraphCommunicator ring = job.world().graph(new int[]{left, job.rank()},
                    new int[]{right, job.rank()})) {
                byte[] bytes = new byte[2];
                ring.neighbourAllgather(new byte[]{(byte) job.rank()}, bytes);
                assertThat(bytes).containsExactly(left, job.rank());
                char[] chars = new char[2];
                ring.neighbourAllToAll(new char[]{(char) (job.rank() + 'a'), 'x'}, chars);
                assertThat(chars).containsExactly((char) (left + 'a'), 'x');
                short[] shorts = new short[2];
                ring.nonBlocking().neighbourAllgather(new short[]{(short) job.rank()}, shorts).await();
                assertThat(shorts).containsExactly((short) left, (short) job.rank());
                long[] longs = new long[3];
                ring.neighbourAllToAll(new long[]{1L << job.rank(), 9}, Blocks.of(1, 1), longs,
                        Blocks.of(new int[]{1, 1}, new int[]{2, 0}));
                assertThat(longs).containsExactly(9, 0, 1L << left);
                float[] floats = new float[2];
                ring.prepare().neighbourAllgather(new float[]{job.rank()}, floats).run();
                assertThat(floats).containsExactly(left, job.rank());
                double[] doubles = new double[2];
                ring.neighbourAllgather(new double[]{job.rank() / 2.0}, doubles);
                assertThat(doubles).containsExactly(left / 2.0, job.rank() / 2.0);
                boolean[] source = new boolean[2];
                boolean[] target = {true, true, true};
                PreparedCall call = ring.prepare().neighbourAllToAll(source, Blocks.of(1, 1), target,
                        Blocks.of(new int[]{1, 1}, new int[]{0, 2}));
                for (int round = 0; round < 4; round++) {
                    source[0] = round % 2 == 0;
                    source[1] = round % 3 == 0;
                    call.run();
                    assertThat(target).containsExactly(round % 2 == 0, true, round % 3 == 0);
                }
                MemorySegment memory = Arena.ofAuto().allocate(2 * Integer.BYTES);
                ring.neighbourAllgather(Span.of(new int[]{0, job.rank()}, 1, 1), Span.of(memory, DataType.INT));
                assertThat(memory.toArray(ValueLayout.JAVA_INT)).containsExactly(left, job.rank());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldRepeatAPreparedCall(MessageShape shape) {
        shape.run(3, job -> {
            int[] others = {(job.rank() + 1) % 3, (job.rank() + 2) % 3};
            try (GraphCommunicator graph = job.world().graph(others, others)) {
                for (int length : new int[]{3, 20_000}) {
                    int[] source = new int[length];
                    int[] target = new int[2 * length];
                    PreparedCall call = graph.prepare().neighbourAllgather(source, target);
                    for (int round = 0; round < 20; round++) {
                        Arrays.fill(source, 10 * round + job.rank());
                        Request request = call.start();
                        if (round % 2 == 0) {
                            request.await();
                        } else {
                            while (!request.isDone()) {
                                Thread.onSpinWait();
                            }
                            assertThat(request.await(Duration.ZERO)).isTrue();
                        }
                        assertThat(Arrays.copyOf(target, length)).containsOnly(10 * round + others[0]);
                        assertThat(Arrays.copyOfRange(target, length, 2 * length))
                                .containsOnly(10 * round + others[1]);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndARequestWhenAllMessagesHaveEnded(MessageShape shape) {
        shape.run(2, job -> {
            Communicator world = job.world();
            try (GraphCommunicator graph = world.graph(new int[]{1 - job.rank()}, new int[]{1 - job.rank()})) {
                int[] target = new int[1];
                if (job.rank() == 0) {
                    PreparedCall call = graph.prepare().neighbourAllgather(new int[]{5}, target);
                    Request request = call.start();
                    assertThat(request.isDone()).isFalse();
                    assertThat(request.await(Duration.ofMillis(20))).isFalse();
                    assertThatThrownBy(call::start).isInstanceOf(IllegalStateException.class)
                            .hasMessage("rank 0 started a prepared call between neighbours that is in flight; await "
                                    + "it first, or prepare another one");
                    world.barrier();
                    request.completion().toCompletableFuture().join();
                    assertThat(request.isDone()).isTrue();
                    request.await();
                    assertThat(target).containsExactly(6);
                } else {
                    world.barrier();
                    graph.neighbourAllgather(new int[]{6}, target);
                    assertThat(target).containsExactly(5);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldStayUsableAfterABlockOfAnotherLength(MessageShape shape) {
        shape.run(2, job -> {
            int other = 1 - job.rank();
            try (GraphCommunicator graph = job.world().graph(new int[]{other}, new int[]{other})) {
                int[] target = new int[9];
                for (int difference : new int[]{-1, 1}) {
                    int expected = job.rank() == 0 ? 4 + difference : 4;
                    Request request = graph.nonBlocking().neighbourAllToAll(new int[4], Blocks.of(4), target,
                            Blocks.of(expected));
                    if (job.rank() == 1) {
                        request.await();
                    } else {
                        assertThatThrownBy(request::await).isInstanceOf(MessageMismatchException.class)
                                .hasMessageContaining(difference < 0
                                        ? "with tag 0 that has 4 elements of type INT, but the receive has room for 3"
                                        : "rank 0 has received 4 elements from its neighbour, rank 1, in block 0, "
                                                + "which has 5; give the block one length at both ranks");
                        assertThat(request.isDone()).isTrue();
                        assertThatThrownBy(request.completion().toCompletableFuture()::join)
                                .isInstanceOf(CompletionException.class)
                                .hasCauseInstanceOf(MessageMismatchException.class);
                    }
                }
                int[] got = new int[1];
                graph.neighbourAllgather(new int[]{job.rank()}, got);
                assertThat(got).containsExactly(other);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseCallsAfterADeadline(MessageShape shape) {
        shape.run(2, job -> {
            Communicator world = job.world();
            try (GraphCommunicator graph = world.graph(new int[]{1 - job.rank()}, new int[]{1 - job.rank()})) {
                if (job.rank() == 0) {
                    assertThatThrownBy(() -> graph.withDeadline(Duration.ofMillis(50))
                            .neighbourAllgather(new int[1], new int[1])).isInstanceOf(DeadlineExceededException.class);
                    assertThatThrownBy(() -> graph.neighbourAllgather(new int[1], new int[1]))
                            .isInstanceOf(CommunicatorBrokenException.class)
                            .hasMessageStartingWith("the neighbourhood of rank 0 can no longer be used, because an "
                                    + "earlier call on it has failed: ");
                }
                world.barrier();
            }
            try (GraphCommunicator graph = world.graph(new int[0], new int[0])) {
                graph.withDeadline(Duration.ofNanos(1)).neighbourAllgather(new int[1], new int[0]);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseCallsAfterAnInterrupt(MessageShape shape) {
        shape.run(2, job -> {
            Communicator world = job.world();
            try (GraphCommunicator graph = world.graph(new int[]{1 - job.rank()}, new int[]{1 - job.rank()})) {
                if (job.rank() == 0) {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(() -> graph.neighbourAllgather(new int[1], new int[1]))
                            .isInstanceOf(CallInterruptedException.class);
                    assertThat(Thread.interrupted()).isTrue();
                    assertThatThrownBy(() -> graph.neighbourAllgather(new int[1], new int[1]))
                            .isInstanceOf(CommunicatorBrokenException.class);
                }
                world.barrier();
            }
            world.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameAWrongEdgeAtAllRanks(MessageShape shape) {
        shape.run(3, job -> {
            int[] self = {job.rank()};
            int[] twice = {job.rank(), job.rank()};
            assertThatThrownBy(() -> job.world().graph(self, job.rank() == 1 ? twice : self))
                    .isInstanceOf(IllegalArgumentException.class).hasMessage("rank 1 names target 1 more often than "
                            + "rank 1 names source 1; name each edge of a graph at both ranks");
            assertThatThrownBy(() -> job.world().graph(job.rank() == 2 ? new int[]{0} : new int[0], new int[0]))
                    .isInstanceOf(IllegalArgumentException.class).hasMessage("rank 2 names source 0 more often than "
                            + "rank 0 names target 2; name each edge of a graph at both ranks");
            assertThatThrownBy(() -> job.world().graph(new int[0], new int[]{3}))
                    .isInstanceOf(IllegalArgumentException.class).hasMessage("rank " + job.rank() + " called graph "
                            + "with target 3; the ranks of the communicator are 0 to 2");
            job.world().barrier();
        });
    }

    @Test
    void shouldRefuseInvalidArguments() {
        Tutti.runLocal(1, job -> {
            try (GraphCommunicator graph = job.world().graph(new int[]{0, 0}, new int[]{0, 0})) {
                refuses(() -> graph.neighbourAllgather(new int[2], new int[3]),
                        "the target must have a block of 2 elements from each of 2 sources, but has 3");
                refuses(() -> graph.nonBlocking().neighbourAllToAll(new int[3], new int[4]),
                        "the source of 3 elements has no equal blocks for 2 targets; make it a multiple of their "
                                + "number");
                refuses(() -> graph.prepare().neighbourAllToAll(new int[2], new int[4]),
                        "the source has blocks of 1 elements for 2 targets, but the target has blocks of 2 from 2 "
                                + "sources; make them equal, or pass Blocks");
                refuses(() -> graph.neighbourAllgather(new int[2], new int[4], Blocks.of(4)),
                        "the target has 1 blocks, but this rank has 2 sources; pass a block for each source");
                refuses(() -> graph.neighbourAllToAll(new int[2], Blocks.of(1, 2), new int[4], Blocks.of(1, 1)),
                        "the blocks of the source end at element 3, but it has 2");
                refuses(() -> graph.neighbourAllgather(new int[2], new int[4],
                        Blocks.of(new int[]{2, 2}, new int[]{0, 1})), "overlap; what is received must be apart");
                int[] array = new int[6];
                refuses(() -> graph.neighbourAllgather(Span.of(array, 0, 2), Span.of(array, 1, 4)),
                        "source and target overlap in a call between neighbours; they must be apart");
                refuses(() -> graph.neighbourAllgather(Span.of(new int[2]), Span.of(new float[4])),
                        "source and target must have the same type, but have INT and FLOAT");
                refuses(() -> graph.withDeadline(Duration.ZERO), "a deadline must be more than zero");
                try (Arena arena = Arena.ofConfined()) {
                    Span confined = Span.of(arena.allocate(4), DataType.INT);
                    refuses(() -> graph.neighbourAllgather(confined, Span.of(new int[2])), "only this thread can use");
                }
                int[] got = new int[2];
                graph.neighbourAllgather(new int[]{3}, got);
                assertThat(got).containsExactly(3, 3);
            }
        });
    }

    private static void refuses(Runnable call, String message) {
        assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void shouldCloseItsCommunicators() {
        Tutti.runLocal(2, job -> {
            GraphCommunicator graph = job.world().graph(new int[0], new int[0]);
            graph.communicator().barrier();
            graph.close();
            graph.close();
            assertThatThrownBy(() -> graph.communicator().barrier()).isInstanceOf(IllegalStateException.class);
        });
    }
}
