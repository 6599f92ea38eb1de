/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The handling of long lines by the relays of several processes. */
@Timeout(60)
class RelayTest {
    private static final int WRITERS = 4;
    private static final int LINES = 6;
    private static final int PATIENCE_SECONDS = 50;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final List<String> said = Collections.synchronizedList(new ArrayList<>());
    private final LineRoom room = LineRoom.ofJob(said::add);

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String line(int writer, int length) {
        return String.valueOf((char) ('a' + writer)).repeat(length) + "\n";
    }

    private String relayed(List<String> outputs, byte[] tag, Optional<LineFilter> filter) throws InterruptedException {
        var sink = new LineSink("memory", written, failure);
        var relays = new ArrayList<Relay>();
        for (int writer = 0; writer < outputs.size(); writer++) {
            relays.add(Relay.start("output of rank " + writer, stream(outputs.get(writer)), sink, tag, filter, room));
        }
        for (var relay : relays) {
            relay.awaitEnd(System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L);
        }
        assertThat(failure.get()).isNull();
        return written.toString(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 10, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 200_000, 1 << 20})
    void shouldKeepLinesOfSeveralWhole(int length) throws Exception {
        var outputs = IntStream.range(0, WRITERS).mapToObj(writer -> line(writer, length).repeat(LINES)).toList();
        var expected = outputs.stream().flatMap(String::lines).toList();
        assertThat(relayed(outputs, new byte[0], Optional.empty()).lines()).hasSize(WRITERS * LINES)
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(said).isEmpty();
    }

    @Test
    void shouldTagALongLineOnce() throws Exception {
        var outputs = List.of(line(0, 300_000), line(1, 300_000));
        assertThat(relayed(outputs, "[x] ".getBytes(StandardCharsets.US_ASCII), Optional.empty()).lines())
                .containsExactlyInAnyOrder("[x] " + line(0, 300_000).strip(), "[x] " + line(1, 300_000).strip());
    }

    @Test
    void shouldKeepTheLongestLineWholeAndSayThatALongerOneIsNot() throws Exception {
        var longest = line(0, LineRoom.LINE_BYTES_MAX - 1);
        var longer = line(1, LineRoom.LINE_BYTES_MAX);
        assertThat(relayed(List.of(longest), new byte[0], Optional.empty())).isEqualTo(longest);
        assertThat(said).isEmpty();
        written.reset();
        assertThat(relayed(List.of(longer + longer), new byte[0], Optional.empty())).isEqualTo(longer + longer);
        assertThat(said).singleElement().asString().startsWith("a line of the output of rank 0 has more than 16777216");
    }

    @Test
    void shouldGiveRoomBackAfterEachLine() throws Exception {
        long all = Runtime.getRuntime().maxMemory() / 4;
        int lines = (int) (all / (8 << 20)) + 2;
        var source = new java.io.SequenceInputStream(Collections.enumeration(
                IntStream.range(0, lines).mapToObj(_ -> stream(line(0, 5 << 20))).toList()));
        var relay = Relay.start("output of rank 0", source, (_, _, _, _, _) -> {
        }, new byte[0], Optional.empty(), room);
        relay.awaitEnd(System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L);
        assertThat(said).isEmpty();
    }

    @Test
    void shouldTakeNoPieceOfALineForALine() throws Exception {
        LineFilter withoutA = new LineFilter() {
            @Override
            public byte[] take(byte[] bytes, int from, int to) {
                return bytes[from] == 'a' ? NOTHING : null;
            }
        };
        var piece = "b" + "a".repeat((1 << 16) - 1);
        assertThat(LineRoom.none().doubled(Relay.BUFFER_BYTES)).isFalse();
        var sink = new LineSink("memory", written, failure);
        Relay.start("output", stream(piece.repeat(3) + "aa\naaa\nc\n"), sink, new byte[0], Optional.of(withoutA),
                LineRoom.none()).awaitEnd(System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L);
        assertThat(written.toString(StandardCharsets.US_ASCII)).isEqualTo(piece.repeat(3) + "aa\nc\n");
    }
}
