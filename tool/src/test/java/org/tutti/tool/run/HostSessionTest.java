/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/** A host with a launcher that says less than it should. {@link SeveralHostsTest} has correct launchers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HostSessionTest {
    @Test
    void shouldEndWhenTheLauncherDoesNotSayWhatTheJobIs() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var launcher = new PipedOutputStream(); var in = new PipedInputStream(launcher)) {
            var session = new HostSession(in, out, Duration.ofMillis(100));
            assertThat(session.run()).isEqualTo(1);
        }
        var said = new DataInputStream(new ByteArrayInputStream(out.toByteArray()));
        assertThat(Greeting.read(said)).isEqualTo(Greeting.OWN);
        assertThat(SessionFrame.read(said).text())
                .isEqualTo("it could not go on (the launcher has not said within 100 ms what the job is)");
    }
}
