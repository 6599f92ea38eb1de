/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.Program;
import org.tutti.Rows;
import org.tutti.Span;
import org.tutti.Tutti;
import org.tutti.choice.Catalogue;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The grid: collective × algorithm × type × operator × ranks × nodes × root × size × in place × on or off the heap. By
 * default a covering sample by a fixed seed ({@code -Dgrid.seed=…} for another one); {@code ./mvnw verify -Dgrid=all}
 * runs all of it; {@code -Dgrid.only=allreduce} or {@code "-Dgrid.only=allreduce ring"} runs a part.
 *
 * <p>All cases with the same ranks, collective and algorithm run one after the other in the same job, so the slots are
 * used again and again with operations of all sizes in flight. Half of the jobs of one node run on platform
 * threads, half on virtual ones; those of several nodes have the real fabric between them ({@link LocalNodes}). Every
 * third job's cases run on a group of its ranks in the reverse order, which are placed so that the group is as the case
 * has it.
 */
@Tag("sampled")
@Execution(ExecutionMode.CONCURRENT)
class GridTest {
    private static final int EXPECTATIONS_KEPT = 32;
    private static final String ONLY = System.getProperty("grid.only", "");
    private static final long SEED = Long.getLong("grid.seed", 20261121);
    private static final List<Shape> SHAPES = List.of(Shape.of(1, 13, 13, 2, 4), Shape.of(1, 16, 16, 4, 8),
            Shape.of(1, 15, 15, 4), Shape.of(1, 8, 8, 2, 4), Shape.of(2, 31, 16), Shape.of(2, 31, 16, 4, 8));

    /** Ranks on nodes, the first of which has so many, and levels inside. */
    private record Shape(int[] ranks, int[] levels) {
        static Shape of(int nodes, int size, int onFirst, int... levels) {
            int[] nodeOfRank = new int[size];
            Arrays.setAll(nodeOfRank, rank -> Math.min(nodes - 1, rank / onFirst));
            return new Shape(nodeOfRank, levels);
        }

        @Override
        public String toString() {
            return "nodes " + Arrays.toString(ranks) + ", levels " + Arrays.toString(levels);
        }
    }

    @TestFactory
    List<DynamicTest> shouldGiveTheResultOfThePlainComputation() {
        List<Case> cases = "all".equals(System.getProperty("grid")) ? Case.all() : Case.sample(SEED);
        Map<String, List<Case>> groups = new TreeMap<>();
        cases.removeIf(point -> !(point.collective().label() + " " + point.algorithm()).startsWith(ONLY));
        for (Case point : cases) {
            groups.computeIfAbsent(
                    point.collective().label() + " " + point.algorithm() + ", " + point.ranks() + " ranks on nodes "
                            + Arrays.toString(point.nodeOfRank()),
                    _ -> new ArrayList<>()).add(point);
        }
        List<DynamicTest> tests = new ArrayList<>();
        groups.forEach((name, group) -> {
            Threads kind = tests.size() % 2 == 0 ? Threads.VIRTUAL : Threads.PLATFORM;
            boolean reversed = tests.size() % 3 == 0;
            tests.add(DynamicTest.dynamicTest(name + (reversed ? ", reversed, " : ", ") + group.size() + " cases on "
                    + kind + " threads, seed " + SEED, () -> run(group, kind, reversed)));
        });
        return tests;
    }

    @Test
    void shouldContainEveryAlgorithmOfTheCatalogue() {
        TreeSet<String> inGrid = new TreeSet<>();
        Case.sample(SEED).forEach(point -> inGrid.add(point.collective() + " " + point.algorithm()));
        TreeSet<String> inCatalogue = new TreeSet<>();
        for (Collective collective : Collective.values()) {
            Catalogue.of(collective)
                    .forEach(algorithm -> inCatalogue.add(collective + " " + algorithm.description().name()));
        }
        assertThat(inGrid).isEqualTo(inCatalogue);
    }

    /** Every algorithm on nodes with levels inside; one processor of 16 is left out on one of them. */
    @TestFactory
    List<DynamicTest> shouldGiveTheResultOfThePlainComputationOnNodesWithLevels() {
        List<DynamicTest> tests = new ArrayList<>();
        for (int number : Rows.sampled(IntStream.range(0, SHAPES.size()).boxed()).toList()) {
            Shape shape = SHAPES.get(number);
            List<Case> cases = Case.sampleOf(SEED, shape.ranks().length, number, SHAPES.size());
            cases.removeIf(point -> !(point.collective().label() + " " + point.algorithm()).startsWith(ONLY));
            Threads kind = number % 2 == 0 ? Threads.PLATFORM : Threads.VIRTUAL;
            tests.add(DynamicTest.dynamicTest(shape + ", " + cases.size() + " cases, seed " + SEED,
                    () -> run(cases, kind, shape.ranks(), shape.levels(), world -> world)));
        }
        return tests;
    }

    private static void run(List<Case> group, Threads kind, boolean reversed) {
        int[] nodeOfRank = group.get(0).nodeOfRank();
        if (reversed) {
            run(group, kind, reversed(nodeOfRank), new int[0], world -> world.split(0, -world.rank()));
        } else {
            run(group, kind, nodeOfRank, new int[0], world -> world);
        }
    }

    /** The same ranks in the reverse order; nodes are numbered in the order of their first rank. */
    private static int[] reversed(int[] nodeOfRank) {
        int size = nodeOfRank.length;
        Map<Integer, Integer> numbers = new HashMap<>();
        return IntStream.range(0, size).map(rank -> nodeOfRank[size - 1 - rank])
                .map(node -> numbers.computeIfAbsent(node, _ -> numbers.size())).toArray();
    }

    private static void run(List<Case> group, Threads kind, int[] nodeOfRank, int[] levels,
            UnaryOperator<Communicator> on) {
        Map<Case, MemorySegment> expectations = new ConcurrentHashMap<>();
        AtomicInteger checked = new AtomicInteger();
        int ranks = group.get(0).ranks();
        Program program = job -> {
            Communicator communicator = on.apply(job.world());
            for (int i = 0; i < group.size(); i++) {
                run(group.get(i), communicator, expectations);
                checked.incrementAndGet();
                if (communicator.rank() == 0 && i >= EXPECTATIONS_KEPT) {
                    expectations.remove(group.get(i - EXPECTATIONS_KEPT));
                }
            }
        };
        if (Arrays.stream(nodeOfRank).max().orElse(0) == 0) {
            Tutti.runLocal(ranks, JobOptions.DEFAULT.withThreads(kind).withLevels(levels), program);
        } else {
            LocalNodes.run(nodeOfRank, levels, program);
        }
        assertThat(checked.get()).isEqualTo(ranks * group.size());
    }

    private static void run(Case point, Communicator world, Map<Case, MemorySegment> expectations) {
        Communicator communicator = world.withAlgorithm(point.collective(), point.algorithm());
        if (point.collective() == Collective.BARRIER) {
            communicator.barrier();
            return;
        }
        // some ranks' memory can be addressed by others
        try (Arena arena = world.rank() % 3 == 2 ? Arena.ofConfined() : Arena.ofShared()) {
            boolean receives = point.collective().receives(world.rank(), point.root());
            MemorySegment contribution = Reference.contribution(point, world.rank());
            MemorySegment expected = !receives ? null
                    : Reference.isSameForAll(point)
                            ? expectations.computeIfAbsent(point, _ -> Reference.expected(point, world.rank()))
                            : Reference.expected(point, world.rank());
            if (point.inPlace() || point.collective() == Collective.BROADCAST) {
                runInPlace(point, communicator, arena, contribution, expected);
            } else {
                boolean rootOnly = point.collective().hasRoot() && world.rank() != point.root();
                int sources = point.collective().sourceHasBlocks(world.rank(), point.root()) ? world.size() : 1;
                int targets = point.collective().targetHasBlocks(world.rank(), point.root()) ? world.size() : 1;
                Span source = elements(point, sources, arena);
                source.segment().copyFrom(contribution);
                Span target = elements(point, targets, arena);
                MemorySegment untouched = MemorySegment.ofArray(new byte[(int) target.segment().byteSize()]);
                call(point, communicator,
                        rootOnly && point.collective() == Collective.SCATTER ? null : source,
                        rootOnly && !receives ? null : target);
                check(point, world.rank(), "source, which must stay as it was,", source, contribution);
                check(point, world.rank(), receives ? "result" : "target, which must stay as it was,", target,
                        receives ? expected : untouched);
            }
        }
    }

    private static void call(Case point, Communicator communicator, Span source, Span target) {
        switch (point.collective()) {
            case REDUCE -> communicator.reduce(source, target, point.reduction(), point.root());
            case ALLREDUCE -> communicator.allreduce(source, target, point.reduction());
            case GATHER -> communicator.gather(source, target, point.root());
            case SCATTER -> communicator.scatter(source, target, point.root());
            case ALLGATHER -> communicator.allgather(source, target);
            case ALL_TO_ALL -> communicator.allToAll(source, target);
            case REDUCE_SCATTER -> communicator.reduceScatter(source, target, point.reduction());
            case SCAN -> communicator.scan(source, target, point.reduction());
            case EXCLUSIVE_SCAN -> communicator.exclusiveScan(source, target, point.reduction());
            default -> throw new IllegalStateException("the grid does not know " + point.collective());
        }
    }

    /** A rank that has a block of its own on one side only has it where it belongs among those of all. */
    private static void runInPlace(Case point, Communicator communicator, Arena arena, MemorySegment contribution,
            MemorySegment expected) {
        int rank = communicator.rank();
        long block = (long) point.count() * point.type().bytes();
        boolean amongSources = point.collective().sourceHasBlocks(rank, point.root());
        boolean amongTargets = point.collective().targetHasBlocks(rank, point.root());
        Span data = elements(point, amongSources || amongTargets ? communicator.size() : 1, arena);
        data.segment().asSlice(amongTargets && !amongSources ? rank * block : 0).copyFrom(contribution);
        MemorySegment after = MemorySegment.ofArray(data.segment().toArray(ValueLayout.JAVA_BYTE));
        switch (point.collective()) {
            case BROADCAST -> communicator.broadcast(data, point.root());
            case REDUCE -> communicator.reduce(data, point.reduction(), point.root());
            case ALLREDUCE -> communicator.allreduce(data, point.reduction());
            case GATHER -> communicator.gather(data, point.root());
            case SCATTER -> communicator.scatter(data, point.root());
            case ALLGATHER -> communicator.allgather(data);
            case ALL_TO_ALL -> communicator.allToAll(data);
            case REDUCE_SCATTER -> communicator.reduceScatter(data, point.reduction());
            case SCAN -> communicator.scan(data, point.reduction());
            case EXCLUSIVE_SCAN -> communicator.exclusiveScan(data, point.reduction());
            default -> throw new IllegalStateException("the grid does not know " + point.collective());
        }
        if (expected != null) {
            after.asSlice(amongSources && !amongTargets ? rank * block : 0).copyFrom(expected);
        }
        check(point, rank, "data", data, after);
    }

    private static Span elements(Case point, int blocks, Arena arena) {
        int count = blocks * point.count();
        long bytes = (long) count * point.type().bytes();
        if (point.offHeap()) {
            return Span.of(arena.allocate(bytes + 3).asSlice(3), point.type());
        }
        return switch (point.type()) {
            case BOOLEAN -> Span.of(MemorySegment.ofArray(new byte[count]), point.type());
            case BYTE -> Span.of(new byte[count]);
            case CHAR -> Span.of(new char[count + 2], 1, count);
            case SHORT -> Span.of(new short[count]);
            case INT -> Span.of(new int[count + 2], 2, count);
            case LONG -> Span.of(new long[count]);
            case FLOAT -> Span.of(new float[count]);
            case DOUBLE -> Span.of(new double[count + 1], 1, count);
        };
    }

    private static void check(Case point, int rank, String what, Span actual, MemorySegment expected) {
        DataType type = point.type();
        long different = expected.mismatch(actual.segment());
        for (int index = (int) different / type.bytes(); different >= 0 && index < actual.count(); index++) {
            long wanted = Reference.load(type, expected, index);
            long found = Reference.load(type, actual.segment(), index);
            if (!Reference.same(type, wanted, found)) {
                throw new AssertionError(point + ": at rank " + rank + " element " + index + " of the " + what + " is "
                        + Long.toHexString(found) + " instead of " + Long.toHexString(wanted) + " (bits)");
            }
        }
        assertThat(actual.segment().byteSize()).isEqualTo(expected.byteSize());
    }
}
