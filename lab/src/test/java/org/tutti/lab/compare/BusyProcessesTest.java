/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.TuttiException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Processes that keep cores busy, and their ends. */
@Timeout(60)
class BusyProcessesTest {
    private static final Duration SOME_TIME = Duration.ofMillis(200);

    private static Duration used(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Test
    void shouldComputeUntilTheyAreClosed() throws Exception {
        var processes = new BusyProcesses(2);
        for (var each : processes.handles()) {
            var before = used(each);
            while (used(each).minus(before).compareTo(SOME_TIME) < 0) {
                Thread.sleep(10);
            }
        }
        processes.requireAlive();
        processes.close();
        assertThat(processes.handles()).hasSize(2).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void shouldSayThatOneHasEnded() throws Exception {
        try (var processes = new BusyProcesses(2)) {
            processes.handles().getFirst().destroyForcibly();
            processes.handles().getFirst().onExit().join();
            assertThatThrownBy(processes::requireAlive).isInstanceOf(TuttiException.class)
                    .hasMessageStartingWith("one of the 2 processes of --busy 2 has ended");
        }
    }

    /** As it is when the process that has started it was killed. */
    @Test
    void shouldEndWithItsInput() throws Exception {
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), BusyProgram.class.getName()).start();
        try {
            assertThat(process.getInputStream().read()).isEqualTo('b');
            process.getOutputStream().close();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
