/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import org.tutti.collective.Members;

/** Ranks that never fail or leave. */
public final class Healthy implements Members {
    /** The only object that is needed. */
    public static final Healthy INSTANCE = new Healthy();

    private Healthy() {}

    @Override
    public long changes() {
        return 0;
    }

    @Override
    public RuntimeException failure(int awaited) {
        return null;
    }

    @Override
    public boolean hasLeft(int rank) {
        return false;
    }

    @Override
    public boolean isGone(int rank) {
        return false;
    }

    @Override
    public String describe(int rank) {
        return "rank " + rank;
    }
}
