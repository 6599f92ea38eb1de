/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Two threads in a communicator, where there may be one: an exception says so, and names both. */
@Timeout(120)
class TwoThreadsTest {
    @Test
    void shouldNameBothThreadsInACommunicator() {
        Queue<Throwable> refused = new ConcurrentLinkedQueue<>();
        Tutti.runLocal(2, job -> {
            var tries = Reduction.ofInts("tries", true, (left, right) -> {
                refused.add(catchThrowable(() -> job.world().barrier()));
                try {
                    Thread.ofPlatform().name("helper")
                            .start(() -> refused.add(catchThrowable(() -> job.world().broadcast(new int[1], 0))))
                            .join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return left + right;
            });
            int[] sum = {job.rank() + 1};
            job.world().allreduce(sum, tries);
            assertThat(sum[0]).isEqualTo(3);
            job.world().barrier();
        });
        assertThat(refused).hasOnlyElementsOfType(IllegalStateException.class).map(Throwable::getMessage)
                .anyMatch(message -> message.matches("rank [01] called barrier from within allreduce on the same "
                        + "communicator, as in an operator; call it afterwards"))
                .anyMatch(message -> message.matches("rank [01] called broadcast on thread \"helper\" while thread "
                        + "\"tutti rank [01]\" is inside allreduce on the same communicator; let one thread at a time "
                        + "use it"));
    }
}
