/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunked;
import org.tutti.simulator.Model;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.run.PlacementOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code tutti tune}: measures algorithms with chunks of several lengths, and compares the lengths that a
 * model proposes.
 */
@Command(name = "tune", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Measures algorithms with chunks of several lengths, beside those that a model proposes.",
        footer = {"", "A chunk is used with its algorithm's name, as in tutti run --algorithm reduce=srm@32k. Let "
                + "nothing else run."})
public final class TuneCommand implements Callable<Integer> {
    private static final int REPEATS_MAX = 1000;
    private static final long CHUNK_BYTES_MAX = 256 << 10; // half of the largest window

    @Mixin
    private PlacementOptions where = new PlacementOptions();

    @Option(names = "--model", required = true, paramLabel = "name|file",
            description = "A model of the costs: best a file that tutti simulate --measure-model has written here.")
    private String model;

    @Option(names = "--csv", required = true, paramLabel = "file",
            description = "The file for the figures, in the format of tutti bench --csv.")
    private Path csv;

    @Option(names = "--collective", split = ",", paramLabel = "name",
            description = "The collectives to tune: broadcast, reduce, allreduce. Default: all.")
    private List<String> collectives = List.of("broadcast", "reduce", "allreduce");

    @Option(names = "--algorithm", split = ",", paramLabel = "name",
            description = "Algorithms with chunks, as tutti info --algorithms lists them. Default: those that Tutti "
                    + "chooses.")
    private List<String> algorithms = List.of();

    @Option(names = "--bytes", split = ",", paramLabel = "bytes",
            description = "Sizes of messages, multiples of 8. Default: 64k,256k,1m.")
    private List<String> sizes = List.of("64k", "256k", "1m");

    @Option(names = "--repeats", paramLabel = "count", defaultValue = "5",
            description = "How often to repeat. Default: 5.")
    private int repeats;

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        SimulateCommand.useCarriers(1);
        BenchCommand.requireBetween("--repeats", repeats, 1, REPEATS_MAX);
        BenchCommand.requireWritable("--csv", csv.toAbsolutePath());
        Model costs = SimulateCommand.model(model);
        List<Collective> tuned = collectives.stream().map(Shape::collective).toList();
        List<Long> bytes = sizes.stream().map(BenchCommand::bytes).toList();
        List<String> swept = plain(tuned, topology(), bytes).stream().flatMap(TuneCommand::withChunks).toList();
        int status = BenchCommand.measure(where, tuned, swept, bytes, repeats, csv);
        if (status == 0) {
            Tuning tuning = new Tuning(Measurements.read("--csv", csv), cell -> Comparison.predict(cell, costs));
            System.out.print("\n" + tuning.markdown());
        }
        return status;
    }

    private Topology topology() {
        Topology topology = where.topology();
        for (int node = 1; node < topology.nodes(); node++) {
            if (topology.ranksOn(node) != topology.ranksOn(0)) {
                throw new UsageException(topology + " cannot be predicted; give each node as many ranks");
            }
        }
        if (topology.size() == 1) {
            throw new UsageException("one rank has nothing to tune; give 2 or more with -n");
        }
        return topology;
    }

    /** The names of the algorithms to tune, without lengths of chunks. */
    private List<String> plain(List<Collective> tuned, Topology topology, List<Long> bytes) {
        for (String name : algorithms) {
            if (tuned.stream().flatMap(collective -> Catalogue.of(collective).stream())
                    .noneMatch(each -> each instanceof Chunked && each.description().name().equals(name))) {
                throw new UsageException("--algorithm " + name + " is no algorithm with chunks of "
                        + String.join(", ", collectives) + "; tutti info --algorithms lists them");
            }
        }
        List<String> names = !algorithms.isEmpty() ? algorithms : tuned.stream()
                .flatMap(collective -> bytes.stream().map(size -> Shape.chosen(collective, topology, size)))
                .filter(Chunked.class::isInstance).map(Algorithm::description)
                .map(description -> description.name().split("@", 2)[0]).distinct().toList();
        if (names.isEmpty()) {
            throw new UsageException("what Tutti chooses here has no chunks; name others with --algorithm");
        }
        return names;
    }

    /** An algorithm with its usual chunks, followed by the same algorithm with chunks of ascending length. */
    private static Stream<String> withChunks(String name) {
        return Stream.concat(Stream.of(name), LongStream
                .iterate(Chunked.CHUNK_BYTES_MIN, chunk -> chunk <= CHUNK_BYTES_MAX, chunk -> 2 * chunk)
                .mapToObj(chunk -> name + "@" + (chunk >> 10) + "k"));
    }
}
