/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.calls;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.tutti.Collective;
import org.tutti.collective.calls.RecentCalls.Entry;
import org.tutti.collective.calls.RecentCalls.State;
import org.tutti.collective.layout.Label;
import org.tutti.tool.calls.FirstDifference.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** The first difference between ranks whose calls the test makes up. */
class FirstDifferenceTest {
    private static final long WORLD = 0;
    private static final long GROUP = 0xbeefL;

    private final Map<Integer, List<Entry>> calls = new TreeMap<>();

    private void call(int rank, long communicator, long operation, Collective collective, long bytes, State state) {
        call(rank, communicator, operation, collective, bytes, 0, state);
    }

    private void call(int rank, long communicator, long operation, Collective collective, long bytes, int root,
            State state) {
        var all = calls.computeIfAbsent(rank, _ -> new ArrayList<>());
        all.add(new Entry(all.size() + 1, communicator, operation, collective, new Label("flat").hash(), bytes, root,
                state, ""));
    }

    private void allreduces(int rank, int from, int to) {
        for (int operation = from; operation <= to; operation++) {
            call(rank, WORLD, operation, Collective.ALLREDUCE, 8, State.DONE);
        }
    }

    private List<RankCalls> ranks() {
        List<RankCalls> ranks = new ArrayList<>();
        calls.forEach((rank, all) -> ranks.add(
                new RankCalls(rank, all.size(), all.subList(Math.max(0, all.size() - 64), all.size()))));
        return ranks;
    }

    private FirstDifference find(Integer... causes) {
        return FirstDifference.find(ranks(), Set.of(causes)).orElseThrow();
    }

    @Test
    void shouldFindNoDifferenceBetweenRanksAtTheSamePlace() {
        assertThat(FirstDifference.find(List.of(), Set.of())).isEmpty();
        for (int rank = 0; rank < 3; rank++) {
            allreduces(rank, 1, 100);
        }
        assertThat(FirstDifference.find(ranks(), Set.of())).isEmpty();
    }

    @Test
    void shouldSayNothingOfARankWhoseLastCallIsNotKnown() {
        for (int rank = 0; rank < 3; rank++) {
            allreduces(rank, 1, 64);
            call(rank, WORLD, 65, Collective.ALLREDUCE, 8, State.RUNNING);
        }
        List<RankCalls> ranks = new ArrayList<>(ranks());
        ranks.set(0, new RankCalls(0, 65, calls.get(0).subList(0, 64)));
        assertThat(FirstDifference.find(ranks, Set.of())).isEmpty();
        assertThat(FirstDifference.find(ranks, Set.of(0))).isEmpty();
    }

    @Test
    void shouldNameTheRankThatHasNotCome() {
        for (int rank = 0; rank < 4; rank++) {
            allreduces(rank, 1, 1041);
            if (rank != 2) {
                call(rank, WORLD, 1042, Collective.BROADCAST, 65536, State.RUNNING);
            }
        }
        assertThat(find()).isEqualTo(new FirstDifference(Kind.BEHIND, WORLD, 1041, List.of(2),
                "rank 2 is behind: it has ended call 1,041 of the world, an allreduce of 8 B, and ranks 0-1, 3 are in "
                        + "call 1,042, a broadcast of 64 KiB"));
    }

    @Test
    void shouldNameARankThatHasMadeNoCall() {
        calls.put(0, new ArrayList<>());
        call(1, WORLD, 1, Collective.BARRIER, 0, State.RUNNING);
        assertThat(find()).isEqualTo(new FirstDifference(Kind.BEHIND, WORLD, 0, List.of(0),
                "rank 0 is behind: it has made no call, and rank 1 is in call 1 of the world, a barrier"));
    }

    @Test
    void shouldNameTheRankInACallThatTheOthersHaveEnded() {
        call(0, WORLD, 9, Collective.BARRIER, 0, State.DONE);
        call(1, WORLD, 9, Collective.BARRIER, 0, State.RUNNING);
        assertThat(find().ranks()).containsExactly(1);
        assertThat(find().sentence()).isEqualTo("rank 1 is behind: it is in call 9 of the world, a barrier, and rank 0 "
                + "has ended call 9, a barrier");
    }

    /** Rank 1 waits in the group for rank 3, and ranks 0 and 2 wait in the world for both. */
    @Test
    void shouldPreferARankThatIsInNoCallToOneThatWaitsInAnotherCommunicator() {
        for (int rank = 0; rank < 4; rank++) {
            allreduces(rank, 1, 3);
        }
        call(1, GROUP, 1, Collective.BARRIER, 0, State.RUNNING);
        call(0, WORLD, 4, Collective.BARRIER, 0, State.RUNNING);
        call(2, WORLD, 4, Collective.BARRIER, 0, State.RUNNING);
        assertThat(find()).isEqualTo(new FirstDifference(Kind.BEHIND, WORLD, 3, List.of(3),
                "rank 3 is behind: it has ended call 3 of the world, an allreduce of 8 B; ranks 0, 2 are in call 4, "
                        + "a barrier, and rank 1 is in call 1 of communicator beef, a barrier"));
    }

    /** Rank 0 waits in the world for rank 1, which waits in the group for rank 2. */
    @Test
    void shouldFollowWaitsToTheCommunicatorOfTheRankThatIsInNoCall() {
        call(0, WORLD, 1, Collective.BARRIER, 0, State.RUNNING);
        call(1, GROUP, 1, Collective.BARRIER, 0, State.DONE);
        call(2, GROUP, 1, Collective.BARRIER, 0, State.DONE);
        call(2, WORLD, 1, Collective.BARRIER, 0, State.DONE);
        call(1, GROUP, 2, Collective.SCAN, 4, State.RUNNING);
        assertThat(find()).isEqualTo(new FirstDifference(Kind.BEHIND, GROUP, 1, List.of(2),
                "rank 2 is behind: it has ended call 1 of communicator beef, a barrier, and rank 1 is in call 2, a "
                        + "scan of 4 B"));
    }

    @Test
    void shouldSayWhereARankWaitsThatIsBehind() {
        call(0, WORLD, 7, Collective.BARRIER, 0, State.RUNNING);
        call(1, WORLD, 6, Collective.BARRIER, 0, State.DONE);
        call(1, GROUP, 2, Collective.BARRIER, 0, State.RUNNING);
        assertThat(find().sentence()).isEqualTo("rank 1 is behind: it is in call 2 of communicator beef, a barrier, "
                + "and rank 0 is in call 7, a barrier");
    }

    @Test
    void shouldNotTakeAStartedCallForARunningOne() {
        call(0, WORLD, 5, Collective.ALLREDUCE, 8, State.STARTED);
        call(0, WORLD, 6, Collective.ALLREDUCE, 8, State.STARTED);
        call(1, WORLD, 5, Collective.ALLREDUCE, 8, State.RUNNING);
        assertThat(find().ranks()).containsExactly(0);
        assertThat(find().sentence()).startsWith("rank 0 is behind: it has started call 5 of the world, an allreduce");
    }

    @Test
    void shouldFindTheFirstCallThatDiffers() {
        for (int rank = 0; rank < 3; rank++) {
            allreduces(rank, 1, 4);
            call(rank, WORLD, 5, rank == 1 ? Collective.BARRIER : Collective.BROADCAST, rank == 1 ? 0 : 1_000_000, 2,
                    State.FAILED);
        }
        assertThat(find(0)).isEqualTo(new FirstDifference(Kind.MISMATCH, WORLD, 5, List.of(1),
                "call 5 of the world differs: rank 1 made a barrier, and ranks 0, 2 made a broadcast of 1,000,000 B "
                        + "with root 2"));
    }

    @Test
    void shouldTellCallsOfOtherLengthsAndRootsApart() {
        call(0, WORLD, 1, Collective.REDUCE, 1_000_000, 0, State.RUNNING);
        call(1, WORLD, 1, Collective.REDUCE, 1_000_008, 0, State.RUNNING);
        call(2, WORLD, 1, Collective.REDUCE, 1_000_000, 1, State.RUNNING);
        assertThat(find().sentence()).isEqualTo("call 1 of the world differs: rank 0 made a reduce of 1,000,000 B with "
                + "root 0, rank 1 made a reduce of 1,000,008 B with root 0, and rank 2 made a reduce of 1,000,000 B "
                + "with root 1");
    }

    @Test
    void shouldAllowBlocksOfDifferentLengthsAndRootsOfCollectivesWithoutOne() {
        call(0, WORLD, 1, Collective.GATHER, 100, 0, State.DONE);
        call(1, WORLD, 1, Collective.GATHER, 300, 0, State.DONE);
        call(0, WORLD, 2, Collective.ALLREDUCE, 8, 0, State.DONE);
        call(1, WORLD, 2, Collective.ALLREDUCE, 8, 1, State.DONE);
        assertThat(FirstDifference.find(ranks(), Set.of())).isEmpty();
    }

    @Test
    void shouldTellWhereTheCauseIsAndAccuseNoOtherRank() {
        allreduces(0, 1, 5);
        allreduces(1, 1, 5);
        allreduces(2, 1, 4);
        call(0, WORLD, 6, Collective.BARRIER, 0, State.FAILED);
        assertThat(find(1)).isEqualTo(new FirstDifference(Kind.CAUSE, WORLD, 5, List.of(1),
                "rank 1 has ended call 5 of the world, an allreduce of 8 B; rank 0 is in call 6, a barrier, and rank 2 "
                        + "has ended call 4, an allreduce of 8 B"));
        assertThat(FirstDifference.find(ranks(), Set.of(3))).as("a cause whose calls are not known").isEmpty();
    }

    @Test
    void shouldTellThatAllRanksWereInTheSameCallWhenOneFailed() {
        for (int rank = 0; rank < 3; rank++) {
            call(rank, WORLD, 5, Collective.BARRIER, 0, rank == 1 ? State.RUNNING : State.FAILED);
        }
        assertThat(find(1)).isEqualTo(new FirstDifference(Kind.CAUSE, WORLD, 5, List.of(1),
                "ranks 0-2 are in call 5 of the world, a barrier"));
    }

    @Test
    void shouldCountTheCallsOfRanksWhoseLastCallsDoNotOverlap() {
        allreduces(0, 1, 200);
        allreduces(1, 1, 10);
        assertThat(find()).isEqualTo(new FirstDifference(Kind.FAR_BEHIND, WORLD, 10, List.of(1),
                "rank 1 is more than 64 calls behind: it has begun 10 calls, and rank 0 has begun 200 "
                        + "calls"));
    }

    @Test
    void shouldSpeakOfNoRankWhoseCallsOnACommunicatorAreNotKept() {
        for (int call = 1; call <= 100; call++) {
            call(0, GROUP, call, Collective.BARRIER, 0, State.DONE); // its calls on the world are older
        }
        call(1, WORLD, 3, Collective.BARRIER, 0, State.RUNNING);
        assertThat(FirstDifference.find(ranks(), Set.of())).isEmpty();
    }

    @Test
    void shouldSummarizeManyPlaces() {
        for (int rank = 0; rank < 64; rank++) {
            call(rank, WORLD, rank + 1, Collective.BARRIER, 0, State.DONE);
        }
        assertThat(find().sentence()).startsWith("rank 0 is behind: ").endsWith(", and others are elsewhere")
                .hasSizeLessThan(400);
    }

    /** The oracle knows the place of each rank: the ranks with the fewest calls. */
    @Test
    void shouldNameTheRanksWithTheFewestCallsInRandomJobsOfOneCommunicator() {
        for (int seed = 0; seed < 500; seed++) {
            calls.clear();
            var random = new Random(seed);
            int[] ended = IntStream.generate(() -> 100 + random.nextInt(4)).limit(6).toArray();
            for (int rank = 0; rank < ended.length; rank++) {
                allreduces(rank, 1, ended[rank]);
            }
            int least = IntStream.of(ended).min().orElseThrow();
            var expected = IntStream.range(0, ended.length).filter(rank -> ended[rank] == least).boxed().toList();
            var found = FirstDifference.find(ranks(), Set.of()).map(FirstDifference::ranks);
            assertThat(found).isEqualTo(expected.size() == ended.length ? Optional.empty() : Optional.of(expected));
        }
    }

    @Test
    void shouldBearAnyValues() {
        for (int seed = 0; seed < 2000; seed++) {
            calls.clear();
            var random = new Random(seed);
            for (int i = 0; i < 20; i++) {
                call(random.nextInt(4), random.nextInt(3) - 1, random.nextLong() >> random.nextInt(64),
                        Collective.values()[random.nextInt(11)], random.nextLong(), random.nextInt(1 << 16),
                        State.values()[random.nextInt(4)]);
            }
            assertThat(FirstDifference.find(ranks(), random.nextBoolean() ? Set.of(1, 2) : Set.of())
                    .map(found -> found.sentence().length()).orElse(0)).isLessThan(1000);
        }
    }
}
