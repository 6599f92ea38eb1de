/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/** Where the windows of a rank lie that is in one operation after the other, and of one that lags behind. */
class OutboxTest {
    private static final int RANKS = 2;
    private static final int SLOTS = RingLayout.slots(1, RANKS);
    private static final int SHORT = 1 << 10;
    private static final int LONG = 24 << 10;
    private static final Algorithm ALGORITHM = new FlatBarrier();

    private final Memory memory = new PrivateMemory();
    private final long ring = memory.claim(new RingLayout(1, RANKS).bytes(), "a test");
    private final Team ahead = team(0);
    private final Team behind = team(1);

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

    private Team team(int rank) {
        return new Team(new LiveMachine(new Waiter(false)), new ScriptedMembers(), memory, ring,
                new Outbox(memory, RANKS),
                rank, RANKS);
    }

    /** An operation of the one rank, which the other one has not left yet. */
    private long window(int bytes) {
        enter(ahead);
        long start = ahead.show(bytes).start();
        ahead.leave();
        return start;
    }

    private void follow() {
        enter(behind);
        behind.leave();
    }

    private static void enter(Team team) {
        Call call = new Call();
        call.set(ALGORITHM, 0, Long.MAX_VALUE);
        team.draw(call);
        team.begin(call);
    }
}
