/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.choice.Catalogue;

/** Programs of several ranks for tests. */
final class Programs {
    /** Calls each collective with several lengths, from and to every rank, and checks what comes out. */
    static final String COMPUTES = """
            import module org.tutti;

            void main() {
                try (var job = Tutti.join()) {
                    for (int count : new int[]{1, 7, 20_000}) {
                        check(job.world(), count);
                    }
                    IO.println(job.rank() + " is right");
                }
            }

            void check(Communicator world, int count) {
                int size = world.size();
                world.barrier();
                for (int root = 0; root < size; root++) {
                    int[] values = filled(count, world.rank() == root ? root + count : -1);
                    world.broadcast(values, root);
                    require(values, root + count);
                }
                for (int root = 0; root < size; root++) {
                    int[] values = filled(count, world.rank() + count);
                    world.reduce(values, Reduction.SUM, root);
                    if (world.rank() == root) {
                        require(values, size * (size - 1) / 2 + size * count);
                    }
                }
                int[] values = filled(count, world.rank() + count);
                world.allreduce(values, Reduction.SUM);
                require(values, size * (size - 1) / 2 + size * count);
            }

            int[] filled(int count, int value) {
                int[] values = new int[count];
                Arrays.fill(values, value);
                return values;
            }

            void require(int[] values, int expected) {
                for (int value : values) {
                    if (value != expected) {
                        throw new IllegalStateException(value + " instead of " + expected);
                    }
                }
            }
            """;

    /**
     * Exchanges blocks around the lengths at which blocks land and at which a block has several pieces. Targets are
     * arrays, or memory of a shared or of a confined arena. Each exchange also runs in place.
     */
    static final String EXCHANGES_LONG_BLOCKS = """
            import module org.tutti;
            import java.lang.foreign.*;

            static final int UNTOUCHED = -1;

            void main() {
                int right = 0;
                try (var job = Tutti.join(); var shared = Arena.ofShared(); var confined = Arena.ofConfined()) {
                    SegmentAllocator heap = (bytes, _) -> MemorySegment.ofArray(new int[(int) bytes / 4]);
                    for (int count : new int[]{32_768, 262_144, 700_001}) {
                        for (var allocator : List.of(heap, shared, confined)) {
                            right += exchange(job.world(), allocator, count);
                        }
                    }
                    right += sendInTurn(job.world(), heap, 262_145);
                    IO.println(job.rank() + " has " + right + " right targets");
                }
            }

            int exchange(Communicator world, SegmentAllocator allocator, int count) {
                int rank = world.rank();
                int size = world.size();
                int root = count % size;
                int all = size * count;
                var block = allocate(allocator, count);
                var blocks = allocate(allocator, all);
                fill(block, 0, count, rank, 0);
                fill(blocks, 0, all, rank, 0);
                var target = allocate(allocator, count);
                var targets = allocate(allocator, all);

                world.gather(span(block), span(targets), root);
                for (int from = 0; from < size; from++) {
                    require(targets, from * count, count, rank == root ? from : UNTOUCHED, 0);
                }
                world.scatter(span(blocks), span(target), root);
                require(target, 0, count, root, rank * count);
                world.allgather(span(block), span(targets));
                for (int from = 0; from < size; from++) {
                    require(targets, from * count, count, from, 0);
                }
                world.allToAll(span(blocks), span(targets));
                for (int from = 0; from < size; from++) {
                    require(targets, from * count, count, from, rank * count);
                }
                world.allToAll(span(blocks));
                for (int from = 0; from < size; from++) {
                    require(blocks, from * count, count, from, rank * count);
                }
                fill(blocks, rank * count, count, rank, 7);
                world.allgather(span(blocks));
                for (int from = 0; from < size; from++) {
                    require(blocks, from * count, count, from, 7);
                }
                return 6;
            }

            /** Many calls in a row, each with other elements, so that a block which came late would be seen. */
            int sendInTurn(Communicator world, SegmentAllocator allocator, int count) {
                var block = allocate(allocator, count);
                var targets = allocate(allocator, world.size() * count);
                for (int call = 0; call < 6; call++) {
                    fill(block, 0, count, world.rank(), call);
                    world.allgather(span(block), span(targets));
                    for (int from = 0; from < world.size(); from++) {
                        require(targets, from * count, count, from, call);
                    }
                }
                return 6;
            }

            MemorySegment allocate(SegmentAllocator allocator, int count) {
                var memory = allocator.allocate(4L * count, 64);
                fill(memory, 0, count, UNTOUCHED, 0);
                return memory;
            }

            Span span(MemorySegment memory) {
                return Span.of(memory, DataType.INT);
            }

            int element(int rank, int index) {
                return rank == UNTOUCHED ? UNTOUCHED : (rank + 1) * 0x2545_f491 + index * 0x9e37_79b1;
            }

            void fill(MemorySegment memory, int at, int count, int rank, int first) {
                for (int i = 0; i < count; i++) {
                    memory.setAtIndex(ValueLayout.JAVA_INT, at + i, element(rank, first + i));
                }
            }

            void require(MemorySegment memory, int at, int count, int rank, int first) {
                for (int i = 0; i < count; i++) {
                    int value = memory.getAtIndex(ValueLayout.JAVA_INT, at + i);
                    if (value != element(rank, first + i)) {
                        throw new IllegalStateException("element " + i + " of rank " + rank + " is " + value);
                    }
                }
            }
            """;

    /**
     * Calls every algorithm that is named by an argument such as {@code reduce=srm}, with lengths around those at which
     * algorithms change, from and to every rank, one after the other and several at once, and checks what comes out.
     */
    static final String EVERY_ALGORITHM = """
            import module org.tutti;

            static final int UNTOUCHED = -1;
            static final int LONG = 20_000;

            int[] counts = {0, 1, 12, 13, 1024, 2049, 5000, 20_001, 70_000};

            void main(String[] algorithms) {
                try (var job = Tutti.join()) {
                    for (String each : algorithms) {
                        String[] sides = each.split("=");
                        var collective = Collective.valueOf(sides[0]);
                        var world = job.world().withAlgorithm(collective, sides[1]);
                        for (int count : counts) {
                            int roots = collective.hasRoot() && count < LONG ? world.size() : 1;
                            for (int turn = 0; turn < roots; turn++) {
                                int root = (count + turn) % world.size();
                                int[] source = source(world, collective, count, root);
                                int[] target = target(world, collective, source, count, root);
                                call(world, collective, source, target, root);
                                check(world, collective, each, target, count, root);
                            }
                        }
                        callSeveralAtOnce(world, collective, each);
                    }
                    IO.println(job.rank() + " has done " + algorithms.length);
                }
            }

            void callSeveralAtOnce(Communicator world, Collective collective, String algorithm) {
                int[][] targets = new int[counts.length][];
                Request[] requests = new Request[counts.length];
                for (int i = 0; i < counts.length; i++) {
                    int root = i % world.size();
                    int[] source = source(world, collective, counts[i], root);
                    targets[i] = target(world, collective, source, counts[i], root);
                    requests[i] = start(world.nonBlocking(), collective, source, targets[i], root);
                }
                for (int i = counts.length - 1; i >= 0; i--) {
                    requests[i].await();
                    check(world, collective, algorithm, targets[i], counts[i], i % world.size());
                }
            }

            int[] source(Communicator world, Collective collective, int count, int root) {
                boolean hasBlocks = collective.sourceHasBlocks(world.rank(), root);
                int[] source = new int[hasBlocks ? world.size() * count : count];
                Arrays.setAll(source, i -> element(world.rank(), i, root));
                return source;
            }

            int[] target(Communicator world, Collective collective, int[] source, int count, int root) {
                if (collective == Collective.BROADCAST) {
                    return source;
                }
                int[] target = new int[collective.targetHasBlocks(world.rank(), root) ? world.size() * count : count];
                Arrays.fill(target, UNTOUCHED);
                return target;
            }

            void call(Communicator world, Collective collective, int[] source, int[] target, int root) {
                switch (collective) {
                    case BARRIER -> world.barrier();
                    case BROADCAST -> world.broadcast(target, root);
                    case REDUCE -> world.reduce(source, target, Reduction.SUM, root);
                    case ALLREDUCE -> world.allreduce(source, target, Reduction.SUM);
                    case GATHER -> world.gather(source, target, root);
                    case SCATTER -> world.scatter(source, target, root);
                    case ALLGATHER -> world.allgather(source, target);
                    case ALL_TO_ALL -> world.allToAll(source, target);
                    case REDUCE_SCATTER -> world.reduceScatter(source, target, Reduction.SUM);
                    case SCAN -> world.scan(source, target, Reduction.SUM);
                    case EXCLUSIVE_SCAN -> world.exclusiveScan(source, target, Reduction.SUM);
                }
            }

            Request start(NonBlockingCommunicator world, Collective collective, int[] source, int[] target, int root) {
                return switch (collective) {
                    case BARRIER -> world.barrier();
                    case BROADCAST -> world.broadcast(target, root);
                    case REDUCE -> world.reduce(source, target, Reduction.SUM, root);
                    case ALLREDUCE -> world.allreduce(source, target, Reduction.SUM);
                    case GATHER -> world.gather(source, target, root);
                    case SCATTER -> world.scatter(source, target, root);
                    case ALLGATHER -> world.allgather(source, target);
                    case ALL_TO_ALL -> world.allToAll(source, target);
                    case REDUCE_SCATTER -> world.reduceScatter(source, target, Reduction.SUM);
                    case SCAN -> world.scan(source, target, Reduction.SUM);
                    case EXCLUSIVE_SCAN -> world.exclusiveScan(source, target, Reduction.SUM);
                };
            }

            void check(Communicator world, Collective collective, String algorithm, int[] target, int count, int root) {
                for (int i = 0; i < target.length; i++) {
                    int expected = expected(world, collective, count, i, root);
                    if (target[i] != expected) {
                        throw new IllegalStateException(algorithm + " of " + count + " with root " + root
                                + ": element " + i + " is " + target[i] + " instead of " + expected);
                    }
                }
            }

            int expected(Communicator world, Collective collective, int count, int i, int root) {
                int rank = world.rank();
                int own = rank * count + i % Math.max(1, count); // the element of this rank's block of others
                return switch (collective) {
                    case BARRIER -> UNTOUCHED;
                    case BROADCAST -> element(root, i, root);
                    case REDUCE -> rank == root ? sum(world.size(), i, root) : UNTOUCHED;
                    case ALLREDUCE -> sum(world.size(), i, root);
                    case GATHER -> rank == root ? element(i / count, i % count, root) : UNTOUCHED;
                    case SCATTER -> element(root, own, root);
                    case ALLGATHER -> element(i / count, i % count, root);
                    case ALL_TO_ALL -> element(i / count, own, root);
                    case REDUCE_SCATTER -> sum(world.size(), own, root);
                    case SCAN -> sum(rank + 1, i, root);
                    case EXCLUSIVE_SCAN -> rank == 0 ? UNTOUCHED : sum(rank, i, root);
                };
            }

            int sum(int ranks, int index, int round) {
                int sum = 0;
                for (int rank = 0; rank < ranks; rank++) {
                    sum += element(rank, index, round);
                }
                return sum;
            }

            int element(int rank, int index, int round) {
                return (index + round) * (rank + 3) + rank;
            }
            """;

    /**
     * Calls one collective after some others, as the last one, with a rank that comes late: the rest leave as soon as
     * they can. Arguments: collective, algorithm, root, count and the late rank.
     */
    static final String LEAVES_EARLY = """
            import module org.tutti;

            void main(String[] arguments) throws InterruptedException {
                int root = Integer.parseInt(arguments[2]);
                int[] values = new int[Integer.parseInt(arguments[3])];
                try (var job = Tutti.join()) {
                    var world = job.world().withAlgorithm(Collective.valueOf(arguments[0]), arguments[1]);
                    var last = Reduction.ofInts("last", false, (left, right) -> right); // does not commute
                    Arrays.fill(values, world.rank());
                    world.barrier();
                    if (world.rank() == Integer.parseInt(arguments[4])) {
                        Thread.sleep(500);
                    }
                    if (arguments[0].equals("REDUCE")) {
                        world.reduce(values, last, root);
                    } else {
                        world.allreduce(values, last);
                    }
                    if (arguments[0].equals("ALLREDUCE") || world.rank() == root) {
                        for (int value : values) {
                            if (value != world.size() - 1) {
                                throw new IllegalStateException(value + " instead of the last rank");
                            }
                        }
                    }
                    IO.println(job.rank() + " leaves");
                }
            }
            """;

    /** {@return the arguments of the program that calls every algorithm} */
    static List<String> everyAlgorithm() {
        return Stream.concat(Stream.of(Collective.values()).flatMap(each -> Catalogue.of(each).stream()),
                Catalogue.unlisted().stream())
                .map(algorithm -> algorithm.collective().name() + "=" + algorithm.description().name()).toList();
    }

    /** Computes for ever, until rank 3 fails in the way that HOW says; the others say whom they have lost. */
    static final String FAILS = program("throw e;");

    /** The same, but that the others go on in a group without rank 3 until there is a file called go. */
    static final String SURVIVES = program("""
            var ranks = new int[]{1, 0};
                        for (; ranks[1] == 0; others.broadcast(ranks, 0)) {
                            ranks[0] = 1;
                            others.allreduce(ranks, Reduction.SUM);
                            if (ranks[0] != 3) {
                                throw new IllegalStateException(ranks[0] + " ranks go on");
                            }
                            ranks[1] = Files.exists(Path.of("go")) ? 1 : 0;
                        }
                        IO.println(job.rank() + " is done");""");

    /** Computes until there is a file called go; the ranks say when they have begun, and at last how it went. */
    static final String GOES_ON = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    int[] values = new int[20_000];
                    var stop = new int[1];
                    for (int round = 0; stop[0] == 0; round++) {
                        Arrays.fill(values, job.rank() + round);
                        job.world().allreduce(values, Reduction.SUM);
                        int expected = job.size() * (job.size() - 1) / 2 + job.size() * round;
                        if (!Arrays.stream(values).allMatch(value -> value == expected)) {
                            throw new IllegalStateException("a sum is not " + expected);
                        }
                        if (round == 10) {
                            IO.println(job.rank() + " computes as " + ProcessHandle.current().pid());
                        }
                        stop[0] = Files.exists(Path.of("go")) ? 1 : 0;
                        job.world().broadcast(stop, 0);
                    }
                    IO.println(job.rank() + " is right");
                } catch (RankFailedException e) {
                    IO.println(System.getenv("TUTTI_RANK") + " lost " + e.rank());
                    throw e;
                }
            }
            """;

    private Programs() {}

    private static String program(String afterLoss) {
        return """
                import module org.tutti;

                void main() throws Exception {
                    try (var job = Tutti.join()) {
                        var others = job.world().split(job.rank() == 3 ? 1 : 0, 0);
                        try {
                            for (int round = 0;; round++) {
                                if (job.rank() == 3 && round == 30) {
                                    fail(job);
                                }
                                var sum = new long[]{job.rank()};
                                job.world().allreduce(sum, Reduction.SUM);
                                if (sum[0] != job.size() * (job.size() - 1) / 2) {
                                    throw new IllegalStateException("the sum is " + sum[0]);
                                }
                            }
                        } catch (RankFailedException e) {
                            IO.println(job.rank() + " lost " + e.rank());
                            %s
                        }
                    }
                }

                void fail(Job job) throws Exception {
                    IO.println(ProcessHandle.current().pid());
                    switch (System.getenv("HOW")) {
                        case "throw" -> throw new IllegalStateException("the cause");
                        case "exit" -> System.exit(3);
                        case "abort" -> job.abort(5);
                        default -> {} // to be killed
                    }
                }
                """.formatted(afterLoss);
    }
}
