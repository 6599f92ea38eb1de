/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.choice.Choice;
import org.tutti.choice.Links;
import org.tutti.choice.Rule;
import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.CallShape;
import org.tutti.lab.simulate.Measurements.Cell;
import org.tutti.simulator.Model;
import org.tutti.simulator.Prediction;
import org.tutti.tool.Candidates;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.run.AlgorithmOptions;
import org.tutti.tool.run.PlacementOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code tutti explain}: tells which algorithm a call runs, the rule that chooses it, and the fastest of
 * the other algorithms, with predicted and measured times of both.
 */
@Command(name = "explain", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Tells which algorithm a collective call runs, why, and which other one comes next.",
        footer = {"", "The runner-up is the algorithm with the least predicted time that takes other steps than the "
                + "chosen one. The rules follow measurements, so a runner-up may be predicted to be faster.", "",
                "Examples:", "  tutti explain allreduce --bytes 64k -n 8 --nodes 2",
                "  tutti explain broadcast --bytes 1m -n 2 --measure"})
public final class ExplainCommand implements Callable<Integer> {
    private static final int REPEATS = 5;
    private static final String LINE = "%-12s%s%n";

    @Parameters(index = "0", arity = "0..1", paramLabel = "collective",
            completionCandidates = Candidates.Collectives.class,
            description = "Such as barrier, allreduce or all-to-all.")
    private String collective;

    @Mixin
    private PlacementOptions where = new PlacementOptions();

    @Option(names = "--bytes", paramLabel = "bytes", defaultValue = "8",
            description = "The size of the message or of a block, a multiple of 8, such as 64k. Default: 8.")
    private String bytes;

    @Mixin
    private AlgorithmOptions requested = new AlgorithmOptions();

    @Option(names = "--ordered", description = "The operator does not commute.")
    private boolean ordered;

    @Option(names = "--slow-links",
            description = "The links between the nodes are slow, as Tutti finds when a job starts. Default: fast.")
    private boolean slowLinks;

    @Option(names = "--model", paramLabel = "model|file", defaultValue = "gigabit",
            completionCandidates = SimulateCommand.Models.class,
            description = "A model of the costs for the prediction, as for tutti simulate. Default: gigabit.")
    private String model;

    @Option(names = "--measure", description = "Also measure both algorithms on this machine, which takes seconds.")
    private boolean measures;

    /** An algorithm with its predicted time. */
    private record Candidate(Algorithm algorithm, double micros) {
        String name() {
            return algorithm.description().name();
        }
    }

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        SimulateCommand.useCarriers(1);
        Collective called = Shape.collective(collective);
        Topology topology = topology();
        if (ordered && !called.combines()) {
            throw new UsageException("--ordered means nothing for " + collective + ", which combines nothing; leave it "
                    + "out");
        }
        long length = called.hasElements() ? Shape.bytes(bytes) : 0;
        Model costs = SimulateCommand.model(model);
        Choice choice = Choice.parse(requested.rules()).over(slowLinks ? Links.SLOW : Links.FAST);
        Algorithm chosen = chosen(choice, called, topology, length);
        System.out.printf(Locale.ROOT, "%s%s, %s%n%n", collective,
                called.hasElements() ? String.format(Locale.ROOT, " of %,d bytes", length) : "", topology);
        tell("chosen", chosen.description().name() + ", " + chosen.description().source());
        tell("because", reason(choice, called, topology, length));
        Algorithm actual = actual(chosen, topology, length);
        if (!name(actual).equals(name(chosen))) {
            tell("runs", name(actual) + ", because " + name(chosen) + " takes the same steps here");
        }
        Candidate predicted = new Candidate(chosen, micros(chosen, topology, length, costs));
        tell("predicted", time(predicted.micros()) + ", model " + costs.name());
        Optional<Candidate> runnerUp = runnerUp(called, topology, length, costs, actual);
        tell("runner-up", runnerUp.map(other -> other.name() + ", predicted " + time(other.micros()) + ", "
                + ratio(other.micros(), predicted.micros())).orElse("none: all others take the same steps"));
        return measures ? measure(called, length, chosen, runnerUp) : 0;
    }

    private static void tell(String what, String text) {
        System.out.printf(LINE, what, text);
    }

    private Topology topology() {
        Topology topology = where.topology();
        if (topology.size() == 1) {
            throw new UsageException("one rank exchanges nothing; give 2 or more with -n");
        }
        return topology;
    }

    private Algorithm chosen(Choice choice, Collective called, Topology topology, long length) {
        try {
            return choice.shortlist(topology).algorithm(called, length, !ordered);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private String reason(Choice choice, Collective called, Topology topology, long length) {
        Rule rule = choice.rule(called, topology, length, !ordered).orElseThrow();
        List<Rule> rules = choice.inEffect(called);
        boolean isOwn = Choice.rules(called).contains(rule);
        return "rule " + (rules.indexOf(rule) + 1) + " of " + rules.size() + (isOwn ? "" : ", which was requested,")
                + " is the first that fits: " + rule.conditions();
    }

    private Algorithm actual(Algorithm algorithm, Topology topology, long length) {
        return algorithm.actual(new CallShape(topology, false, length, 0, !ordered));
    }

    private static String name(Algorithm algorithm) {
        return algorithm.description().name();
    }

    /** Predicts all algorithms that the operator allows, and returns the fastest that takes other steps. */
    private Optional<Candidate> runnerUp(Collective called, Topology topology, long length, Model costs,
            Algorithm actual) {
        List<? extends Algorithm> others = Catalogue.of(called).stream()
                .filter(each -> (!ordered || each.keepsOrder(topology))
                        && !name(actual(each, topology, length)).equals(name(actual)))
                .toList();
        List<Candidate> candidates = new ArrayList<>();
        try (Progress progress = Progress.of(SimulateCommand.PREDICTING, others.size())) {
            for (Algorithm other : others) {
                candidates.add(new Candidate(other, micros(other, topology, length, costs)));
                progress.step();
            }
        }
        return candidates.stream().min(Comparator.comparingDouble(Candidate::micros));
    }

    private static double micros(Algorithm algorithm, Topology topology, long length, Model costs) {
        try {
            return Prediction.of(algorithm, topology, length, 0, costs).micros();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static String time(double micros) {
        return String.format(Locale.ROOT, micros < 10 ? "%.2f µs" : "%,.1f µs", micros);
    }

    private static String ratio(double other, double chosen) {
        return String.format(Locale.ROOT, "%.2f times as long", other / chosen);
    }

    // ---- measuring

    private int measure(Collective called, long length, Algorithm chosen, Optional<Candidate> runnerUp)
            throws IOException, InterruptedException {
        System.out.println();
        List<String> names = Stream.concat(Stream.of(name(chosen)), runnerUp.stream().map(Candidate::name)).toList();
        Path figures = Files.createTempFile("tutti-explain", ".csv");
        try {
            int status = BenchCommand.measure(where, List.of(called), names, List.of(length), REPEATS, figures);
            if (status == 0) {
                List<Cell> cells = Measurements.read("--csv", figures);
                double first = cells.getFirst().micros();
                System.out.println();
                for (Cell cell : cells) {
                    tell("measured", name(cell.algorithm()) + " " + time(cell.micros())
                            + (name(cell.algorithm()).equals(name(chosen)) ? ""
                                    : ", " + ratio(cell.micros(), first)));
                }
            }
            return status;
        } finally {
            Files.delete(figures);
        }
    }
}
