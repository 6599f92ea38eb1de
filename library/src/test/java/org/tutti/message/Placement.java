/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.function.IntPredicate;

/**
 * The ranks of a job for tests, each with a process of its own.
 *
 * @param here tells which ranks are on this node
 * @param joined tells which ranks have joined
 */
record Placement(IntPredicate here, IntPredicate joined) implements RankAddresses {
    /** All ranks have joined. */
    Placement(IntPredicate here) {
        this(here, _ -> true);
    }

    @Override
    public boolean hasJoined(int rank) {
        return joined.test(rank);
    }

    @Override
    public boolean isHere(int rank) {
        return here.test(rank);
    }

    @Override
    public int process(int rank) {
        return rank;
    }

    @Override
    public long region(int rank) {
        return rank;
    }
}
