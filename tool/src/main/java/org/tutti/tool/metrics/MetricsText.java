/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/**
 * The figures of a job in the text exposition format of Prometheus. The names and labels are an interface that
 * {@code docs/metrics.md} documents.
 */
final class MetricsText {
    private static final PrometheusTextFormatWriter WRITER =
            PrometheusTextFormatWriter.builder().setIncludeCreatedTimestamps(false).build();

    /** The type of the text as HTTP names it. */
    static final String CONTENT_TYPE = WRITER.getContentType();

    private static final String RANK = "rank";
    private static final double NANOS_PER_SECOND = 1e9;

    private MetricsText() {}

    /** {@return the text in UTF-8} */
    static byte[] of(Figures figures) {
        var text = new ByteArrayOutputStream();
        try {
            WRITER.write(text, MetricSnapshots.of(info(figures), states(figures),
                    gauge("tutti_hosts_without_answer",
                            "Hosts whose figures are missing or old, because they did not answer in time.",
                            figures.hostsWithoutAnswer()),
                    counter("tutti_rank_failures", "Ranks that have failed.",
                            Stream.of(point(figures.failedRanks(), Labels.EMPTY))),
                    counter("tutti_calls", "Calls of a collective that a rank has begun.",
                            ofCalls(figures, Figures.Calls::calls)),
                    counter("tutti_call_bytes", "Sum of the lengths of these calls' vectors or blocks.",
                            ofCalls(figures, Figures.Calls::bytes)),
                    counter("tutti_waiting_seconds", "Time in which a rank waited for other ranks.",
                            figures.ranks().stream()
                                    .map(each -> point(each.waitingNanos() / NANOS_PER_SECOND, rank(each.rank())))),
                    counter("tutti_waited_for_seconds", "Time in which other ranks waited for a rank.",
                            IntStream.range(0, figures.waitedForNanos().size()).mapToObj(rank -> point(
                                    figures.waitedForNanos().get(rank) / NANOS_PER_SECOND, rank(rank)))),
                    counter("tutti_rails_lost", "Connections that the process of a first rank has lost.",
                            figures.ranks().stream().map(each -> point(each.railsLost(), rank(each.rank())))),
                    counter("tutti_rails_restored", "Lost connections that the process of a first rank uses again.",
                            figures.ranks().stream().map(each -> point(each.railsRestored(), rank(each.rank()))))));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory takes all bytes
        }
        return text.toByteArray();
    }

    private static MetricSnapshot info(Figures figures) {
        return InfoSnapshot.builder().name("tutti_job").help("The job.")
                .dataPoint(InfoDataPointSnapshot.builder().labels(Labels.of("job", figures.job())).build()).build();
    }

    private static MetricSnapshot states(Figures figures) {
        var states = GaugeSnapshot.builder().name("tutti_ranks").help("Ranks in each state.");
        figures.rankStates().forEach((state, count) -> states
                .dataPoint(GaugeDataPointSnapshot.builder().value(count).labels(Labels.of("state", state)).build()));
        return states.build();
    }

    private static MetricSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder().name(name).help(help)
                .dataPoint(GaugeDataPointSnapshot.builder().value(value).build()).build();
    }

    private static MetricSnapshot counter(String name, String help, Stream<CounterDataPointSnapshot> points) {
        var counter = CounterSnapshot.builder().name(name).help(help);
        points.forEach(counter::dataPoint);
        return counter.build();
    }

    private static Stream<CounterDataPointSnapshot> ofCalls(Figures figures, ToLongFunction<Figures.Calls> value) {
        return figures.ranks().stream().flatMap(each -> each.calls().entrySet().stream()
                .map(of -> point(value.applyAsLong(of.getValue()),
                        Labels.of(RANK, String.valueOf(each.rank()), "collective", of.getKey().label()))));
    }

    private static CounterDataPointSnapshot point(double value, Labels labels) {
        return CounterDataPointSnapshot.builder().value(value).labels(labels).build();
    }

    private static Labels rank(int rank) {
        return Labels.of(RANK, String.valueOf(rank));
    }
}
