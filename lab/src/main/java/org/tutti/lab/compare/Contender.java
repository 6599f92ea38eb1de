/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * A program, with one way to start it.
 *
 * @param name the name in the CSV file; names of variants of a peer begin with its name and a blank
 * @param kind the kind of the contender
 * @param leastBytes the shortest message to measure; 0 includes operations without a message
 * @param suits the layouts that it can run in
 * @param starter gives the command that starts it
 */
record Contender(String name, Kind kind, long leastBytes, Predicate<Layout> suits, Starter starter) {
    /** The kinds of contenders. */
    enum Kind {
        /** Tutti in one of its variants. */
        TUTTI,
        /** An MPI for C, the reference of ratios. */
        NATIVE,
        /** An MPI for Java. */
        JAVA,
        /** Memory or a socket without any library. */
        RAW
    }

    /** Knows the command of a contender. */
    @FunctionalInterface
    interface Starter {
        /**
         * {@return the command that measures the loop. The command has a turn to warm up each cell, and a turn for each
         * repeat. It waits for each turn at its gate, and then prints a line of the CSV file}
         */
        List<String> command(Layout layout, Loop loop, Path gates);
    }

    /** {@return the name without that of the variant; the better of several variants counts} */
    String family() {
        return kind == Kind.TUTTI ? name : name.split(" ")[0];
    }
}
