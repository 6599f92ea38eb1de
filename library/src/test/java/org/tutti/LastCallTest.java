/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What differs in the very last calls of a job, in which nobody waits for anybody, is found when the job or
 * the group closes.
 */
@Timeout(120)
class LastCallTest {
    private static void assertThatItDiffers(int ranks, Consumer<Communicator> last, String one, String other) {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(ranks, job -> {
            job.world().barrier();
            last.accept(job.world());
        })).havingCause().isInstanceOf(CollectiveMismatchException.class).satisfies(mismatch -> {
            assertThat(mismatch).message().contains(one, other);
            assertThat(((CollectiveMismatchException) mismatch).isFirstHand()).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void shouldFindAnotherRoot(int ranks) {
        assertThatItDiffers(ranks, world -> world.broadcast(new int[3], world.rank()), "with root ",
                "as call number 2 on its communicator, but rank ");
    }

    /** Rank 0 sends what is one operation, rank 1 what is many: their last operations have different numbers. */
    @Test
    void shouldFindAnotherCountThatIsMoreOperations() {
        assertThatItDiffers(2, world -> {
            if (world.rank() == 0) {
                world.broadcast(new byte[10], 0);
            } else {
                world.broadcast(new byte[1 << 20], 1);
            }
        }, "of 10 byte elements", "of 1048576 byte elements");
    }

    @Test
    void shouldFindItInAGroup() {
        assertThatItDiffers(3, world -> {
            Communicator group = world.split(world.rank() == 2 ? 1 : 0, 0);
            group.broadcast(new int[1], group.rank());
        }, "(rank 0 of the job) called broadcast", "(rank 1 of the job) called broadcast");
    }

    @Test
    void shouldFindItWhenAGroupIsClosed() {
        assertThatItDiffers(3, world -> {
            try (Communicator group = world.split(world.rank() == 2 ? 1 : 0, 0)) {
                group.broadcast(new int[1], group.rank());
            }
        }, "(rank 0 of the job) called broadcast", "(rank 1 of the job) called broadcast");
    }

    @Test
    void shouldNotTakeTheLineThatClosesTheJobForThatOfTheCall() {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(2, job -> {
            job.world().broadcast(new int[3], job.rank());
            job.close();
        })).havingCause().isInstanceOf(CollectiveMismatchException.class)
                .withMessageMatching(
                        "rank (\\d) called broadcast [^,]* with root \\1 as call number 1 on its communicator, "
                                + "but rank \\d called broadcast [^,]*, as was seen at \\S+LastCallTest\\.\\S+; .*");
    }

    @Test
    void shouldHaveNothingAgainstRanksThatLeaveBeforeOthersHaveCalled() {
        for (int round = 0; round < 50; round++) {
            Tutti.runLocal(3, job -> {
                job.world().barrier();
                for (int call = 0; call < 5; call++) {
                    job.world().broadcast(new byte[1 << call * 5], 0);
                }
            });
        }
    }

    @Test
    void shouldSayWhatARankThrewAndNotWhatItsOtherCallsWere() {
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> Tutti.runLocal(2, job -> {
            job.world().barrier();
            if (job.rank() == 1) {
                throw new IllegalStateException("the cause");
            }
            job.world().broadcast(new int[1], 0);
        })).withMessageContaining("the cause");
    }
}
