/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobAbortedException;
import org.tutti.RankFailedException;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.window.WindowPool;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Communicators of some of a job's ranks, in any order, each of which fails with its own ranks only. */
@Timeout(60)
class LiveMembersTest {
    private static final int SIZE = 6;
    private static final int STATUS = 3;
    private static final Algorithm BARRIER = new FlatBarrier();

    private final Memory memory = new PrivateMemory();
    private final Node node = Node.create(memory, memory.claim(NodeLayout.bytes(SIZE), "a test"),
            NodeShape.single("test", SIZE), Secret.random(), false);
    private final ProcessCommunicators communicators =
            new ProcessCommunicators(node, null, new RankThreads(node), false);
    private final int[] ranks = {4, 1, 2};
    private final LiveMembers group = communicators.members(ranks);
    private final LiveMembers world = communicators.members();
    private final long process = ProcessHandle.current().pid();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < SIZE; rank++) {
            node.markJoined(rank, 0);
        }
    }

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void shouldFailWithItsOwnRanksOnly() {
        node.markFailed(RankFailure.threw(3));
        assertThat(group.failure(-1)).isNull();
        assertThat(group.failure(0)).isNull();
        assertThat(world.failure(-1)).isInstanceOf(RankFailedException.class);
        node.markFailed(RankFailure.threw(4));
        assertFailed(group.failure(-1), 4, "rank 0 (rank 4 of the job, process " + process + ") failed");
        assertFailed(world.failure(-1), 3, "rank 3 (process " + process + ") failed");
    }

    @Test
    void shouldNameTheRankThatFailedFirst() {
        node.markFailed(RankFailure.threw(2));
        node.markFailed(RankFailure.threw(4));
        assertFailed(group.failure(-1), 2, "rank 2 (rank 2 of the job, process ");
        assertFailed(world.failure(-1), 2, "rank 2 (process ");
    }

    @Test
    void shouldNameAWitnessThatIsNoneOfItsRanks() {
        node.markFailed(new RankFailure(1, RankFailure.Reason.UNREACHABLE, 5, 0));
        assertThat(group.failure(-1)).hasMessageContaining("rank 5 of the job (process " + process)
                .hasMessageContaining("rank 1 (rank 1 of the job, process " + process);
    }

    @Test
    void shouldAwaitNothingOfOneOfItsRanksThatHasLeft() {
        node.markLeft(0);
        node.markLeft(4);
        assertThat(group.failure(-1)).isNull();
        assertThat(group.failure(1)).isNull();
        assertFailed(group.failure(0), 4, "rank 0 (rank 4 of the job) has left the job");
        assertThat(List.of(group.hasLeft(0), group.hasLeft(1), group.isGone(0), group.isGone(2)))
                .containsExactly(true, false, true, false);
    }

    @Test
    void shouldEndWhenTheJobIsAbortedByAnyRank() {
        node.abort(5, STATUS);
        assertThat(group.failure(-1)).isInstanceOf(JobAbortedException.class).hasMessageContaining("rank 5");
    }

    // ---- teams of them

    @Test
    void shouldGoOnWhenARankFailsThatIsNotInTheCommunicator() throws InterruptedException {
        List<Team> teams = teams();
        assertThat(barrier(teams)).containsOnlyNulls();
        node.markFailed(RankFailure.threw(0));
        node.markFailed(RankFailure.threw(5));
        assertThat(barrier(teams)).containsOnlyNulls();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldBreakWhenARankFailsThatIsInTheCommunicator(int failed) throws InterruptedException {
        List<Team> teams = teams();
        node.markFailed(RankFailure.threw(0));
        assertThat(barrier(teams)).containsOnlyNulls();
        node.markFailed(RankFailure.threw(ranks[failed]));
        teams.remove(failed);
        assertThat(barrier(teams)).hasSize(2).allSatisfy(
                failure -> assertFailed(failure, ranks[failed], "rank " + failed + " (rank " + ranks[failed]));
    }

    /** Who comes later is told by the broken word. */
    @Test
    void shouldNameARankThatHasLeftAtRanksThatDidNotAwaitIt() throws InterruptedException {
        List<Team> teams = teams();
        node.markLeft(4);
        assertThat(barrier(teams.subList(2, 3))).hasSize(1).first()
                .satisfies(failure -> assertFailed(failure, 4, "rank 0 (rank 4 of the job) has left the job"));
        assertThat(barrier(teams.subList(1, 2))).hasSize(1).first().satisfies(failure -> assertFailed(failure, 4,
                "rank 2 (rank 2 of the job) waited for rank 0 (rank 4 of the job)"));
    }

    private static void assertFailed(Throwable failure, int rankInJob, String message) {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> {
            throw failure;
        }).withMessageContaining(message).satisfies(each -> assertThat(each.rank()).isEqualTo(rankInJob));
    }

    private List<Team> teams() {
        long ring = memory.claim(new RingLayout(1, ranks.length).bytes(), "a test");
        List<Team> teams = new ArrayList<>();
        for (int rank = 0; rank < ranks.length; rank++) {
            teams.add(new Team(new LiveMachine(new Waiter(false)), group,
                    new WindowPool(memory, WindowSizes.windowBytesMax(SIZE)), ring, rank,
                    new NodeView(new Topology(new int[ranks.length]), 0), null));
        }
        return teams;
    }

    /** What teams throw in a barrier, or null. */
    private static List<Throwable> barrier(List<Team> teams) throws InterruptedException {
        Throwable[] failures = new Throwable[teams.size()];
        List<Thread> threads = new ArrayList<>();
        for (int index = 0; index < failures.length; index++) {
            int mine = index;
            threads.add(Thread.ofPlatform().start(() -> failures[mine] = catchThrowable(() -> {
                Call call = new Call();
                call.set(BARRIER, 0, Long.MAX_VALUE);
                call.draw(teams.get(mine));
                call.run(teams.get(mine));
            })));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        List<Throwable> all = new ArrayList<>();
        for (Throwable failure : failures) {
            all.add(failure);
        }
        return all;
    }
}
