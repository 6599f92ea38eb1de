/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.Random;

import org.tutti.Communicator;
import org.tutti.RemoteMemory;

/** One kind of random calls of a rank, on bytes of its own in all parts, and the model that says what they may do. */
abstract class HistoryActor {
    final Communicator world;
    final RemoteMemory memory;
    final long start;
    final Random random;
    final int self;
    final int size;
    private final boolean oneRail;

    /**
     * @param history what all actors of a rank share
     * @param start at which byte of each part the bytes of this actor begin
     */
    HistoryActor(Setting history, long start) {
        this.world = history.world;
        this.memory = history.memory;
        this.random = history.random;
        this.oneRail = history.rails == 1;
        this.start = start;
        this.self = world.rank();
        this.size = world.size();
    }

    /** The objects that all actors of a rank share. */
    record Setting(Communicator world, RemoteMemory memory, Random random, int rails) {}

    /** Does something to a rank's part. */
    abstract void act(int target);

    /** Everything that was put to a rank is visible. */
    void noteFenced(int target) {
        // most do not care
    }

    /** Collective, when everything is visible and nobody acts: compares the parts with the model. */
    abstract void check();

    final boolean isNear(int rank) {
        return world.topology().nodeOf(rank) == world.topology().nodeOf(self);
    }

    final boolean isOneRail() {
        return oneRail;
    }

    /** Whether what this rank puts to another one arrives there in the order of the calls, without a fence. */
    final boolean isInOrder(int target) {
        return oneRail || isNear(target);
    }

    /** A length of any magnitude, 1 or more. */
    final int length(int most) {
        return 1 + random
                .nextInt(Math.min(most, 1 << random.nextInt(Integer.SIZE - Integer.numberOfLeadingZeros(most))));
    }

    static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
