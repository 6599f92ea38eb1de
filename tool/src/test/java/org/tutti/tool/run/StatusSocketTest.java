/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.gson.JsonParser;
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
            return status(List.of("one", "two"));
        })) {
            assertThat(StatusSocket.ask(socket(), LONG)).isEmpty();
            assertThat(StatusSocket.ask(socket(), LONG)).isEqualTo(
                    "{\"job\":\"7-x\",\"state\":\"running\",\"elapsedSeconds\":1.5,\"size\":0,\"nodes\":1,"
                            + "\"ranks\":[],\"text\":[\"one\",\"two\"]}\n");
        }
    }

    private static JobStatus status(List<String> text) {
        return new JobStatus("7-x", JobStatus.RUNNING, 1.5, 0, 1, List.of(), text, null);
    }

    /** The answer is longer than the kernel's buffers, and the first client reads nothing of it. */
    @Test
    void shouldAnswerBesideAClientThatStaysSilent() throws Exception {
        var text = List.of("x".repeat(1 << 24));
        try (var _ = StatusSocket.open(socket(), () -> status(text));
                var silent = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            var answer = JsonParser.parseString(StatusSocket.ask(socket(), LONG)).getAsJsonObject();
            assertThat(answer.getAsJsonArray("text").get(0).getAsString()).isEqualTo(text.getFirst());
            assertThat(silent.isConnected()).isTrue();
        }
    }

    @Test
    void shouldKeepQuotesAndControlCharactersOfATextInOneLine() {
        var text = "\"a\\b\"\u0001\n\u2028 <é>\uD83D\uDE00";
        var answer = JobStatus.json(status(List.of(text)));
        assertThat(answer.lines()).hasSize(1);
        assertThat(answer).doesNotContain("\u0001", "\u2028").contains("<é>");
        assertThat(JsonParser.parseString(answer).getAsJsonObject().getAsJsonArray("text").get(0).getAsString())
                .isEqualTo(text);
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
