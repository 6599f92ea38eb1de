/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * One program with one way to start it.
 *
 * @param name as in the CSV file; variants of a peer begin with its name and a blank
 * @param kind whose it is
 * @param leastBytes messages below are not measured; with 0, barriers are
 * @param suits the layouts that it can run in
 * @param starter how it is started
 */
record Contender(String name, Kind kind, long leastBytes, Predicate<Layout> suits, Starter starter) {
    /** Whose a contender is. */
    enum Kind {
        /** Tutti in one of its ways. */
        TUTTI,
        /** An MPI from C: what ratios are of. */
        NATIVE,
        /** An MPI from Java. */
        JAVA,
        /** What memory or a socket allow by themselves. */
        RAW
    }

    /** Knows the command of a contender. */
    @FunctionalInterface
    interface Starter {
        /**
         * {@return the command that measures the loop: for each cell it has a turn to warm up and one for each repeat,
         * waits for each at its gate, and then prints a line of the CSV file}
         */
        List<String> command(Layout layout, Loop loop, Path gates);
    }

    /** {@return the name without that of the variant, of which the better counts} */
    String family() {
        return kind == Kind.TUTTI ? name : name.split(" ")[0];
    }
}
