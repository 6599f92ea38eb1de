/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.Tutti;
import org.tutti.choice.Catalogue;

/** What every rank of {@code tutti bench} runs. */
public final class BenchProgram {
    /** Stands for the names of all algorithms. */
    static final String ALL = "*";

    private final boolean virtual;
    private final int repeats;
    private final List<String> algorithms;
    private final String csv;
    private final List<Collective> collectives;
    private final List<Long> sizes;
    private final boolean segments;
    private final String gates;

    /**
     * Puts together what the program is told.
     *
     * @param virtualRanks how many ranks are threads of one process, or 0
     * @param repeats how often to repeat
     * @param algorithms the names of algorithms, or {@link #ALL}
     * @param csv the file to write, or nothing
     * @param collectives the names of the collectives' constants
     * @param sizes of messages, in bytes
     * @param segments whether operands are off the heap
     * @param gates the directory of the gates, or nothing
     * @return its arguments
     */
    static List<String> arguments(int virtualRanks, int repeats, List<String> algorithms, String csv,
            List<String> collectives, List<Long> sizes, boolean segments, String gates) {
        return List.of(String.valueOf(virtualRanks), String.valueOf(repeats), String.join(",", algorithms), csv,
                String.join(",", collectives), sizes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                String.valueOf(segments), gates);
    }

    private BenchProgram(String[] arguments) {
        this.virtual = Integer.parseInt(arguments[0]) > 0;
        this.repeats = Integer.parseInt(arguments[1]);
        this.algorithms = List.of(arguments[2].split(","));
        this.csv = arguments[3];
        this.collectives = Stream.of(arguments[4].split(",")).map(Collective::valueOf).toList();
        this.sizes = Stream.of(arguments[5].split(",")).map(Long::valueOf).toList();
        this.segments = Boolean.parseBoolean(arguments[6]);
        this.gates = arguments[7];
    }

    /** @param arguments as {@link #arguments} has put them together */
    public static void main(String[] arguments) throws IOException {
        var program = new BenchProgram(arguments);
        if (program.virtual) {
            Tutti.join().close(); // alone in its process, the launcher's job has no more to do
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
        try (var report = new BenchReport(job.rank() == 0, csv, layout(world), job.size());
                var turns = Turns.of(repeats, gates, job.rank())) {
            for (var collective : collectives) {
                List<Long> bytesOfCollective = collective == Collective.BARRIER ? List.of(0L) : sizes;
                for (long bytes : bytesOfCollective) {
                    for (String algorithm : algorithms(collective)) {
                        Communicator communicator =
                                algorithm.isEmpty() ? world : world.withAlgorithm(collective, algorithm);
                        try (var loop = new BenchLoop(world, communicator, collective, bytes, segments)) {
                            turns.measure(loop,
                                    figures -> report.add(collective.label(), algorithm, bytes, figures, loop.calls()));
                        }
                    }
                }
            }
        }
    }

    /** The algorithms to measure; an empty name is Tutti's own choice. */
    private List<String> algorithms(Collective collective) {
        List<String> names = new ArrayList<>(List.of(""));
        if (algorithms.contains(ALL)) {
            Catalogue.of(collective).forEach(algorithm -> names.add(algorithm.description().name()));
        } else {
            algorithms.stream().filter(name -> Catalogue.search(collective, name).isPresent()).forEach(names::add);
        }
        return names;
    }

    private String layout(Communicator world) {
        return virtual ? "one process, virtual threads" : BenchReport.layout(world);
    }
}
