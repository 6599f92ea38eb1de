/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Which cells of messages there are, that a program is told the ones that were meant, and their rates. */
class MessageCellTest {
    @Test
    void shouldHaveEachOperationWithTheSizesThatItCanHave() {
        assertThat(MessageCell.of(List.of(MessageOperation.values()), List.of(8L, 65536L, 1L << 20, 1L << 23)))
                .extracting(MessageCell::toString)
                .containsExactly("latency:8", "latency:65536", "latency:1048576", "latency:8388608",
                        "bandwidth:65536", "bandwidth:1048576", "message-rate:8");
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadWhatItHasWritten(MessageOperation operation) {
        var cell = new MessageCell(operation, 4096);
        assertThat(MessageCell.parse(cell.toString())).isEqualTo(cell);
    }

    @Test
    void shouldTellTheRatesOfTimes() {
        assertThat(MessageOperation.rate("bandwidth", 65536, 16)).isEqualTo("4096.0 MB/s");
        assertThat(MessageOperation.rate("message-rate", 8, 0.25)).isEqualTo("4.000 M/s");
        assertThat(MessageOperation.rate("latency", 8, 1)).isEmpty();
        assertThat(MessageOperation.rate("allreduce", 8, 1)).isEmpty();
    }
}
