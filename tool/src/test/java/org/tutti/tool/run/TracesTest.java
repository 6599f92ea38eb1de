/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.RankProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** Exceptions as ranks write them, each on a line of its own. */
class TracesTest {
    private final Traces traces = new Traces(12, false);

    private static String take(Traces traces, int rank, String... lines) {
        var text = RankProcess.TRACE_MARK + "" + rank + ":" + String.join("" + RankProcess.TRACE_LINE_END, lines)
                + RankProcess.TRACE_LINE_END + "\n";
        var bytes = ("before\n" + text).getBytes(StandardCharsets.UTF_8);
        return new String(traces.take(bytes, "before\n".length(), bytes.length), StandardCharsets.UTF_8);
    }

    @Test
    void shouldPassTheSameExceptionOnOnce() {
        assertThat(take(traces, 2, "Error: rank 2 of 12 ü", "\tat Main"))
                .isEqualTo("Exception in rank 2: Error: rank 2 of 12 ü\n\tat Main\n");
        for (int rank : new int[]{7, 1, 3, 0, 8}) {
            assertThat(take(traces, rank, "Error: rank " + rank + " of 12 ü", "\tat Main")).isEmpty();
        }
        assertThat(traces.sentences())
                .containsExactly("ranks 0-1, 3, 7-8 threw the same exception as rank 2 (5 more ranks)");
        assertThat(traces.sentences()).isEmpty();
        assertThat(take(traces, 4, "Error: rank 4 of 12 ü", "\tat Main")).isEmpty();
        assertThat(traces.sentences()).containsExactly("rank 4 threw the same exception as rank 2");
    }

    @Test
    void shouldPassDifferentExceptionsOn() {
        assertThat(take(traces, 1, "Error: rank 1 missed rank 0")).isNotEmpty();
        assertThat(take(traces, 0, "Error: rank 0 missed rank 1")).isNotEmpty();
        assertThat(take(traces, 2, "Error: rank 1 missed rank 0")).isNotEmpty();
        assertThat(traces.sentences()).isEmpty();
    }

    @Test
    void shouldPassAllOnThatGoToDifferentFiles() {
        var files = new Traces(12, true);
        assertThat(take(files, 0, "Error")).isEqualTo("Exception in rank 0: Error\n");
        assertThat(take(files, 1, "Error")).isEqualTo("Exception in rank 1: Error\n");
        assertThat(files.sentences()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0:Error\n", RankProcess.TRACE_MARK + "12:Error\n", RankProcess.TRACE_MARK + "99999999999:x\n",
                    RankProcess.TRACE_MARK + "-1:x\n", RankProcess.TRACE_MARK + "\n", RankProcess.TRACE_MARK + ""})
    void shouldLeaveOtherLinesAlone(String line) {
        var bytes = line.getBytes(StandardCharsets.UTF_8);
        assertThat(traces.take(bytes, 0, bytes.length)).isNull();
    }

    @Test
    void shouldNotRememberEverything() {
        for (int number = 0; number < 1000; number++) {
            assertThat(take(traces, 1, "Error " + number)).isNotEmpty();
        }
        assertThat(take(traces, 1, "another")).isNotEmpty();
        assertThat(take(traces, 2, "another")).isNotEmpty();
        assertThat(take(traces, 2, "Error 999")).isEmpty();
    }
}
