/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.tutti.Topology;
import org.tutti.collective.Team;
import org.tutti.collective.layout.Fingerprint;

/**
 * Makes groups of a communicator's ranks. Each method computes the ranks of the group, and {@link RankCommunicators}
 * makes the group of them.
 */
final class GroupCalls {
    private static final int NO_COLOR = -1;
    private static final int FLAT = -2; // a color, so that duplicate and flatten make different groups

    private final RankCommunicators communicators;
    private final CommunicatorCalls calls;
    private final CommunicatorState state;
    private final Team team;

    /**
     * Creates the calls that make groups of a communicator.
     *
     * @param communicators the rank's communicators, which make the groups
     * @param calls the calls of the communicator from which the groups are made
     */
    GroupCalls(RankCommunicators communicators, CommunicatorCalls calls) {
        this.communicators = communicators;
        this.calls = calls;
        this.state = calls.state();
        this.team = state.team;
    }

    private Topology topology() {
        return state.topology();
    }

    /**
     * Makes a group of the ranks that call this method with the same color, in the order of their keys. All ranks of
     * the communicator call it. A rank without a color gets no group.
     */
    Optional<CommunicatorCalls> splitByColor(OptionalInt color, int key) {
        int own = color.orElse(NO_COLOR);
        if (own < 0 && color.isPresent()) {
            throw new IllegalArgumentException(team.describe() + " called split with color " + own
                    + "; a color is 0 or more");
        }
        long deadlineNanos = calls.deadlineNanos();
        var choices = new long[team.size()]; // for each rank the color in the upper half, the key in the lower
        calls.runGatherOf("split", (long) own << Integer.SIZE | Integer.toUnsignedLong(key), choices);
        if (color.isEmpty()) {
            calls.runBarrierOf("split", same("split"), deadlineNanos);
            return Optional.empty();
        }
        return Optional.of(makeWithAll("split", own, ranksOf(own, choices), deadlineNanos));
    }

    /** Returns the ranks of a color, ordered by their keys. Ranks with equal keys keep their order. */
    private static int[] ranksOf(int color, long[] choices) {
        var keyed = new long[choices.length];
        int count = 0;
        for (int each = 0; each < choices.length; each++) {
            if (choices[each] >> Integer.SIZE == color) {
                keyed[count++] = choices[each] << Integer.SIZE | each;
            }
        }
        Arrays.sort(keyed, 0, count);
        var ranks = new int[count];
        for (int i = 0; i < count; i++) {
            ranks[i] = (int) keyed[i];
        }
        return ranks;
    }

    /** Makes a group of all ranks. */
    CommunicatorCalls duplicate() {
        return makeWithAll("duplicate", NO_COLOR, all(), calls.deadlineNanos());
    }

    /** Makes a group of all ranks, in which each rank is a node of its own. */
    CommunicatorCalls flatten() {
        communicators.requireProcessForEach(state, "flatten");
        return makeWithAll("flatten", FLAT, all(), topology()::flattened, calls.deadlineNanos());
    }

    private int[] all() {
        return IntStream.range(0, team.size()).toArray();
    }

    /** Makes a group of the ranks of each node. */
    CommunicatorCalls splitByNode() {
        int node = topology().nodeOf(team.rank());
        return makeWithAll("splitByNode", node, topology().ranksOf(node), calls.deadlineNanos());
    }

    /** Makes a group of the ranks of each part of a node. The level of the topology determines the size of a part. */
    CommunicatorCalls splitByLevel(int level) {
        int[] levels = topology().levels();
        if (level < 0 || level >= levels.length) {
            throw new IllegalArgumentException(team.describe() + " called splitBy with level " + level + "; its nodes "
                    + (levels.length == 0 ? "have no levels" : "have levels 0 to " + (levels.length - 1)));
        }
        int node = topology().nodeOf(team.rank());
        int part = topology().localRankOf(team.rank()) / levels[level];
        return makeWithAll("splitBy " + level, (long) node * team.size() + part,
                Arrays.stream(topology().ranksOf(node))
                        .filter(each -> topology().localRankOf(each) / levels[level] == part).toArray(),
                calls.deadlineNanos());
    }

    /**
     * Makes a group in a call in which all ranks of this communicator take part. The number of the group derives from
     * its color and the number of the communicator's next operation.
     */
    private CommunicatorCalls makeWithAll(String called, long color, int[] ranks, long deadlineNanos) {
        return makeWithAll(called, color, ranks, () -> topology().of(ranks), deadlineNanos);
    }

    private CommunicatorCalls makeWithAll(String called, long color, int[] ranks, Supplier<Topology> placement,
            long deadlineNanos) {
        return communicators.make(state, called, Fingerprint.mix(team.nextOperation(), color), ranks, placement,
                deadlineNanos, () -> calls.runBarrierOf(called, same(called), deadlineNanos));
    }

    /**
     * Returns a number for the barrier of the named call, which distinguishes it from every other call, even from a
     * plain barrier.
     */
    private static int same(String called) {
        return called.hashCode() & Integer.MAX_VALUE | 1;
    }

    /** Makes a group of some ranks. Only these ranks call this method. */
    CommunicatorCalls create(int... ranks) {
        long deadlineNanos = calls.deadlineNanos();
        team.checkIdle("create");
        int[] members = ranks.clone();
        checkMembers(members);
        return communicators.make(state, "create", state.numberOf(members), members, () -> topology().of(members),
                deadlineNanos, null);
    }

    private void checkMembers(int[] ranks) {
        var seen = new BitSet();
        for (int each : ranks) {
            if (each < 0 || each >= team.size()) {
                throw new IllegalArgumentException(team.describe() + " called create with rank " + each
                        + ", which is not one of this communicator, whose ranks are 0 to " + (team.size() - 1));
            }
            if (seen.get(each)) {
                throw new IllegalArgumentException(team.describe() + " called create with rank " + each
                        + " more than once");
            }
            seen.set(each);
        }
        if (!seen.get(team.rank())) {
            throw new IllegalArgumentException(team.describe() + " called create for a group that it is not in: "
                    + Arrays.toString(ranks) + "; only its members call it");
        }
    }
}
