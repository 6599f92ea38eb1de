/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobOptions.Threads;
import org.tutti.collective.layout.RingLayout;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Collectives with blocks of any length, and holes between them, against plain computations. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class BlocksTest {
    private static final int HOLE = -7;
    private static final int[] LENGTHS = {1, 5, 900, 40_000, 300_000};

    private record Shape(String name, Consumer<Program> runner) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Shape> shapes() {
        return Stream.of(new Shape("2 platform threads",
                program -> Tutti.runLocal(2, JobOptions.DEFAULT.withThreads(Threads.PLATFORM), program)),
                new Shape("5 virtual threads",
                        program -> Tutti.runLocal(5, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL), program)),
                new Shape("2 nodes of 2", program -> LocalNodes.run(new int[]{0, 1, 1, 0}, program)),
                new Shape("a first node of one", program -> LocalNodes.run(new int[]{0, 1, 1}, program)),
                new Shape("3 nodes", program -> LocalNodes.run(new int[]{0, 1, 2, 0, 0}, program)));
    }

    /** So many ranks on a node that places are given back by credits, or that a window has room for one place only. */
    static Stream<Shape> wideShapes() {
        return Rows.sampled(Stream.of(
                new Shape("2 nodes of 24",
                        program -> LocalNodes.run(IntStream.range(0, 48).map(rank -> rank / 24).toArray(), program)),
                new Shape("600 virtual threads",
                        program -> Tutti.runLocal(600, JobOptions.DEFAULT.withThreads(Threads.VIRTUAL), program))));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("wideShapes")
    void shouldExchangeBlocksOnWideNodes(Shape shape) {
        shape.runner.accept(job -> {
            for (int most : new int[]{3, 60}) {
                exchange(job.world(), most);
            }
        });
    }

    /** A block is below, at or above the 62 elements that a record carries. */
    @ParameterizedTest
    @MethodSource("requested")
    void shouldExchangeBlocksByARequestedAlgorithm(String algorithms, Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            for (String entry : algorithms.split(",")) {
                String[] sides = entry.split("=");
                world = world.withAlgorithm(Collective.valueOf(sides[0]), sides[1]);
            }
            for (int most : new int[]{1, 61, 62, 63, 900, 40_000}) {
                exchange(world, most);
            }
        });
    }

    static Stream<Arguments> requested() {
        return Stream.of("GATHER=tree,SCATTER=tree,ALLGATHER=bruck,ALL_TO_ALL=bruck",
                "GATHER=direct,SCATTER=direct,ALLGATHER=direct,ALL_TO_ALL=direct",
                "GATHER=halving,SCATTER=halving,ALLGATHER=gather-and-broadcast,ALL_TO_ALL=aggregated",
                "GATHER=tree@2-ports,SCATTER=tree@2-ports,ALLGATHER=ring,ALL_TO_ALL=standard-exchange")
                .flatMap(algorithms -> shapes().map(shape -> Arguments.of(algorithms, shape)));
    }

    /**
     * A block is as long as an eager buffer, or an eager buffer and a long one together, has room for, or not quite, or
     * longer. Blocks of a third of the length go with it.
     */
    @ParameterizedTest
    @MethodSource("nodes")
    void shouldExchangeBlocksAsLongAsTheBuffersOfAPair(int[] nodeOfRank) {
        int nodes = Arrays.stream(nodeOfRank).max().orElseThrow() + 1;
        int ranksMax = IntStream.range(0, nodes)
                .map(node -> (int) Arrays.stream(nodeOfRank).filter(each -> each == node).count()).max().orElseThrow();
        LocalNodes.run(nodeOfRank, job -> {
            for (int chunks : new int[]{1, ranksMax, ranksMax * ranksMax}) { // of a gather, scatter and all-to-all
                int eager = (int) RingLayout.pairEagerBytes(nodes) / chunks / Integer.BYTES;
                int both = eager + (int) RingLayout.pairLongBytes(nodes) / chunks / Integer.BYTES;
                for (int most : new int[]{eager - 3, eager - 2, eager, both - 3, both - 2, both, 3 * (both - 2)}) {
                    exchange(job.world(), most);
                }
            }
        });
    }

    static Stream<int[]> nodes() {
        return Stream.of(new int[]{0, 1}, new int[]{0, 1, 2, 3}, new int[]{0, 1, 1, 0}, new int[]{0, 1, 2, 0, 0});
    }

    private static void exchange(Communicator world, int most) {
        int rank = world.rank();
        int last = world.size() - 1;
        Blocks ofSource = scattered(world.size(), other -> length(rank, other, most));
        Blocks ofTarget = scattered(world.size(), other -> length(other, rank, most));
        int[] source = with(holes(ofSource), ofSource, (other, i) -> element(rank, other, i));
        int[] target = holes(ofTarget);
        world.allToAll(source, ofSource, target, ofTarget);
        assertThat(target).isEqualTo(with(holes(ofTarget), ofTarget, (other, i) -> element(other, rank, i)));
        Blocks ofRoot = scattered(world.size(), other -> length(last, other, most));
        int[] block = new int[length(last, rank, most)];
        int[] all = rank == last ? with(holes(ofRoot), ofRoot, (other, i) -> element(last, other, i)) : null;
        world.scatter(all, rank == last ? ofRoot : null, block, last);
        assertThat(block).isEqualTo(block(last, rank, most));
        int[] gathered = rank == last ? holes(ofRoot) : null;
        world.gather(block, gathered, rank == last ? ofRoot : null, last);
        assertThat(gathered).isEqualTo(all);
        int[] everywhere = holes(ofRoot);
        Blocks known = scattered(world.size(), other -> length(last, other, most));
        world.allgather(block, everywhere, known);
        assertThat(everywhere)
                .isEqualTo(with(holes(known), known, (other, i) -> element(last, other, i)));
        int[] later = holes(ofTarget);
        PreparedCall prepared = world.prepare().allToAll(source, ofSource, later, ofTarget);
        prepared.start().await();
        prepared.run();
        assertThat(later).isEqualTo(target);
    }

    /** What comes from a rank lies where what goes to it lay: of so long blocks that places take turns. */
    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("inPlaceShapes")
    void shouldExchangeLongBlocksInPlace(int[] nodeOfRank) {
        int most = 330_001;
        LocalNodes.run(nodeOfRank, job -> {
            Communicator world = job.world().withAlgorithm(Collective.ALL_TO_ALL, "blocks");
            int rank = world.rank();
            int[] blocks = IntStream.range(0, world.size() * most)
                    .map(i -> element(rank, i / most, i % most)).toArray();
            for (int turn = 0; turn < 2; turn++) { // the second one gives all back
                world.allToAll(blocks);
                boolean isBack = turn == 1;
                int[] expected = IntStream.range(0, world.size() * most)
                        .map(i -> isBack ? element(rank, i / most, i % most) : element(i / most, rank, i % most))
                        .toArray();
                assertThat(Arrays.mismatch(blocks, expected)).as("turn %d", turn).isEqualTo(-1);
            }
        });
    }

    static Stream<Arguments> inPlaceShapes() {
        return Rows.sampled(Stream.of(new int[]{0, 1, 2, 3}, new int[]{0, 1, 2, 0, 2}, new int[]{0, 1, 2, 3, 4},
                new int[]{0, 0, 1, 1}).map(Arguments::of));
    }

    private static int length(int from, int to, int most) {
        return switch (new Random(31L * from + to + most).nextInt(5)) {
            case 0 -> 0;
            case 1 -> most / 3;
            case 2 -> most / 40;
            default -> most;
        };
    }

    private static int element(int from, int to, int index) {
        return (from + 1) * 1_000_003 + to * 7919 + index;
    }

    /** Blocks in the reverse order of the ranks, with a hole after each. */
    private static Blocks scattered(int ranks, IntUnaryOperator count) {
        int[] counts = IntStream.range(0, ranks).map(count).toArray();
        int[] displacements = new int[ranks];
        for (int rank = ranks - 2; rank >= 0; rank--) {
            displacements[rank] = displacements[rank + 1] + counts[rank + 1] + 3;
        }
        return Blocks.of(counts, displacements);
    }

    private static int[] holes(Blocks blocks) {
        int[] holes = new int[(int) blocks.end() + 2];
        Arrays.fill(holes, HOLE);
        return holes;
    }

    private interface Element {
        int at(int rank, int index);
    }

    private static int[] with(int[] elements, Blocks blocks, Element element) {
        for (int rank = 0; rank < blocks.ranks(); rank++) {
            for (int i = 0; i < blocks.count(rank); i++) {
                elements[(int) blocks.displacement(rank) + i] = element.at(rank, i);
            }
        }
        return elements;
    }

    private static int[] block(int from, int to, int most) {
        int[] block = new int[length(from, to, most)];
        Arrays.setAll(block, i -> element(from, to, i));
        return block;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldExchangeBlocksOfWhichOnlyTwoRanksKnowTheLength(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int rank = world.rank();
            for (int most : LENGTHS) {
                Blocks ofSource = scattered(world.size(), other -> length(rank, other, most));
                Blocks ofTarget = scattered(world.size(), other -> length(other, rank, most));
                int[] source = with(holes(ofSource), ofSource, (other, i) -> element(rank, other, i));
                int[] target = holes(ofTarget);
                int[] later = holes(ofTarget);
                int[] expected = with(holes(ofTarget), ofTarget, (other, i) -> element(other, rank, i));
                world.allToAll(source, ofSource, target, ofTarget);
                world.nonBlocking().allToAll(source, ofSource, later, ofTarget).await();
                assertThat(target).isEqualTo(expected);
                assertThat(later).isEqualTo(expected);
                assertThat(source).isEqualTo(with(holes(ofSource), ofSource, (other, i) -> element(rank, other, i)));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGatherBlocksOfWhichTheRootKnowsTheLength(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            for (int root = 0; root < world.size(); root++) {
                int to = root;
                for (int most : LENGTHS) {
                    int[] own = block(world.rank(), root, most);
                    if (world.rank() != root) {
                        world.gather(own, null, null, root);
                        world.gather(own, root, null);
                        world.nonBlocking().gather(own, null, null, root).await();
                        continue;
                    }
                    Blocks blocks = scattered(world.size(), other -> length(other, to, most));
                    int[] target = holes(blocks);
                    int[] inPlace = with(holes(blocks), blocks, (other, i) -> other == to ? own[i] : HOLE);
                    int[] later = holes(blocks);
                    world.gather(own, target, blocks, root);
                    world.gather(inPlace, root, blocks);
                    world.nonBlocking().gather(own, later, blocks, root).await();
                    int[] expected = with(holes(blocks), blocks, (other, i) -> element(other, to, i));
                    assertThat(target).isEqualTo(expected);
                    assertThat(inPlace).isEqualTo(expected);
                    assertThat(later).isEqualTo(expected);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldScatterBlocksOfWhichTheRootKnowsTheLength(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int rank = world.rank();
            for (int root = 0; root < world.size(); root++) {
                int from = root;
                for (int most : LENGTHS) {
                    int[] expected = block(root, rank, most);
                    int[] target = new int[expected.length];
                    int[] later = new int[expected.length];
                    if (rank == root) {
                        Blocks blocks = scattered(world.size(), other -> length(from, other, most));
                        int[] source = with(holes(blocks), blocks, (other, i) -> element(from, other, i));
                        world.scatter(source, blocks, target, root);
                        world.scatter(source, root, blocks);
                        world.nonBlocking().scatter(source, blocks, later, root).await();
                        assertThat(source)
                                .isEqualTo(with(holes(blocks), blocks, (other, i) -> element(from, other, i)));
                    } else {
                        int[] inPlace = new int[expected.length];
                        world.scatter(null, null, target, root);
                        world.scatter(inPlace, root, null);
                        world.nonBlocking().scatter(null, null, later, root).await();
                        assertThat(inPlace).isEqualTo(expected);
                    }
                    assertThat(target).isEqualTo(expected);
                    assertThat(later).isEqualTo(expected);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGatherBlocksAtEveryRank(Shape shape) {
        shape.runner.accept(job -> {
            Communicator world = job.world();
            for (int most : LENGTHS) {
                Blocks blocks = scattered(world.size(), other -> length(other, 0, most));
                int[] own = block(world.rank(), 0, most);
                int[] target = holes(blocks);
                int[] inPlace = with(holes(blocks), blocks, (other, i) -> other == world.rank() ? own[i] : HOLE);
                int[] later = holes(blocks);
                world.allgather(own, target, blocks);
                world.allgather(inPlace, blocks);
                world.nonBlocking().allgather(own, later, blocks).await();
                int[] expected = with(holes(blocks), blocks, (other, i) -> element(other, 0, i));
                assertThat(target).isEqualTo(expected);
                assertThat(inPlace).isEqualTo(expected);
                assertThat(later).isEqualTo(expected);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldScatterACombinationInBlocks(Shape shape) {
        Reduction last = Reduction.ofInts("last", false, (left, right) -> right); // does not commute
        shape.runner.accept(job -> {
            Communicator world = job.world();
            int rank = world.rank();
            for (int most : LENGTHS) {
                Blocks blocks = scattered(world.size(), other -> length(0, other, most));
                int[] source = with(holes(blocks), blocks, (other, i) -> element(rank, other, i));
                int[] inPlace = source.clone();
                int count = (int) blocks.count(rank);
                int[] sum = new int[count];
                int[] later = new int[count];
                int[] ofLast = new int[count];
                world.reduceScatter(source, blocks, sum, Reduction.SUM);
                world.reduceScatter(inPlace, blocks, Reduction.SUM);
                world.nonBlocking().reduceScatter(source, blocks, later, Reduction.SUM).await();
                world.reduceScatter(source, blocks, ofLast, last);
                int[] expected = new int[count];
                int[] expectedLast = new int[count];
                for (int i = 0; i < count; i++) {
                    for (int other = 0; other < world.size(); other++) {
                        expected[i] += element(other, rank, i);
                    }
                    expectedLast[i] = element(world.size() - 1, rank, i);
                }
                assertThat(sum).isEqualTo(expected);
                assertThat(later).isEqualTo(expected);
                assertThat(ofLast).isEqualTo(expectedLast);
                assertThat(source).isEqualTo(with(holes(blocks), blocks, (other, i) -> element(rank, other, i)));
                assertThat(inPlace).isEqualTo(with(source.clone(), blocks,
                        (other, i) -> other == rank ? expected[i] : element(rank, other, i)));
            }
        });
    }

    @Test
    void shouldNoticeThatRanksCombineBlocksOfOtherLengths() {
        assertThatThrownBy(() -> Tutti.runLocal(2, job -> {
            Blocks blocks = Blocks.of(2, job.rank() == 0 ? 2 : 3);
            job.world().reduceScatter(new int[5], blocks, new int[job.rank() == 0 ? 2 : 3], Reduction.SUM);
        })).hasStackTraceContaining("called reduce-scatter (algorithm direct) of blocks of int elements");
    }

    @Test
    void shouldExchangeBooleansAndMemoryOffTheHeap() {
        LocalNodes.run(new int[]{0, 0, 1}, job -> {
            Communicator world = job.world();
            int rank = world.rank();
            boolean[] kept = {true, true, true, true, true};
            world.allToAll(new boolean[]{rank == 1, false}, Blocks.of(rank == 1 ? new int[]{0, 1, 1} : new int[3]),
                    kept, Blocks.of(rank == 0 ? new int[3] : new int[]{0, 1, 0}, new int[]{0, 2, 0}));
            assertThat(kept).containsExactly(true, true, rank != 2, true, true);
            try (Arena arena = Arena.ofShared()) {
                MemorySegment source = arena.allocate(ValueLayout.JAVA_DOUBLE, 100_000);
                for (int i = 0; i < 100_000; i++) {
                    source.setAtIndex(ValueLayout.JAVA_DOUBLE, i, i + rank * 0.25);
                }
                MemorySegment target = arena.allocate(ValueLayout.JAVA_DOUBLE, 300_000);
                world.gather(Span.of(source, DataType.DOUBLE), Span.of(target, DataType.DOUBLE),
                        Blocks.of(100_000, 100_000, 100_000), 2);
                for (int i = 0; rank == 2 && i < 300_000; i += 77) {
                    assertThat(target.getAtIndex(ValueLayout.JAVA_DOUBLE, i))
                            .isEqualTo(i % 100_000 + i / 100_000 * 0.25);
                }
            }
        });
    }

    @Test
    void shouldNameBothRanksThatDisagreeOnALength() {
        assertThatThrownBy(() -> Tutti.runLocal(2, job -> {
            Communicator world = job.world();
            int sent = world.rank() == 0 ? 5 : 3;
            world.allToAll(new int[8], Blocks.of(new int[]{3, sent}, new int[]{0, 3}), new int[8], Blocks.of(3, 3));
        })).rootCause().hasMessageMatching("rank 1 called all-to-all at org\\.tutti\\.BlocksTest\\.\\S+ and expects a "
                + "block of 3 int elements of rank 0, which has one of 5 int elements for it; both must say the same");
    }

    /** The rank that sends too much meets the broken communicator in this call or in the next one. */
    @ParameterizedTest
    @ValueSource(ints = {5, 100_000})
    void shouldNameBothRanksThatDisagreeOnALengthByARequestedAlgorithm(int sent) {
        for (Collective collective : List.of(Collective.GATHER, Collective.SCATTER, Collective.ALLGATHER,
                Collective.ALL_TO_ALL)) {
            LocalNodes.run(new int[]{0, 1}, job -> {
                Communicator world = job.world().withAlgorithm(Collective.GATHER, "tree")
                        .withAlgorithm(Collective.SCATTER, "tree").withAlgorithm(Collective.ALLGATHER, "bruck")
                        .withAlgorithm(Collective.ALL_TO_ALL, "bruck");
                int[] block = new int[world.rank() == 0 ? sent : 3];
                Blocks right = Blocks.of(sent, 3);
                Blocks wrong = Blocks.of(3, 3);
                boolean isSender = world.rank() == 0;
                assertThatThrownBy(() -> {
                    switch (collective) {
                        case GATHER -> world.gather(block, isSender ? null : new int[6], isSender ? null : wrong, 1);
                        case SCATTER -> world.scatter(isSender ? new int[2 * sent] : null,
                                isSender ? Blocks.of(sent, sent) : null, block, 0);
                        case ALLGATHER -> world.allgather(block, new int[sent + 3], isSender ? right : wrong);
                        default -> world.allToAll(new int[sent + 3], isSender ? Blocks.of(3, sent) : wrong,
                                new int[6], wrong);
                    }
                    world.barrier();
                }).isInstanceOf(isSender ? TuttiException.class : CollectiveMismatchException.class)
                        .hasStackTraceContaining("rank 1").satisfies(thrown -> {
                            if (!isSender) {
                                assertThat(thrown).hasMessageContaining("expects a block of 3 int elements of rank 0, "
                                        + "which has one of " + sent + " int elements for it; both must say the same");
                            }
                        });
            });
        }
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        Tutti.runLocal(1, job -> {
            Communicator world = job.world();
            int[] three = new int[3];
            assertThatThrownBy(() -> world.gather(three, new int[3], Blocks.of(2), 0))
                    .hasMessage("this rank, 0, has a block of 2 elements on one side and of 3 on the other");
            assertThatThrownBy(() -> world.gather(three, new int[2], Blocks.of(3), 0))
                    .hasMessage("the blocks of the target end at element 3, but it has 2");
            assertThatThrownBy(() -> world.scatter(three, Blocks.of(1, 1), new int[1], 0))
                    .hasMessage("the blocks of the source are those of 2 ranks, but the communicator has 1");
            assertThatThrownBy(() -> world.scatter(three, null, new int[1], 0))
                    .hasMessage("the blocks of the source, which this rank needs");
            assertThatThrownBy(() -> world.allToAll(three, Blocks.of(3), three, Blocks.of(3)))
                    .hasMessage(
                            "source and target overlap; where blocks differ in length, they must be apart as a whole, "
                                    + "or the call one that is in place");
            int[] target = new int[3];
            world.allToAll(three, Blocks.of(new int[]{2}, new int[]{1}), target, Blocks.of(2));
            assertThat(target).containsOnly(0);
        });
        assertThatThrownBy(() -> Blocks.of(2, -1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the block of rank 1 has count -1 and displacement 2; both must be 0 or more");
        String behind = " would end behind element 9223372036854775807, the last that can be counted: it has count ";
        assertThatThrownBy(() -> Blocks.of(new long[]{5, Long.MAX_VALUE, 7}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the block of rank 1" + behind + "9223372036854775807 and displacement 5");
        assertThatThrownBy(() -> Blocks.of(new long[]{5}, new long[]{Long.MAX_VALUE - 4}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the block of rank 0" + behind + "5 and displacement 9223372036854775803");
        assertThatThrownBy(() -> Blocks.of(new int[]{1}, new int[]{1, 2})).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("blocks need a count and a displacement for each rank, but there are 1 counts and 2 "
                        + "displacements");
        Tutti.runLocal(2, job -> {
            Blocks overlapping = Blocks.of(new int[]{2, 2}, new int[]{0, 1});
            assertThatThrownBy(() -> job.world().allToAll(new int[4], Blocks.of(2, 2), new int[4], overlapping))
                    .hasMessage("the blocks of ranks 0 and 1 in the target overlap; what is received must be apart");
            job.world().allToAll(new int[4], overlapping, new int[4], Blocks.of(2, 2)); // what is sent may overlap
            boolean[] scattered = new boolean[1];
            job.world().scatter(job.rank() == 0 ? new boolean[]{false, true} : null, scattered, 0);
            assertThat(scattered[0]).isEqualTo(job.rank() == 1);
        });
    }
}
