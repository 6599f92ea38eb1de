/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.bench.MessageCell;

/**
 * A loop over messages.
 *
 * @param messageCells the cells to measure
 * @param repeats how often to repeat each cell
 * @param percentiles whether each call is timed
 */
record MessageCells(List<MessageCell> messageCells, int repeats, boolean percentiles)
        implements
            Loop {
    @Override
    public List<Cell> cells() {
        return messageCells.stream().map(cell -> new Cell(cell.operation().label(), cell.bytes())).toList();
    }

    @Override
    public Loop from(long leastBytes) {
        return new MessageCells(messageCells.stream().filter(cell -> cell.bytes() >= leastBytes).toList(), repeats,
                percentiles);
    }

    @Override
    public String program() {
        return "messages";
    }

    @Override
    public List<String> arguments(Layout layout, Path gates) {
        return List.of(cellList(), String.valueOf(repeats), gates.toString(), figures());
    }

    @Override
    public List<String> environment() {
        return List.of();
    }

    @Override
    public List<String> benchOptions(Layout layout) {
        return List.of("--messages", "--cells", cellList());
    }

    @Override
    public boolean makesGroups() {
        return false;
    }

    private String cellList() {
        return messageCells.stream().map(MessageCell::toString).collect(Collectors.joining(","));
    }
}
