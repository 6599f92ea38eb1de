/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.tutti.lab.compare.OneSidedFigures;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code tutti chart}: the last step of {@code bench/growth} and {@code bench/onesided}. */
@Command(name = "chart", sortOptions = false, mixinStandardHelpOptions = true,
        description = "Predicts the figures of bench/growth, for the algorithms that Tutti chooses: fills in the "
                + "column model_microseconds of its file, prints a Markdown table, and draws both. From a file of "
                + "tutti compare --one-sided, it prints tables and draws rates.",
        footer = {"", "Examples:", "  tutti chart growth.csv --model rdma200",
                "  tutti chart onesided.csv -o rates.svg"})
public final class ChartCommand implements Callable<Integer> {
    private static final String ENDING = ".csv";

    @Parameters(index = "0", paramLabel = "file.csv",
            description = "A file that bench/growth or bench/onesided has written.")
    private Path file;

    @Option(names = "--model", paramLabel = "model|file", defaultValue = "gigabit",
            completionCandidates = SimulateCommand.Models.class,
            description = "A model of the costs: gigabit, rdma200, or a file. Default: gigabit.")
    private String model;

    @Option(names = {"-o", "--output"}, paramLabel = "file",
            description = "The SVG file. Default: beside the other, with .svg instead of .csv.")
    private Path output;

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException {
        SimulateCommand.useCarriers(1);
        Path table = file.toAbsolutePath();
        String name = String.valueOf(table.getFileName()); // the root has none
        if (output == null && !name.endsWith(ENDING)) {
            throw new UsageException(file + " does not end with " + ENDING + "; name the drawing with --output");
        }
        Path drawing = output != null ? output.toAbsolutePath()
                : table.resolveSibling(name.substring(0, name.length() - ENDING.length()) + ".svg");
        OutputFiles.requireWritable("--output", drawing);
        if (OneSidedFigures.areIn(table)) {
            var figures = new OneSidedFigures(table);
            OutputFiles.write(drawing, figures.chart());
            System.out.print(figures.markdown());
            return 0;
        }
        Growth growth = new Growth(table, SimulateCommand.model(model));
        OutputFiles.requireWritable("the file", table);
        OutputFiles.write(table, growth.csv());
        OutputFiles.write(drawing, growth.chart());
        System.out.print(growth.markdown());
        return 0;
    }
}
