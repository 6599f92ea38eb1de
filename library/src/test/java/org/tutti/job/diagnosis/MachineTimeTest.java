/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MachineTimeTest {
    private static final Duration TICK = Duration.ofMillis(10);

    @Test
    void shouldPassNoFasterThanTheClock() throws InterruptedException {
        long startNanos = System.nanoTime();
        var time = new MachineTime();
        Thread.sleep(500);
        var elapsed = time.elapsed();
        assertThat(elapsed).isGreaterThan(Duration.ZERO);
        assertThat(elapsed).isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - startNanos).plus(TICK));
    }

    @Test
    void shouldLeaveOutWhatTheHostAndOtherProgramsTook() {
        var then = new MachineTime.Ticks(2, 1000, 50);
        var now = new MachineTime.Ticks(2, 1000 + 120, 50 + 40);
        assertThat(MachineTime.elapsed(1_000_000_000, then, then, 0)).isEqualTo(Duration.ofSeconds(1));
        assertThat(MachineTime.elapsed(1_000_000_000, then, now, 120)).isEqualTo(Duration.ofMillis(800));
        assertThat(MachineTime.elapsed(1_000_000_000, then, now, 130)).isEqualTo(Duration.ofMillis(800));
        assertThat(MachineTime.elapsed(1_000_000_000, then, now, 60)).isEqualTo(Duration.ofMillis(500));
        assertThat(MachineTime.elapsed(500_000_000, then, now, 0)).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void shouldReadWhatAProcessAndThoseThatItStartedHaveUsed() {
        assertThat(MachineTime.OwnTicks.of("71 (a (b) c) S 1 71 71 0 -1 4194560 9 8 7 6 100 20 3000 400 20 0 1 0 5"))
                .isEqualTo(3520);
    }

    @Test
    void shouldReadWhatTheKernelCounts() {
        var then = MachineTime.Ticks.of(List.of("cpu  30 2 40 9000 5 6 7 80 0 0", "cpu0 10 1 20 4000 2 3 4 30 0 0",
                "cpu1 20 1 20 5000 3 3 3 50 0 0", "intr 12 13", "ctxt 14"));
        assertThat(then).isEqualTo(new MachineTime.Ticks(2, 85, 80));
        var now = new MachineTime.Ticks(2, 85 + 60, 80 + 20);
        assertThat(now.stolenNanosSince(then)).isEqualTo(100_000_000);
        assertThat(now.stolenShareSince(then)).isEqualTo(0.25);
    }

    @Test
    void shouldWarnOfOthersThatUseTheCores() {
        assertThat(MachineTime.warningOfOthers(-0.01)).isEmpty();
        assertThat(MachineTime.warningOfOthers(0.04)).isEmpty();
        assertThat(MachineTime.warningOfOthers(0.52)).contains("tutti: other programs use 52 % of this machine's cores,"
                + " so the figures will say little; let nothing else run");
    }

    @Test
    void shouldWarnOfAHostThatTookMuch() {
        assertThat(MachineTime.warning(0.04)).isEmpty();
        assertThat(MachineTime.warning(0.43)).contains("tutti: the host of this virtual machine took 43 % of its time "
                + "for others meanwhile, so the figures say little; measure again");
    }
}
