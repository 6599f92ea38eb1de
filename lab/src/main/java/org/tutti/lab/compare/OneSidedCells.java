/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.bench.OneSidedCell;

/**
 * A loop over one-sided operations.
 *
 * @param oneSidedCells the cells to measure
 * @param repeats how often to repeat each cell
 * @param percentiles whether each call is timed
 */
record OneSidedCells(List<OneSidedCell> oneSidedCells, int repeats, boolean percentiles)
        implements
            Loop {
    /** Turns off an instruction with which a copy of a megabyte takes ten times as long at unlucky addresses. */
    private static final String NO_STRING_MOVES = "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=0x7fffffff";

    @Override
    public List<Cell> cells() {
        return oneSidedCells.stream().map(cell -> new Cell(cell.label(), cell.bytes())).toList();
    }

    @Override
    public Loop from(long leastBytes) {
        return new OneSidedCells(oneSidedCells.stream().filter(cell -> cell.bytes() >= leastBytes).toList(), repeats,
                percentiles);
    }

    @Override
    public String program() {
        return "onesided";
    }

    @Override
    public List<String> arguments(Layout layout, Path gates) {
        return List.of(cellList(), String.valueOf(repeats), gates.toString(), figures());
    }

    @Override
    public List<String> environment() {
        return List.of(NO_STRING_MOVES);
    }

    @Override
    public List<String> benchOptions(Layout layout) {
        return List.of("--one-sided", "--cells", cellList());
    }

    @Override
    public boolean makesGroups() {
        return false;
    }

    private String cellList() {
        return oneSidedCells.stream().map(OneSidedCell::toString).collect(Collectors.joining(","));
    }
}
