/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rows of tests that take long together. The usual run has one of {@code -Drows.every}, the thorough run has all.
 * Continuous integration has a part of the thorough run's rows, and begins with another row ({@code -Drows.from}) at
 * each commit.
 */
public final class Rows {
    private static final int EVERY = Integer.getInteger("rows.every", 1);
    private static final int FROM = Integer.getInteger("rows.from", 0);

    /** After so many rows the other one of each pair is taken, so that properties of two or six values meet all. */
    private static final int TURN = 6;

    private Rows() {}

    /** {@return how often this run repeats what the thorough run repeats so often} */
    public static int times(int thorough) {
        return Math.max(1, thorough / EVERY);
    }

    /** {@return the rows of this run, at least one; the first of all among them unless {@code rows.from} is given} */
    public static <T> Stream<T> sampled(Stream<T> all) {
        List<T> rows = all.toList();
        int every = Math.clamp(rows.size(), 1, EVERY);
        return IntStream.range(0, rows.size()).filter(row -> (row + row / TURN + FROM) % every == 0)
                .mapToObj(rows::get);
    }
}
