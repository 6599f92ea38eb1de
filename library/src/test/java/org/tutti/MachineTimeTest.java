/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MachineTimeTest {
    /** If idle time counted as stolen, say, nothing would pass here. */
    @Test
    void shouldPassWhereNothingElseRuns() throws InterruptedException {
        Duration most = Duration.ZERO;
        for (int i = 0; i < 20 && most.toMillis() <= 100; i++) {
            MachineTime time = new MachineTime();
            Thread.sleep(200);
            most = time.elapsed().compareTo(most) > 0 ? time.elapsed() : most;
        }
        assertThat(most).isGreaterThan(Duration.ofMillis(100));
    }
}
