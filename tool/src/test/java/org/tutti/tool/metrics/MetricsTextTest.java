/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.tutti.Collective;

import static org.assertj.core.api.Assertions.assertThat;

/** The text of figures, read by a parser that shares no code with its writer. */
class MetricsTextTest {
    private static final List<Long> NOBODY_WAITED = List.of();

    static ParsedMetrics parsed(Figures figures) {
        return ParsedMetrics.of(new String(MetricsText.of(figures), StandardCharsets.UTF_8));
    }

    @Test
    void shouldHaveAllFiguresInBaseUnits() {
        var figures = new Figures("7-x", Map.of("joined", 2, "failed", 1), 1, 3,
                List.of(new Figures.OfRank(0, Map.of(Collective.ALL_TO_ALL, new Figures.Calls(5, 7_000_000_000_123L)),
                        2_500_000_000L, 3, 2),
                        new Figures.OfRank(12, Map.of(Collective.BARRIER, new Figures.Calls(1, 0)), 1, 0, 0)),
                List.of(1_500_000_000L, 0L));
        var metrics = parsed(figures);
        assertThat(metrics.value("tutti_job_info", "job", "7-x")).isEqualTo(1);
        assertThat(metrics.all("tutti_ranks"))
                .isEqualTo(Map.of(Map.of("state", "joined"), 2.0, Map.of("state", "failed"), 1.0));
        assertThat(metrics.value("tutti_rank_failures_total")).isEqualTo(1);
        assertThat(metrics.value("tutti_hosts_without_answer")).isEqualTo(3);
        assertThat(metrics.all("tutti_calls_total"))
                .isEqualTo(Map.of(Map.of("rank", "0", "collective", "all-to-all"), 5.0,
                        Map.of("rank", "12", "collective", "barrier"), 1.0));
        assertThat(metrics.all("tutti_call_bytes_total"))
                .isEqualTo(Map.of(Map.of("rank", "0", "collective", "all-to-all"), 7_000_000_000_123.0,
                        Map.of("rank", "12", "collective", "barrier"), 0.0));
        assertThat(metrics.all("tutti_waiting_seconds_total"))
                .isEqualTo(Map.of(Map.of("rank", "0"), 2.5, Map.of("rank", "12"), 1e-9));
        assertThat(metrics.all("tutti_waited_for_seconds_total"))
                .isEqualTo(Map.of(Map.of("rank", "0"), 1.5, Map.of("rank", "1"), 0.0));
        assertThat(metrics.all("tutti_rails_lost_total"))
                .isEqualTo(Map.of(Map.of("rank", "0"), 3.0, Map.of("rank", "12"), 0.0));
        assertThat(metrics.all("tutti_rails_restored_total"))
                .isEqualTo(Map.of(Map.of("rank", "0"), 2.0, Map.of("rank", "12"), 0.0));
        assertThat(metrics.types()).isEqualTo(Map.of("tutti_job_info", "gauge", "tutti_ranks", "gauge",
                "tutti_hosts_without_answer", "gauge", "tutti_rank_failures_total", "counter", "tutti_calls_total",
                "counter", "tutti_call_bytes_total", "counter", "tutti_waiting_seconds_total", "counter",
                "tutti_waited_for_seconds_total", "counter", "tutti_rails_lost_total", "counter",
                "tutti_rails_restored_total", "counter"));
    }

    @Test
    void shouldEscapeLabels() {
        var job = "a\\b \"c\"\nd\\n ü {},=";
        var metrics = parsed(new Figures(job, Map.of("joined", 0), 0, 0, List.of(), NOBODY_WAITED));
        assertThat(metrics.value("tutti_job_info", "job", job)).isEqualTo(1);
    }

    @Test
    void shouldBeWellFormedBeforeARankHasJoined() {
        var metrics = parsed(new Figures("j", Map.of("absent", 4), 0, 0, List.of(), NOBODY_WAITED));
        assertThat(metrics.all("tutti_calls_total")).isEmpty();
        assertThat(metrics.value("tutti_ranks", "state", "absent")).isEqualTo(4);
    }
}
