/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

/** A random history of {@link SimulatedRanks}, all of which a seed decides. */
final class MatchingSimulation implements AutoCloseable {
    private static final int[][] PLACEMENTS = {{0, 0}, {0, 1}, {0, 0, 1}, {0, 1, 2}, {0, 1, 0, 1}, {0, 0, 0}};
    private static final int COMMUNICATORS = 2;
    private static final int[] TAGS = {0, 1, 2};
    private static final int STEPS_MAX = 120;
    private static final int HURRY_MAX = 30;

    private final RandomGenerator random;
    private final MatchingHistory history = new MatchingHistory();
    private final SimulatedRanks ranks;
    private final List<MatchingActor> actors = new ArrayList<>();

    /** Creates the ranks. The seed decides their nodes, the rails, and whether ranks lend memory to each other. */
    MatchingSimulation(long seed, Arena arena) {
        random = new SplittableRandom(seed);
        ranks = new SimulatedRanks(random, PLACEMENTS[random.nextInt(PLACEMENTS.length)], 1 + random.nextInt(3),
                random.nextBoolean(), arena);
        boolean hasLong = random.nextInt(3) == 0;
        boolean withdraws = random.nextBoolean();
        for (int rank = 0; rank < ranks.size(); rank++) {
            for (int communicator = 0; communicator < COMMUNICATORS; communicator++) {
                actors.add(new MatchingActor(history, random, ranks.calls(rank, communicator),
                        ranks.calls(rank, COMMUNICATORS + communicator), communicator, rank, ranks.size(), TAGS, true,
                        hasLong, withdraws));
            }
        }
    }

    /** Plays the history and checks it. Returns how many rails have broken. */
    long run() {
        try {
            int turnsMax = 1 + random.nextInt(HURRY_MAX);
            for (int steps = actors.size() * random.nextInt(STEPS_MAX); steps > 0; steps--) {
                actors.get(random.nextInt(actors.size())).step();
                for (int turns = random.nextInt(turnsMax); turns > 0; turns--) {
                    ranks.turn();
                }
            }
            actors.forEach(MatchingActor::startEnd);
            actors.forEach(MatchingActor::drain);
            actors.forEach(MatchingActor::finish);
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(ranks + " fail: " + failure.getMessage() + "\n" + history, failure);
        }
        history.check();
        assertThat(ranks.refusals()).as("refused accesses").isZero();
        return ranks.cuts();
    }

    @Override
    public void close() {
        ranks.close();
    }
}
