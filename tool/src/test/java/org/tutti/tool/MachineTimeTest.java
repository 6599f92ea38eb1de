/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MachineTimeTest {
    private static final Duration TICK = Duration.ofMillis(10);

    @Test
    void shouldPassNoFasterThanTheClock() throws InterruptedException {
        long startNanos = System.nanoTime();
        var time = new MachineTime();
        Thread.sleep(50);
        var elapsed = time.elapsed();
        assertThat(elapsed).isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - startNanos).plus(TICK));
    }

    @Test
    void shouldWarnOfAHostThatTookMuch() {
        assertThat(MachineTime.warning(0.04)).isEmpty();
        assertThat(MachineTime.warning(0.43)).contains("tutti: the host of this virtual machine took 43 % of its time "
                + "for others meanwhile, so the figures say little; measure again");
    }
}
