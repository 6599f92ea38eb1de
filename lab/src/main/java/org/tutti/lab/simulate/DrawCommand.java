/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.simulator.Drawing;
import org.tutti.simulator.Levels;
import org.tutti.simulator.Model;
import org.tutti.simulator.Prediction;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code tutti draw}: draws the steps of an algorithm. */
@Command(name = "draw", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Draws what the ranks do in an algorithm: as an SVG file, or in the terminal.",
        footer = {"", "Examples:", "  tutti draw allreduce --algorithm srm --nodes 4 --ranks-per-node 2"})
public final class DrawCommand implements Callable<Integer> {
    private static final int RANKS_MAX = 256;

    @Mixin
    private Shape shape;

    @Option(names = "--model", paramLabel = "model|file",
            completionCandidates = SimulateCommand.Models.class,
            description = "A model of the costs, as for tutti simulate: a name or a file. Default: times that "
                    + "can all be seen.")
    private String model;

    @Option(names = "--text", description = "Draw in the terminal.")
    private boolean text;

    @Option(names = {"-o", "--output"}, paramLabel = "file",
            description = "The SVG file. Default: collective-algorithm.svg.")
    private Path output;

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException {
        SimulateCommand.useCarriers(1);
        Topology topology = shape.topology(model == null ? Levels.NONE : SimulateCommand.model(model).levels());
        List<? extends Algorithm> algorithms = shape.algorithms();
        if (algorithms.size() != 1 || shape.sizes().size() != 1) {
            throw new UsageException("one algorithm and one size can be drawn; name them with --algorithm and --bytes");
        }
        if (topology.size() > RANKS_MAX) {
            throw new UsageException(topology + " cannot be drawn; ask for at most " + RANKS_MAX + " ranks");
        }
        long bytes = shape.sizes().get(0);
        Prediction prediction = prediction(topology, algorithms.get(0), bytes);
        if (prediction.isByFormula()) {
            throw new UsageException("too many steps to draw; ask for fewer ranks or bytes");
        }
        Drawing drawing = new Drawing(prediction);
        if (text) {
            System.out.print(drawing.text());
            return 0;
        }
        Path file = output != null ? output
                : Path.of(shape.collective().label() + "-" + algorithms.get(0).description().name() + ".svg");
        OutputFiles.requireWritable("--output", file);
        OutputFiles.write(file, drawing.svg());
        System.out.println(file);
        return 0;
    }

    private Prediction prediction(Topology topology, Algorithm algorithm, long bytes) {
        try (Progress _ = Progress.of(SimulateCommand.PREDICTING, -1)) {
            return Prediction.of(algorithm, topology, bytes, shape.root(),
                    model == null ? Model.forDrawing(bytes) : SimulateCommand.model(model));
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }
}
