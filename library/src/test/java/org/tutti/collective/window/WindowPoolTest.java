/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.tutti.CallInterruptedException;
import org.tutti.DeadlineExceededException;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.Members;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.job.CountedMemory;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The positions of a rank's windows in one operation after the other, while another rank lags behind; and the waits of
 * several communicators and threads that share a rank's windows.
 */
class WindowPoolTest {
    private static final int RANKS = 2;
    private static final int SLOTS = RingLayout.slots(1, RANKS);
    private static final int SHORT = 1 << 10;
    private static final int LONG = 24 << 10;
    private static final Algorithm ALGORITHM = new FlatBarrier();

    private static final int GREATEST = (int) WindowSizes.windowBytesMax(RANKS);
    private static final int RING_BYTES = 64 << 10;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final AtomicLong claimed = new AtomicLong();
    private final Memory memory = new CountedMemory(claimed);
    private final WindowPool pool = new WindowPool(memory, GREATEST);
    private final long ring = communicator();
    private final Team ahead = team(ring, pool, new ScriptedMembers(), 0);
    private final Team behind = follower(ring);

    /** A second communicator, whose first rank has the same windows. */
    private final long otherRing = communicator();
    private final Team otherBehind = follower(otherRing);

    /** Does something once, while a rank waits. */
    private static final class Meanwhile implements Members {
        private final Members members = new ScriptedMembers();
        private Runnable event = () -> {
        };

        @Override
        public long changes() {
            Runnable now = event;
            event = () -> {
            };
            now.run();
            return members.changes();
        }

        @Override
        public RuntimeException failure(int awaited) {
            return members.failure(awaited);
        }

        @Override
        public boolean hasLeft(int rank) {
            return members.hasLeft(rank);
        }

        @Override
        public boolean isGone(int rank) {
            return members.isGone(rank);
        }

        @Override
        public String describe(int rank) {
            return members.describe(rank);
        }
    }

    @Test
    void shortWindowsComeBackToTheFrontWhenThereAreAsManyAsOperationsInFlight() {
        List<Long> starts = new ArrayList<>();
        for (int call = 0; call < 3 * SLOTS; call++) {
            starts.add(window(SHORT));
            follow();
        }
        assertThat(new HashSet<>(starts)).hasSize(SLOTS).allMatch(start -> start < (long) SLOTS * SHORT);
        for (int call = SLOTS; call < starts.size(); call++) {
            assertThat(starts.subList(call - SLOTS + 1, call)).doesNotContain(starts.get(call));
        }
    }

    /** The ring has room for two long windows and a few short ones: nobody waits, and nothing is overwritten. */
    @Test
    void aShortWindowLeavesOneAloneThatIsStillReadAtTheFront() {
        long first = window(LONG);
        assertThat(first).isZero();
        for (int call = 1; call < SLOTS; call++) {
            assertThat(window(SHORT)).isGreaterThanOrEqualTo(LONG);
        }
        for (int call = 0; call < SLOTS; call++) {
            follow();
        }
        List<Long> later = new ArrayList<>();
        for (int call = 0; call < 2 * SLOTS; call++) {
            later.add(window(SHORT));
            follow();
        }
        assertThat(later.subList(SLOTS, 2 * SLOTS)).as("the front is free").allMatch(start -> start < LONG);
    }

    /** Short windows would soon come to a long one that is still read, behind a free front: they go on behind it. */
    @Test
    void shortWindowsDoNotReturnToAFrontThatHasNoRoomForThemAll() {
        window(SHORT);
        follow();
        for (int call = 0; call < SLOTS; call++) { // so that the first one is known to be closed
            window(0);
            follow();
        }
        assertThat(window(LONG)).isEqualTo(SHORT);
        for (int call = 1; call < SLOTS; call++) {
            assertThat(window(SHORT)).isGreaterThanOrEqualTo(SHORT + LONG);
        }
    }

    @Test
    void shouldWaitForTheWindowsOfAnotherCommunicatorOfTheSameThread() {
        Meanwhile members = new Meanwhile();
        Team other = team(otherRing, pool, members, 0);
        List<Long> starts = List.of(window(GREATEST), window(GREATEST));
        enter(other);
        AtomicBoolean waited = new AtomicBoolean();
        members.event = () -> {
            waited.set(true);
            follow();
        };
        assertThat(other.show(GREATEST).start()).isEqualTo(starts.getFirst());
        assertThat(waited).isTrue();
    }

    @Test
    void shouldEndByItsOwnDeadlineWhenItWaitsForTheWindowOfAnotherOperation() {
        Team other = team(otherRing, pool, new ScriptedMembers(), 0);
        window(GREATEST);
        window(GREATEST);
        Call call = drawn(other, System.nanoTime() + SECOND_NANOS / 20);
        call.begin(other);
        assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> other.show(GREATEST))
                .withMessageContaining("while it waited for rank 1");
        follow();
        assertThat(window(GREATEST)).as("the first communicator goes on").isZero();
    }

    @Test
    void shouldEndByItsOwnInterruptWhenItWaitsForTheWindowOfAnotherOperation() {
        Team other = team(otherRing, pool, new ScriptedMembers(), 0);
        window(GREATEST);
        window(GREATEST);
        enter(other);
        Thread.currentThread().interrupt();
        try {
            assertThatExceptionOfType(CallInterruptedException.class).isThrownBy(() -> other.show(GREATEST));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void shouldNotWaitForWindowsOfABrokenCommunicator() {
        Meanwhile members = new Meanwhile();
        Team other = team(otherRing, pool, members, 0);
        List<MemorySegment> shown = List.of(shown(ahead, GREATEST), shown(ahead, GREATEST));
        enter(behind);
        enter(ahead);
        enter(other);
        members.event = () -> ahead.lifecycle.breakOff(new IllegalStateException("an example"));
        MemorySegment free = other.show(GREATEST).segment();
        assertThat(shown).as("may still be read").noneMatch(each -> each.address() == free.address());
    }

    @Test
    void shouldNotKeepAnotherThreadWaitingThatUsesAnotherCommunicator() throws InterruptedException {
        Team other = team(otherRing, pool, new ScriptedMembers(), 0);
        List<MemorySegment> shown = List.of(shown(ahead, GREATEST), shown(ahead, GREATEST));
        List<MemorySegment> shownThere = new ArrayList<>();
        Thread.ofVirtual().start(() -> shownThere.add(shown(other, GREATEST))).join();
        assertThat(shownThere).hasSize(1).noneMatch(each -> shown.get(0).address() == each.address());
    }

    @Test
    void shouldHaveAtMostSixteenBlocksForOperationsOfAnotherThread() throws InterruptedException {
        window(SHORT);
        Team other = team(otherRing, pool, new ScriptedMembers(), 0);
        long before = claimed.get();
        Thread.ofVirtual().start(() -> {
            for (int call = 0; call < 10 * SLOTS; call++) {
                shown(other, GREATEST);
                if (call >= OperationSequence.AT_ONCE_MAX - 1) { // so that nobody waits for ever
                    follow(otherBehind);
                }
            }
        }).join();
        assertThat(claimed.get() - before).isEqualTo((long) OperationSequence.AT_ONCE_MAX * GREATEST);
    }

    @Test
    void shouldHandTheRingOverWhenItsThreadHasEnded() throws InterruptedException {
        List<MemorySegment> shownThere = new ArrayList<>();
        Thread.ofPlatform().start(() -> shownThere.add(shown(ahead, SHORT))).join();
        assertThat(shown(ahead, SHORT).address()).isEqualTo(shownThere.getFirst().address() + SHORT);
    }

    /** Requests of ten thousand calls, sixteen at a time, and others that come one by one. */
    @Test
    void shouldGiveMemoryBackWhenManyRequestsHaveEnded() {
        List<Team> requests = new ArrayList<>();
        for (int i = 0; i < OperationSequence.AT_ONCE_MAX; i++) {
            requests.add(ahead.forBackground(new LiveMachine(new Waiter(false))));
        }
        long before = claimed.get();
        for (int turn = 0; turn < 10_000 / OperationSequence.AT_ONCE_MAX; turn++) {
            List<Call> calls = requests.stream().map(team -> drawn(team, Long.MAX_VALUE)).toList();
            for (int i = 0; i < calls.size(); i++) {
                calls.get(i).begin(requests.get(i));
                requests.get(i).show(GREATEST);
            }
            requests.reversed().forEach(request -> request.lifecycle.leave());
            requests.forEach(_ -> follow());
        }
        long most = (long) OperationSequence.AT_ONCE_MAX * GREATEST;
        assertThat(claimed.get() - before).isEqualTo(most);
        for (int call = 0; call < 1_000; call++) {
            shown(requests.getFirst(), GREATEST);
            follow();
        }
        assertThat(claimed.get() - before).isEqualTo(most);
        for (int block = 0; block < OperationSequence.AT_ONCE_MAX / 2; block++) {
            memory.claim(GREATEST, "somebody else");
        }
        assertThat(claimed.get() - before).as("half of it at least is anybody's").isEqualTo(most);
    }

    @Test
    void shouldKeepNothingOfACommunicatorWhoseWindowsWereTakenAgain() {
        WeakReference<OperationSequence> ended = new WeakReference<>(useOnce());
        for (int call = 0; call < RING_BYTES / SHORT; call++) {
            window(SHORT);
            follow();
        }
        await(ended);
        assertThat(ended.get()).isNull();
    }

    private OperationSequence useOnce() {
        Team other = team(otherRing, pool, new ScriptedMembers(), 0);
        shown(other, SHORT);
        follow(otherBehind);
        return other.context().operations;
    }

    private static void await(WeakReference<?> cleared) {
        for (long end = System.nanoTime() + SECOND_NANOS; cleared.get() != null && System.nanoTime() < end;) {
            System.gc();
        }
    }

    private long communicator() {
        return memory.claim(new RingLayout(1, RANKS).bytes(), "a test");
    }

    private Team follower(long ofRing) {
        return team(ofRing, new WindowPool(memory, GREATEST), new ScriptedMembers(), 1);
    }

    private Team team(long ofRing, WindowPool windows, Members members, int rank) {
        return new Team(new LiveMachine(new Waiter(false)), members, windows, ofRing, rank,
                new NodeView(new Topology(new int[RANKS]), 0), null);
    }

    /** An operation of the one rank, which the other one has not left yet. */
    private long window(int bytes) {
        enter(ahead);
        long start = ahead.show(bytes).start();
        ahead.lifecycle.leave();
        return start;
    }

    private static MemorySegment shown(Team team, int bytes) {
        enter(team);
        Area area = team.show(bytes);
        MemorySegment shown = area.segment().asSlice(area.start(), bytes);
        team.lifecycle.leave();
        return shown;
    }

    private void follow() {
        follow(behind);
    }

    private static void follow(Team team) {
        enter(team);
        team.lifecycle.leave();
    }

    private static void enter(Team team) {
        drawn(team, Long.MAX_VALUE).begin(team);
    }

    private static Call drawn(Team team, long deadlineNanos) {
        Call call = new Call();
        call.set(ALGORITHM, 0, deadlineNanos);
        call.draw(team);
        return call;
    }
}
