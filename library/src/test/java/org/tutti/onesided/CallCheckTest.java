/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.junit.jupiter.api.Test;
import org.tutti.RankFailedException;
import org.tutti.collective.Members;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CallCheckTest {
    private static final int LEAVER = 1;

    private boolean failed;
    private final CallCheck check = new CallCheck(new OneHasLeft(), 0);

    /** Rank 1 has left, and rank 2 may fail. */
    private final class OneHasLeft implements Members {
        @Override
        public long changes() {
            return 1;
        }

        @Override
        public RuntimeException failure(int awaited) {
            if (failed) {
                return new RankFailedException(2, "rank 2 failed");
            }
            return hasLeft(awaited) ? new RankFailedException(awaited, "rank " + awaited + " has left the job") : null;
        }

        @Override
        public boolean hasLeft(int rank) {
            return rank == LEAVER;
        }

        @Override
        public boolean isGone(int rank) {
            return hasLeft(rank);
        }

        @Override
        public String describe(int rank) {
            return "rank " + rank;
        }
    }

    @Test
    void shouldEndAGetFromARankThatHasLeft() {
        check.begin("get", LEAVER, Long.MAX_VALUE);
        assertThatThrownBy(check::check).hasMessage("rank 1 has left the job");
    }

    @Test
    void shouldLetAFenceGoOnUntilTheFabricKnowsWhatTheLeaverHad() {
        check.beginFence("fence", LEAVER, Long.MAX_VALUE);
        assertThatCode(check::check).doesNotThrowAnyException();
        check.requireThere(true);
        assertThatThrownBy(() -> check.requireThere(false)).hasMessage("rank 1 has left the job");
        failed = true;
        assertThatThrownBy(check::check).hasMessage("rank 2 failed");
    }
}
