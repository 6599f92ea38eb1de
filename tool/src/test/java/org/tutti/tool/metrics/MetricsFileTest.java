/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Collective;

import static org.assertj.core.api.Assertions.assertThat;

/** A file of figures. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MetricsFileTest {
    private static final int RANKS = 2_000;
    private static final long VERSIONS = 100;
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    private Path directory;

    private final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();

    /** Figures of which each version differs from the one before at all ranks. */
    private static Callable<Figures> versions(AtomicLong version) {
        return () -> {
            long calls = version.incrementAndGet();
            var ranks = java.util.stream.IntStream.range(0, RANKS).mapToObj(rank -> new Figures.OfRank(rank,
                    Map.of(Collective.SCAN, new Figures.Calls(calls, 0)), 0, 0, 0)).toList();
            return new Figures("j", Map.of("joined", RANKS), 0, 0, ranks, List.of());
        };
    }

    @Test
    void shouldNeverShowAPartOfAVersion() throws Exception {
        var file = directory.resolve("a.prom");
        var version = new AtomicLong();
        var metrics = MetricsFile.open(file, "j", Duration.ofNanos(1));
        metrics.start(versions(version), said::add);
        long last = 0;
        while (last < VERSIONS) {
            String text;
            try {
                text = Files.readString(file);
            } catch (NoSuchFileException _) {
                continue; // before the first version
            }
            var calls = ParsedMetrics.of(text).all("tutti_calls_total");
            assertThat(calls).hasSize(RANKS);
            assertThat(calls.values().stream().distinct()).hasSize(1);
            long read = calls.values().iterator().next().longValue();
            assertThat(read).isGreaterThanOrEqualTo(last);
            last = read;
        }
        metrics.close();
        assertThat(ParsedMetrics.of(Files.readString(file)).value("tutti_calls_total", "rank", "7", "collective",
                "scan")).isEqualTo(version.get());
        assertThat(Files.list(directory)).containsExactly(file);
        assertThat(said).isEmpty();
    }

    @Test
    void shouldWriteAtTheStartAndAtTheEnd() throws Exception {
        var file = Files.writeString(directory.resolve("a.prom"), "old");
        var version = new AtomicLong();
        var metrics = MetricsFile.open(file, "j", NEVER);
        metrics.start(versions(version), said::add);
        while (Files.readString(file).equals("old")) {
            Thread.onSpinWait();
        }
        metrics.close();
        metrics.close();
        assertThat(version).hasValue(2);
        assertThat(ParsedMetrics.of(Files.readString(file)).value("tutti_calls_total", "rank", "0", "collective",
                "scan")).isEqualTo(2);
    }

    @Test
    void shouldSayOnceThatItCannotWriteAndTryAgain() throws Exception {
        var place = Files.createDirectory(directory.resolve("place"));
        var file = place.resolve("a.prom");
        var version = new AtomicLong();
        var metrics = MetricsFile.open(file, "j", Duration.ofMillis(1));
        Files.delete(place);
        metrics.start(versions(version), said::add);
        while (version.get() < 4) {
            Thread.onSpinWait();
        }
        assertThat(said).containsExactly("--metrics " + file + " could not be written (no such file or directory), "
                + "and is tried again until the job ends; see whether its directory has room");
        Files.createDirectory(place);
        long before = version.get();
        while (version.get() < before + 2) {
            Thread.onSpinWait();
        }
        assertThat(file).isNotEmptyFile();
        metrics.close();
        assertThat(said).hasSize(1);
    }
}
