/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.tutti.RankFailedException;

/** Ranks that live, except those that a test lets leave or end, and the one that it lets fail. */
public final class ScriptedMembers implements Members {
    private static final int NOBODY = -1;

    private final Set<Integer> left = ConcurrentHashMap.newKeySet();
    private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
    private volatile int failed = NOBODY;

    /** Lets a rank leave. */
    public void leave(int rank) {
        left.add(rank);
    }

    /** Lets the process of a rank end. */
    public void end(int rank) {
        ended.add(rank);
    }

    /** Lets a rank fail. */
    public void fail(int rank) {
        failed = rank;
    }

    @Override
    public long changes() {
        return (long) left.size() + (failed == NOBODY ? 0 : 1);
    }

    @Override
    public RuntimeException failure(int awaited) {
        if (failed != NOBODY) {
            return new RankFailedException(failed, "rank " + failed + " failed");
        }
        return hasLeft(awaited) ? new RankFailedException(awaited, "rank " + awaited + " has left the job") : null;
    }

    @Override
    public boolean hasLeft(int rank) {
        return left.contains(rank);
    }

    @Override
    public boolean hasEnded(int rank) {
        return ended.contains(rank);
    }

    @Override
    public boolean isGone(int rank) {
        return hasLeft(rank) || rank >= 0 && rank == failed;
    }

    @Override
    public String describe(int rank) {
        return "rank " + rank;
    }
}
