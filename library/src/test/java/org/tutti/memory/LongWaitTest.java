/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class LongWaitTest {
    /** The call of this rank. */
    private record Caller(int rank) implements Waiter.Check {
        @Override
        public void check() {}

        @Override
        public WaitingCall call() {
            return new WaitingCall(this, rank, "any", "any", 0, WaitingCall.UNKNOWN);
        }
    }

    private static Optional<Integer> listed() {
        return Waits.of(Thread.currentThread()).map(wait -> wait.call().get().rank());
    }

    private static void turnUntilListed(LongWait wait, int rank) {
        while (!listed().equals(Optional.of(rank))) {
            wait.turn(new Caller(rank));
        }
    }

    @Test
    void shouldListAWaitWhenItHasLastedAndUntilItEndsAgainAndAgain() {
        var wait = new LongWait();
        for (int rank = 0; rank < 2; rank++) {
            try (wait) {
                wait.turn(new Caller(rank));
                assertThat(listed()).isEmpty();
                turnUntilListed(wait, rank);
            }
            assertThat(listed()).isEmpty();
        }
    }

    @Test
    void shouldListTheWaitAroundAnInnerOneThatHasEnded() {
        try (var around = new LongWait()) {
            turnUntilListed(around, 1);
            try (var inside = new LongWait()) {
                turnUntilListed(inside, 2);
            }
            assertThat(listed()).contains(1);
        }
    }
}
