/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Chunked;
import org.tutti.lab.simulate.Measurements.Cell;
import org.tutti.simulator.Model;
import org.tutti.tool.Candidates;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.run.PlacementOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code tutti tune}: measures algorithms, with chunks of several lengths, and prints the rules of a tuning
 * file. With a model it compares the lengths of chunks that the model proposes.
 */
@Command(name = "tune", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Measures algorithms, with chunks of several lengths, and prints rules for tutti run --tuning.",
        footer = {"", "The rules are for the number of nodes and ranks that were measured. Let nothing else run.", "",
                "Example:", "  tutti tune -n 4 --nodes 2 --collective allreduce -o tuning.txt"})
public final class TuneCommand implements Callable<Integer> {
    private static final int REPEATS_MAX = 1000;
    private static final long CHUNK_BYTES_MAX = 256 << 10; // half of the largest window

    @Mixin
    private PlacementOptions where = new PlacementOptions();

    @Option(names = {"-o", "--output"}, paramLabel = "file", description = "The file for the rules as well.")
    private Path output;

    @Option(names = "--csv", paramLabel = "file",
            description = "The file for the figures, in the format of tutti bench --csv.")
    private Path csv;

    @Option(names = "--model", paramLabel = "model|file",
            completionCandidates = SimulateCommand.Models.class,
            description = "A model of the costs, to compare the chunks that it proposes: best a file that "
                    + "tutti simulate --measure-model has written here.")
    private String model;

    @Option(names = "--collective", split = ",", paramLabel = "collective",
            completionCandidates = Candidates.Collectives.class,
            description = "The collectives to tune. Default: broadcast, reduce, allreduce.")
    private List<String> collectives = List.of("broadcast", "reduce", "allreduce");

    @Option(names = "--algorithm", split = ",", paramLabel = "algorithm",
            completionCandidates = Candidates.Algorithms.class,
            description = "Algorithms to measure in addition to Tutti's choices, as tutti info --algorithms "
                    + "lists them. Default: Tutti's choices, with other chunks.")
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
        if (output != null) {
            OutputFiles.requireWritable("--output", output);
        }
        if (csv != null) {
            OutputFiles.requireWritable("--csv", csv);
            return tune(csv);
        }
        Path figures = Files.createTempFile("tutti-tune", ".csv");
        try {
            return tune(figures);
        } finally {
            Files.delete(figures);
        }
    }

    private int tune(Path figures) throws IOException, InterruptedException {
        Optional<Model> costs = Optional.ofNullable(model).map(SimulateCommand::model);
        List<Collective> tuned = collectives.stream().map(Shape::collective).toList();
        List<Long> bytes = sizes.stream().map(BenchCommand::bytes).toList();
        Topology topology = topology();
        List<String> chosen = tuned.stream().flatMap(collective -> bytes.stream()
                .map(size -> Shape.chosen(collective, topology, size).description().name())).distinct().toList();
        List<String> measured = Stream.concat(plain(tuned, chosen).stream()
                .flatMap(name -> hasChunks(tuned, name) ? withChunks(name) : Stream.of(name)), chosen.stream())
                .distinct().toList();
        int status = BenchCommand.measure(where, tuned, measured, bytes, repeats, figures);
        if (status == 0) {
            List<Cell> cells = Measurements.read("--csv", figures);
            costs.map(found -> proposals(cells, found)).ifPresent(table -> System.out.print("\n" + table));
            String rules =
                    TuningRules.text(cells, cell -> Shape.chosen(cell.collective(), topology, cell.bytes()));
            System.out.print("\n" + rules);
            if (output != null) {
                OutputFiles.write(output, rules);
            }
        }
        return status;
    }

    private static String proposals(List<Cell> cells, Model costs) {
        try (Progress progress = Progress.of(SimulateCommand.PREDICTING, cells.size())) {
            return new Tuning(cells, cell -> {
                double micros = Comparison.predict(cell, costs);
                progress.step();
                return micros;
            }).markdown();
        }
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

    /** The names of the algorithms to tune; without lengths of chunks, unless the command line gives them. */
    private List<String> plain(List<Collective> tuned, List<String> chosen) {
        for (String name : algorithms) {
            if (tuned.stream().noneMatch(collective -> Catalogue.search(collective, name).isPresent())) {
                throw new UsageException("--algorithm " + name + " is no algorithm of "
                        + String.join(", ", collectives) + "; tutti info --algorithms lists them");
            }
        }
        List<String> names = !algorithms.isEmpty() ? algorithms : chosen.stream().map(name -> name.split("@", 2)[0])
                .filter(name -> hasChunks(tuned, name)).distinct().toList();
        if (names.isEmpty()) {
            throw new UsageException("what Tutti chooses here has no chunks; name others with --algorithm");
        }
        return names;
    }

    private static boolean hasChunks(List<Collective> tuned, String name) {
        return tuned.stream().flatMap(collective -> Catalogue.of(collective).stream())
                .anyMatch(each -> each instanceof Chunked && each.description().name().equals(name));
    }

    /** An algorithm with its usual chunks, followed by the same algorithm with chunks of ascending length. */
    private static Stream<String> withChunks(String name) {
        return Stream.concat(Stream.of(name), LongStream
                .iterate(Chunked.CHUNK_BYTES_MIN, chunk -> chunk <= CHUNK_BYTES_MAX, chunk -> 2 * chunk)
                .mapToObj(chunk -> name + "@" + (chunk >> 10) + "k"));
    }
}
