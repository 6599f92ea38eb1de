/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;

/** The rails over which algorithms are verified: what they promise, and that they do all that they may. */
class ChannelTest {
    private static final int SEEDS = 100;
    private static final int REQUESTS = 30;
    private static final int BYTES_MAX = 3000;
    private static final int SLOW = 2;
    private static final int CALLS_MAX = 16;

    private record Message(int number, int length, BitSet come) implements Channel.Request {}

    /** Sees that requests end in order, complete, and once, and nothing comes of them afterwards. */
    private static final class Checking implements Channel.Receiver {
        private int ended;
        private int early;
        private int again;
        private int last;
        private final int[] frames = new int[Channel.RAILS_MAX];

        @Override
        public void write(Channel channel, Channel.Request request, int from, int bytes) {
            Message message = (Message) request;
            assertThat(message.number).as("ended before").isGreaterThanOrEqualTo(ended);
            again += message.come.get(from, from + bytes).isEmpty() ? 0 : 1;
            early += message.number > ended ? 1 : 0;
            message.come.set(from, from + bytes);
            frames[last]++;
        }

        @Override
        public void end(Channel channel, Channel.Request request) {
            Message message = (Message) request;
            assertThat(message.number).isEqualTo(ended++);
            assertThat(message.come.cardinality()).as("bytes that have come").isEqualTo(message.length);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldEndRequestsInOrderWhateverItsRailsDo(int rails) {
        int early = 0;
        int again = 0;
        int losses = 0;
        int returns = 0;
        int unequal = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Interleaving interleaving = new Interleaving(seed);
            Checking checking = new Checking();
            Channel channel = new Channel(0, 1, 2, 0, rails, random.split(), interleaving, checking);
            int[] turns = new int[rails];
            for (int number = 0; number < REQUESTS; number++) {
                int length = random.nextInt(4) == 0 ? 0 : random.nextInt(BYTES_MAX);
                channel.add(new Message(number, length, new BitSet(length)));
                channel.send();
                for (int i = random.nextInt(10); i > 0; i--) {
                    turn(channel, interleaving, checking, turns);
                }
            }
            while (turn(channel, interleaving, checking, turns)) {
                assertThat(turns[0]).as("turns").isLessThan(1_000_000);
            }
            assertThat(checking.ended).isEqualTo(REQUESTS);
            early += checking.early;
            again += checking.again;
            losses += channel.losses();
            returns += channel.returns();
            unequal += isUnequal(checking.frames, turns) ? 1 : 0;
        }
        if (rails == 1) {
            assertThat(List.of(early, again, losses, returns)).containsOnly(0);
        } else {
            assertThat(List.of(early, again, losses, returns)).allMatch(times -> times > SEEDS);
            assertThat(unequal).as("runs with a rail that is slow").isGreaterThan(SEEDS / 4);
        }
    }

    private static boolean turn(Channel channel, Interleaving interleaving, Checking checking, int[] turns) {
        int rail = interleaving.choose();
        if (rail >= 0) {
            turns[rail]++;
            checking.last = rail;
            channel.act(rail);
        }
        return rail >= 0;
    }

    /** By the turns that it needs for a frame. */
    private static boolean isUnequal(int[] frames, int[] turns) {
        double slowest = 0;
        double fastest = Double.MAX_VALUE;
        for (int rail = 0; rail < turns.length; rail++) {
            double each = (1.0 + turns[rail]) / (1 + frames[rail]);
            slowest = Math.max(slowest, each);
            fastest = Math.min(fastest, each);
        }
        return slowest > SLOW * fastest;
    }

    /** Those with k ports. */
    static Stream<Algorithm> algorithms() {
        return Stream.of("gather direct", "gather tree", "gather tree@3-ports", "scatter tree@3-ports",
                "allgather direct", "allgather bruck", "allgather bruck@3-ports", "allgather standard-exchange@3-ports",
                "allgather gather-and-broadcast@3-ports", "all-to-all direct",
                "all-to-all bruck@3-ports", "all-to-all standard-exchange@3-ports")
                .map(name -> name.split(" "))
                .map(name -> Catalogue.find(Collective.valueOf(name[0].replace('-', '_').toUpperCase()), name[1]));
    }

    /** On one rail to four, which fail in the middle of operations, and come back. */
    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldFindNothingWrongOverRailsThatFailAndComeBack(Algorithm algorithm) {
        Topology topology = Sweep.even(4, 2);
        Set<Integer> rails = new TreeSet<>();
        var losses = new TreeMap<Integer, Integer>();
        var returns = new TreeMap<Integer, Integer>();
        for (int seed = 0; rails.size() < Channel.RAILS_MAX; seed++) {
            var worlds = new HashSet<World>();
            int part = seed % AlgorithmPlan.parts(algorithm, topology);
            List<PlannedCall> calls = new AlgorithmPlan(algorithm, topology, part, seed).calls();
            assertThat(Verifier.verify(topology, calls.subList(0, Math.min(CALLS_MAX, calls.size())), 1, seed,
                    (world, thread) -> {
                        worlds.add(world);
                        return new VerifyingMachine(world, thread);
                    })).isEmpty();
            World world = worlds.iterator().next();
            rails.add(world.rails());
            losses.merge(world.rails(), world.losses(), Integer::sum);
            returns.merge(world.rails(), world.returns(), Integer::sum);
        }
        assertThat(losses.remove(1)).isZero();
        assertThat(returns.remove(1)).isZero();
        assertThat(new ArrayList<>(losses.values())).allMatch(times -> times > 0);
        assertThat(new ArrayList<>(returns.values())).allMatch(times -> times > 0);
    }
}
