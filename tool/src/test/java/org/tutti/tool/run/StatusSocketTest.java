/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The answers that {@code tutti status} gets from healthy launchers, and from others. */
@Timeout(60)
class StatusSocketTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    @TempDir
    private Path directory;

    private Path socket() {
        return directory.resolve("socket");
    }

    @Test
    void shouldAnswerAfterAnAnswerThatCouldNotBeGiven() throws Exception {
        var asked = new AtomicInteger();
        try (var _ = StatusSocket.open(socket(), () -> {
            if (asked.getAndIncrement() == 0) {
                throw new IllegalStateException("the first one");
            }
            return List.of("one", "two");
        })) {
            assertThat(StatusSocket.ask(socket(), LONG)).isEmpty();
            assertThat(StatusSocket.ask(socket(), LONG)).isEqualTo("one\ntwo\n");
        }
    }

    /** The kernel connects whoever asks; nobody accepts. */
    @Test
    void shouldNotWaitForALauncherThatStandsStill() throws Exception {
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket()));
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> StatusSocket.ask(socket(), Duration.ofMillis(1)));
        }
    }

    @Test
    void shouldSayThatThereIsNoLauncher() {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> StatusSocket.ask(socket(), LONG));
    }
}
