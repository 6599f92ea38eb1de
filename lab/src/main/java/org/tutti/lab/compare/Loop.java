/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;

import org.tutti.lab.compare.Figure.Cell;

/** The cells that every contender measures in one invocation. */
sealed interface Loop permits CollectiveLoop, OneSidedCells, MessageCells {
    /** {@return the cells, in the order of measuring} */
    List<Cell> cells();

    /** {@return a loop over the cells with at least this many bytes} */
    Loop from(long leastBytes);

    /** {@return how often each cell is repeated} */
    int repeats();

    /** {@return whether each call is timed, and the figures are percentiles instead of means} */
    boolean percentiles();

    /** {@return the argument of the peers' programs for this} */
    default String figures() {
        return percentiles() ? "percentiles" : "means";
    }

    /** {@return the name of the peers' program in bench/peers, without its ending} */
    String program();

    /** {@return the arguments of every peer's program in a layout; the program waits at these gates} */
    List<String> arguments(Layout layout, Path gates);

    /** {@return the variables of the environment of a peer's program, as name=value} */
    List<String> environment();

    /** {@return the options with which {@code tutti bench} measures the same in a layout} */
    List<String> benchOptions(Layout layout);

    /** {@return whether the loop makes groups of ranks} */
    boolean makesGroups();
}
