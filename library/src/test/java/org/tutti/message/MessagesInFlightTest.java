/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.memory.Looks;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/** The messages that threads of a rank move on while they wait, counted step by step. */
class MessagesInFlightTest {
    private static final int STEPS_PER_POLL_MAX = 64;

    private final MessagesInFlight inFlight = inFlight();
    private long steps;

    private static MessagesInFlight inFlight() {
        var memory = new PrivateMemory();
        var doors = memory.block(memory.claim(Doors.bytes(1), "a test"), Doors.bytes(1));
        var mailbox = new Mailbox(new LiveMachine(new Waiter(false, () -> false)), memory, doors, 0,
                new RankTable<>(), (_, _) -> {
                });
        return new MessagesInFlight(new Background() {
            @Override
            public void start(String name, Runnable task) {
                task.run();
            }

            @Override
            public void watch(Looks.Look look) {
                // the test polls
            }
        }, mailbox);
    }

    private final class CountedMessage implements MessageInFlight {
        long looks;
        boolean hasEnded;
        boolean canMove;

        @Override
        public boolean hasEnded() {
            return hasEnded;
        }

        @Override
        public boolean tryAdvance() {
            looks++;
            steps++;
            return false;
        }

        @Override
        public boolean canMoveSoon() {
            return canMove;
        }

        @Override
        public void check() {
            // goes on
        }
    }

    private List<CountedMessage> add(int count) {
        List<CountedMessage> added = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            added.add(new CountedMessage());
            inFlight.add(added.getLast());
        }
        return added;
    }

    private void end(CountedMessage message) {
        message.hasEnded = true;
        inFlight.remove(message);
    }

    @Test
    void shouldMoveAFewMessagesInEachPoll() {
        List<CountedMessage> few = add(STEPS_PER_POLL_MAX);
        for (int poll = 1; poll <= 3; poll++) {
            inFlight.poll();
            int polls = poll;
            assertThat(few).allMatch(each -> each.looks == polls);
        }
    }

    @Test
    void shouldTakeTheSameTimeForAPollOfManyMessages() {
        List<CountedMessage> many = add(MessagesInFlight.COUNT_MAX);
        inFlight.poll(); // which may look at all that are new
        steps = 0;
        int polls = MessagesInFlight.COUNT_MAX / STEPS_PER_POLL_MAX;
        for (int poll = 0; poll < polls; poll++) {
            inFlight.poll();
        }
        assertThat(steps).isLessThanOrEqualTo((long) polls * STEPS_PER_POLL_MAX);
        assertThat(many).as("each has its turn").allMatch(each -> each.looks > 0);
    }

    @Test
    void shouldForgetMessagesThatHaveEnded() {
        for (int round = 0; round < 1000; round++) {
            List<CountedMessage> many = add(1000);
            if (round % 3 == 0) {
                inFlight.poll();
            }
            many.forEach(this::end);
            inFlight.poll();
        }
        assertThat(inFlight.isEmpty()).isTrue();
        for (int poll = 0; poll < 1000; poll++) {
            inFlight.poll();
        }
        steps = 0;
        CountedMessage last = add(1).getFirst();
        inFlight.poll();
        assertThat(steps).isEqualTo(1);
        assertThat(last.looks).isEqualTo(1);
    }

    @Test
    void shouldTellWhetherAMessageCanMoveSoon() {
        List<CountedMessage> many = add(10 * STEPS_PER_POLL_MAX);
        many.get(3 * STEPS_PER_POLL_MAX).canMove = true;
        for (int poll = 0; poll < 100; poll++) {
            inFlight.poll();
        }
        assertThat(inFlight.isAnyOnItsWay()).isTrue();
        many.get(3 * STEPS_PER_POLL_MAX).canMove = false;
        for (int poll = 0; poll < 100; poll++) {
            inFlight.poll();
        }
        assertThat(inFlight.isAnyOnItsWay()).isFalse();
    }
}
