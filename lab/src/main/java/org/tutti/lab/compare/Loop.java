/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;

import org.tutti.lab.compare.Figure.Cell;

/** What every contender measures in one invocation. */
sealed interface Loop permits CollectiveLoop, OneSidedCells {
    /** {@return the cells, in the order in which they are measured} */
    List<Cell> cells();

    /** {@return the cells from some bytes on} */
    Loop from(long leastBytes);

    /** {@return how often each cell is repeated} */
    int repeats();

    /** {@return whether each call is timed, and percentiles are told instead of means} */
    boolean percentiles();

    /** {@return what every peer's program is told of that} */
    default String figures() {
        return percentiles() ? "percentiles" : "means";
    }

    /** {@return the name of the peers' program in bench/peers, without its ending} */
    String program();

    /** {@return the arguments of every peer's program in a layout, which waits at these gates} */
    List<String> arguments(Layout layout, Path gates);

    /** {@return the variables that a peer's program runs with, as name=value} */
    List<String> environment();

    /** {@return the options with which {@code tutti bench} measures the same in a layout} */
    List<String> benchOptions(Layout layout);

    /** {@return whether groups of ranks are made} */
    boolean makesGroups();
}
