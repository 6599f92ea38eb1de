/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.collective.members.Members;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** The queue of one mutex of five ranks, step by step, with tickets from anywhere on, also where they wrap. */
class MutexKeeperTest {
    private static final int RANKS = 5;
    private static final long MUTEX = Words.LINE_BYTES;

    private final MutexLayout layout = new MutexLayout(RANKS);
    private final MemorySegment data = Arena.ofAuto().allocate(layout.bytes(1), Words.LINE_BYTES);
    private final Set<Integer> gone = new TreeSet<>();
    private final List<Integer> woken = new ArrayList<>();
    private final Members members = (Members) Proxy.newProxyInstance(Members.class.getClassLoader(),
            new Class<?>[]{Members.class}, (_, _, arguments) -> isGone((int) arguments[0]));
    private final MutexKeeper keeper = new MutexKeeper(data, layout, members, woken::add);

    private boolean isGone(int rank) {
        assertThat(rank).as("a rank").isBetween(0, RANKS - 1);
        return gone.contains(rank);
    }

    private void beginAt(int ticket) {
        Words.store(data, MUTEX, MutexLayout.freeQueue(ticket));
        for (int i = 0; i < layout.cells(); i++) {
            Words.store(data, layout.cell(MUTEX, ticket + i), layout.emptyCell(ticket + i));
        }
    }

    private int draw() {
        return MutexLayout.nextTicket(Words.add(data, MUTEX, MutexLayout.DRAW));
    }

    private boolean set(int ticket, long expected, int state, int rank) {
        return Words.compareAndSet(data, layout.cell(MUTEX, ticket), expected, layout.cell(ticket, state, rank));
    }

    private int wait(int rank) {
        int ticket = draw();
        assertThat(set(ticket, layout.emptyCell(ticket), MutexLayout.WAITING, rank)).isTrue();
        return ticket;
    }

    private void leave(int ticket, int rank) {
        assertThat(set(ticket, layout.cell(ticket, MutexLayout.WAITING, rank), MutexLayout.LEFT, rank)).isTrue();
    }

    private int length() {
        return MutexLayout.length(Words.load(data, MUTEX));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, Integer.MAX_VALUE - 2, Integer.MIN_VALUE, -3, -1})
    void shouldSkipWhoHasLeftOrIsGone(int first) {
        beginAt(first);
        int holder = draw();
        assertThat(holder).isEqualTo(first);
        leave(wait(1), 1);
        wait(2);
        leave(wait(3), 3);
        wait(4);
        gone.add(2);
        assertThat(keeper.unlock(MUTEX, holder, 0)).isTrue();
        assertThat(woken).containsExactly(4);
        assertThat(length()).isEqualTo(1);
        assertThat(keeper.unlock(MUTEX, first + 4, 4)).isTrue();
        assertThat(length()).isZero();
        assertThat(draw()).isEqualTo(first + 5);
    }

    @Test
    void shouldLetADrawerFindThatHisTurnHasCome() {
        int holder = draw();
        int between = draw(); // and has not said yet that he waits
        assertThat(keeper.unlock(MUTEX, holder, 0)).isTrue();
        assertThat(woken).isEmpty();
        assertThat(set(between, layout.emptyCell(between), MutexLayout.WAITING, 1)).isFalse();
        assertThat(Words.load(data, layout.cell(MUTEX, between))).isEqualTo(layout.cell(between, MutexLayout.HELD, -1));
        assertThat(keeper.unlock(MUTEX, between, 1)).isTrue();
        assertThat(length()).isZero();
    }

    @Test
    void shouldIgnoreWhatNoHolderSays() {
        assertThat(keeper.unlock(MUTEX, 0, 0)).as("free").isFalse();
        int holder = draw();
        int next = wait(1);
        assertThat(keeper.unlock(MUTEX, next, 1)).as("not his turn").isFalse();
        assertThat(keeper.unlock(MUTEX, holder, 0)).isTrue();
        assertThat(keeper.unlock(MUTEX, holder, 0)).as("twice").isFalse();
        assertThat(keeper.unlock(MUTEX, next, 2)).as("another rank").isFalse();
        assertThat(keeper.passOn(MUTEX, next, 1)).as("he lives").isFalse();
        assertThat(keeper.passOn(MUTEX, next, -1)).as("no rank").isFalse();
        assertThat(length()).isEqualTo(1);
        assertThat(woken).containsExactly(1);
        long last = layout.bytes(1) - layout.mutexBytes();
        assertThat(keeper.accepts(MutexKeeper.UNLOCK, last, 8)).isTrue();
        for (long offset : new long[]{0, MUTEX + 8, layout.bytes(1), -layout.mutexBytes(), Long.MAX_VALUE}) {
            assertThat(keeper.accepts(MutexKeeper.UNLOCK, offset, 8)).as("at %d", offset).isFalse();
        }
        assertThat(keeper.accepts(2, MUTEX, 8)).isFalse();
        assertThat(keeper.accepts(MutexKeeper.UNLOCK, MUTEX, 16)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {RANKS, 1 << 20, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void shouldIgnoreWhoIsNoRankAtAll(int stranger) {
        int holder = draw();
        assertThat(say(MutexKeeper.PASS_ON, holder, stranger)).isFalse();
        assertThat(say(MutexKeeper.UNLOCK, holder, stranger)).isFalse();
        assertThat(length()).isEqualTo(1);
    }

    /** Whoever may change the words of a mutex may write anything there. */
    @ParameterizedTest
    @ValueSource(ints = {RANKS, (1 << 24) - 2, -1})
    void shouldSkipWhoIsNoRankAtAll(int stranger) {
        int holder = draw();
        int between = draw();
        assertThat(set(between, layout.emptyCell(between), MutexLayout.WAITING, stranger)).isTrue();
        wait(4);
        assertThat(say(MutexKeeper.UNLOCK, holder, 0)).isTrue();
        assertThat(woken).containsExactly(4);
        assertThat(length()).isEqualTo(1);
    }

    private boolean say(int operation, int ticket, int rank) {
        MemorySegment message = MemorySegment.ofArray(new long[]{MutexKeeper.message(ticket, rank)});
        return keeper.handle(1, operation, 0, 0, MUTEX, message, 0, 8) == 8;
    }

    @Test
    void shouldPassOnOnceWhatAFailedRankHeld() {
        int holder = draw();
        assertThat(set(holder, layout.emptyCell(holder), MutexLayout.HELD, 3)).isTrue();
        wait(1);
        gone.add(3);
        assertThat(keeper.passOn(MUTEX, holder, 3)).isTrue();
        assertThat(keeper.passOn(MUTEX, holder, 3)).isFalse();
        assertThat(keeper.unlock(MUTEX, holder, 3)).as("what it had sent comes late").isFalse();
        assertThat(woken).containsExactly(1);
        assertThat(Words.load(data, MutexLayout.failed(MUTEX))).isEqualTo(4);
    }

    /** All ranks draw, wait, leave, come again and unlock at random, beside a plain queue. */
    @ParameterizedTest
    @ValueSource(ints = {0, -40})
    void shouldBehaveLikeAPlainQueue(int first) {
        beginAt(first);
        Random random = new Random(7);
        List<Integer> queue = new ArrayList<>(); // ranks with a ticket, the holder first
        Set<Integer> left = new TreeSet<>();
        int[] tickets = new int[RANKS];
        for (int step = 0; step < 5000; step++) {
            int rank = random.nextInt(RANKS);
            if (!queue.contains(rank)) {
                tickets[rank] = draw();
                queue.add(rank);
                if (queue.size() > 1) {
                    assertThat(set(tickets[rank], layout.emptyCell(tickets[rank]), MutexLayout.WAITING, rank)).isTrue();
                }
            } else if (queue.getFirst() == rank) {
                List<Integer> expected = new ArrayList<>();
                queue.removeFirst();
                while (!queue.isEmpty() && left.remove(queue.getFirst())) {
                    queue.removeFirst();
                }
                queue.stream().findFirst().ifPresent(expected::add);
                woken.clear();
                assertThat(say(MutexKeeper.UNLOCK, tickets[rank], rank)).isTrue();
                assertThat(woken).isEqualTo(expected);
            } else if (left.remove(rank)) {
                assertThat(set(tickets[rank], layout.cell(tickets[rank], MutexLayout.LEFT, rank), MutexLayout.WAITING,
                        rank)).isTrue();
            } else {
                leave(tickets[rank], rank);
                left.add(rank);
            }
            assertThat(length()).isEqualTo(queue.size());
        }
    }
}
