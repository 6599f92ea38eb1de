/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.stream.IntStream;

/** The consecutive ranks of one process or node, both ends included. */
record RankRange(int first, int last) {
    /** {@return the ranks in ascending order} */
    IntStream ranks() {
        return IntStream.rangeClosed(first, last);
    }

    /** {@return the number of the ranks} */
    int count() {
        return last - first + 1;
    }

    /** {@return "rank 3" or "ranks 4-7"} */
    String name() {
        return (first == last ? "rank " : "ranks ") + numbers();
    }

    /** {@return "rank-3" or "ranks-4-7"} */
    String fileName() {
        return name().replace(' ', '-');
    }

    /** {@return "3" or "4-7"} */
    String numbers() {
        return first == last ? String.valueOf(first) : first + "-" + last;
    }
}
