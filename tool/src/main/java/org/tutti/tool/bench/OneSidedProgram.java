/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.TransferProtocol;
import org.tutti.Tutti;
import org.tutti.memory.Bytes;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.bench.BenchReport.LastColumn;
import org.tutti.tool.run.StepLine;

/** The program that every rank of {@code tutti bench --one-sided} runs. */
public final class OneSidedProgram {
    private OneSidedProgram() {}

    /**
     * Composes the arguments of this program.
     *
     * @param cells the cells to measure
     * @param repeats how often to repeat each cell
     * @param csv the file to write, or empty
     * @param segments whether operands are off the heap
     * @param protocol the protocol for data between nodes, or empty for Tutti's choice
     * @param gates the directory of the gates, or empty
     * @param percentiles whether each call is timed
     * @return the arguments
     */
    static List<String> arguments(List<OneSidedCell> cells, int repeats, String csv, boolean segments,
            String protocol, String gates, boolean percentiles) {
        return List.of(cells.stream().map(OneSidedCell::toString).collect(Collectors.joining(",")),
                String.valueOf(repeats), csv, String.valueOf(segments), protocol, gates, String.valueOf(percentiles));
    }

    /** @param arguments the result of {@link #arguments} */
    public static void main(String[] arguments) throws IOException {
        OutputFiles.runAsRank(() -> run(arguments));
    }

    private static void run(String[] arguments) throws IOException {
        List<OneSidedCell> cells = Stream.of(arguments[0].split(",")).map(OneSidedCell::parse).toList();
        boolean segments = Boolean.parseBoolean(arguments[3]);
        Optional<TransferProtocol> protocol =
                Optional.of(arguments[4]).filter(name -> !name.isEmpty()).map(TransferProtocol::valueOf);
        boolean percentiles = Boolean.parseBoolean(arguments[6]);
        try (var job = Tutti.join()) {
            var world = job.world();
            try (var report = new BenchReport(job.rank() == 0, arguments[2], BenchReport.layout(world), job.size(),
                    LastColumn.NONE, percentiles);
                    var turns = BenchTurns.of(Integer.parseInt(arguments[1]), percentiles, arguments[5], job.rank())) {
                for (int i = 0; i < cells.size(); i++) {
                    var cell = cells.get(i);
                    if (job.rank() == 0) {
                        StepLine.print(i, cells.size(), cell.label() + " " + Bytes.text(cell.bytes()));
                    }
                    try (var loop = new OneSidedLoop(world, cell, segments, protocol)) {
                        turns.measure(loop, true,
                                figures -> report.add(cell.label(), "", "", CallKind.BLOCKING, cell.bytes(), figures,
                                        loop.calls()));
                    }
                }
            }
        }
    }
}
