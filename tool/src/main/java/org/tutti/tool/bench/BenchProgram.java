/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.Tutti;
import org.tutti.choice.Catalogue;
import org.tutti.choice.Shortlist;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.memory.Bytes;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.bench.BenchReport.LastColumn;
import org.tutti.tool.bench.MeasuredLoop.Repeat;
import org.tutti.tool.run.StepLine;

/** The program that every rank of {@code tutti bench} runs. */
public final class BenchProgram {
    /** Stands for the names of all algorithms. */
    static final String ALL = "*";

    /** The end of an algorithm's name if the algorithm is to run where each rank is a node of its own. */
    static final String FLAT = "@flat";

    private record Cell(CollectiveOperation operation, String algorithm, CallKind call, long bytes) {
        MeasuredLoop loop(Communicator world, Communicators communicators, boolean segments) {
            if (operation.makesGroups()) {
                return new MakingLoop(world, communicators, operation);
            }
            var collective = operation.collective().orElseThrow();
            var measured = communicators.views(each -> algorithm.isEmpty() ? each
                    : each.withAlgorithm(collective, inCatalogue(algorithm)));
            return switch (call) {
                case BLOCKING -> new BenchLoop(world, measured, collective, bytes, segments);
                case WITH_BLOCKS, NON_BLOCKING, PREPARED, PREPARED_STARTED ->
                    new StartedLoop(world, measured, collective, bytes,
                            segments, call);
                case OVERLAPPED -> new OverlappedLoop(world, measured, collective, bytes, segments);
            };
        }

        String label() {
            return (operation.label() + " " + algorithm).strip() + (bytes == 0 ? "" : " " + Bytes.text(bytes));
        }

        boolean isFlat() {
            return algorithm.endsWith(FLAT);
        }

        /** The algorithm that Tutti chooses for such a call of the world. */
        String chosen(Communicator world) {
            Shortlist shortlist = JobEnvironment.choice(System.getenv()).shortlist(world.topology());
            return operation.collective()
                    .map(collective -> call == CallKind.WITH_BLOCKS ? shortlist.ofBlocks(collective, bytes, true)
                            : shortlist.algorithm(collective, bytes, true))
                    .map(chosen -> chosen.description().name()).orElse("");
        }
    }

    private final boolean virtual;
    private final int rounds;
    private final int repeats;
    private final List<String> algorithms;
    private final String csv;
    private final List<CollectiveOperation> operations;
    private final List<Long> sizes;
    private final boolean segments;
    private final String gates;
    private final CommunicatorKind kind;
    private final List<CallKind> calls;
    private final boolean percentiles;

    /**
     * Composes the arguments of this program.
     *
     * @param virtualRanks the number of ranks that are threads of one process, or 0
     * @param rounds how often to measure all cells
     * @param repeats how often to repeat each cell in a round
     * @param algorithms the names of algorithms, or {@link #ALL}
     * @param csv the file to write, or empty
     * @param operations the operations to measure
     * @param sizes the sizes of messages in bytes
     * @param segments whether operands are off the heap
     * @param gates the directory of the gates, or empty
     * @param kind the communicators to call on
     * @param calls the kinds of calls
     * @param percentiles whether each call is timed
     * @return the arguments
     */
    static List<String> arguments(int virtualRanks, int rounds, int repeats, List<String> algorithms, String csv,
            List<CollectiveOperation> operations, List<Long> sizes, boolean segments, String gates,
            CommunicatorKind kind, List<CallKind> calls, boolean percentiles) {
        return List.of(String.valueOf(virtualRanks), String.valueOf(rounds), String.valueOf(repeats),
                String.join(",", algorithms), csv,
                operations.stream().map(CollectiveOperation::name).collect(Collectors.joining(",")),
                sizes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                String.valueOf(segments), gates, kind.name(),
                calls.stream().map(CallKind::name).collect(Collectors.joining(",")), String.valueOf(percentiles));
    }

    private BenchProgram(String[] arguments) {
        this.virtual = Integer.parseInt(arguments[0]) > 0;
        this.rounds = Integer.parseInt(arguments[1]);
        this.repeats = Integer.parseInt(arguments[2]);
        this.algorithms = List.of(arguments[3].split(","));
        this.csv = arguments[4];
        this.operations = Stream.of(arguments[5].split(",")).map(CollectiveOperation::valueOf).toList();
        this.sizes = Stream.of(arguments[6].split(",")).map(Long::valueOf).toList();
        this.segments = Boolean.parseBoolean(arguments[7]);
        this.gates = arguments[8];
        this.kind = CommunicatorKind.valueOf(arguments[9]);
        this.calls = Stream.of(arguments[10].split(",")).map(CallKind::valueOf).toList();
        this.percentiles = Boolean.parseBoolean(arguments[11]);
    }

    /** @param arguments the result of {@link #arguments} */
    public static void main(String[] arguments) throws IOException {
        OutputFiles.runAsRank(() -> run(arguments));
    }

    private static void run(String[] arguments) throws IOException {
        var program = new BenchProgram(arguments);
        if (program.virtual) {
            Tutti.join().close(); // the launcher's job has this one rank, which has no more to do
            Tutti.runLocal(Integer.parseInt(arguments[0]), JobOptions.DEFAULT.withThreads(Threads.VIRTUAL),
                    program::run);
        } else {
            try (var job = Tutti.join()) {
                program.run(job);
            }
        }
    }

    private void run(Job job) throws IOException {
        var world = job.world();
        List<Cell> cells = cells();
        int done = 0;
        var earlier = new ArrayList<List<Repeat>>(Collections.nCopies(cells.size(), List.of()));
        try (var communicators = Communicators.of(kind, world);
                var flat = cells.stream().anyMatch(Cell::isFlat) ? communicators.flattened() : null;
                var report = new BenchReport(job.rank() == 0, csv, layout(world), job.size(),
                        calls.contains(CallKind.OVERLAPPED) ? LastColumn.OVERLAP : LastColumn.NONE, percentiles);
                var turns = BenchTurns.of(repeats, percentiles, gates, job.rank())) {
            for (int round = 1; round <= rounds; round++) {
                for (int i = 0; i < cells.size(); i++) {
                    Cell cell = cells.get(i);
                    int index = i;
                    boolean isLast = round == rounds;
                    if (job.rank() == 0) {
                        StepLine.print(done, (long) rounds * cells.size(), cell.label());
                    }
                    done++;
                    try (var loop = cell.loop(world, cell.isFlat() ? flat : communicators, segments)) {
                        turns.measure(loop, round == 1, figures -> {
                            var all = Stream.concat(earlier.get(index).stream(), figures.stream()).toList();
                            if (isLast) {
                                report.add(cell.operation.label(), cell.algorithm, cell.chosen(world), cell.call,
                                        cell.bytes, all,
                                        loop.calls());
                            } else {
                                earlier.set(index, all);
                            }
                        });
                    }
                }
            }
        }
    }

    private List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (var operation : operations) {
            for (long bytes : operation.sizes(sizes)) {
                for (String algorithm : algorithms(operation)) {
                    calls.stream().filter(operation::canBeCalled)
                            .forEach(call -> cells.add(new Cell(operation, algorithm, call, bytes)));
                }
            }
        }
        return cells;
    }

    /** The algorithms to measure; an empty name means Tutti's own choice. */
    private List<String> algorithms(CollectiveOperation operation) {
        List<String> names = new ArrayList<>(List.of(""));
        operation.collective().ifPresent(collective -> {
            if (algorithms.contains(ALL)) {
                Catalogue.of(collective).forEach(algorithm -> names.add(algorithm.description().name()));
            } else {
                algorithms.stream().filter(name -> Catalogue.search(collective, inCatalogue(name)).isPresent())
                        .forEach(names::add);
            }
        });
        return names;
    }

    /** {@return the name in the catalogue of an algorithm, which may be flat} */
    static String inCatalogue(String algorithm) {
        return algorithm.endsWith(FLAT) ? algorithm.substring(0, algorithm.length() - FLAT.length()) : algorithm;
    }

    private String layout(Communicator world) {
        return (virtual ? "one process, virtual threads" : BenchReport.layout(world))
                + (kind == CommunicatorKind.WORLD ? "" : ", " + kind.label());
    }
}
