/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

/** The state of ranks that never fail or leave, for simulations and tests of memory ordering, which have no job. */
public final class HealthyMembers implements Members {
    /** The only instance. */
    public static final HealthyMembers INSTANCE = new HealthyMembers();

    private HealthyMembers() {}

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
