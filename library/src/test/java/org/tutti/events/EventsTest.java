/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Program;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** Records a job of two ranks with Flight Recorder, and reads the events from the file. */
@Timeout(60)
@Isolated("records the whole JVM")
class EventsTest {
    private static final Duration LATE = Duration.ofMillis(80);

    @TempDir
    private Path directory;

    private List<RecordedEvent> record(String event, Program program) throws IOException {
        Path file = directory.resolve("job.jfr");
        try (var recording = new Recording()) {
            recording.enable("tutti." + event).withoutThreshold();
            recording.start();
            Tutti.runLocal(2, program);
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(each -> each.getEventType().getName().equals("tutti." + event)).toList();
    }

    @Test
    void shouldTellForWhichRankACallHasWaited() throws IOException {
        var events = record("Collective", job -> {
            Communicator world = job.world().withName("seen");
            if (job.rank() == 1) {
                sleep(LATE);
            }
            world.withAlgorithm(Collective.ALLREDUCE, "flat").allreduce(new double[100], Reduction.SUM);
        });
        assertThat(events).hasSize(2);
        var waited = events.stream().filter(event -> event.getInt("rank") == 0).findFirst().orElseThrow();
        assertThat(waited.getString("collective")).isEqualTo("allreduce");
        assertThat(waited.getString("algorithm")).isEqualTo("flat");
        assertThat(waited.getString("communicator")).isEqualTo("\"seen\"");
        assertThat(waited.getLong("communicatorNumber")).isZero();
        assertThat(waited.getLong("operation")).isEqualTo(1);
        assertThat(waited.getLong("bytes")).isEqualTo(800);
        assertThat(waited.getInt("root")).isEqualTo(-1);
        assertThat(waited.getInt("awaited")).isEqualTo(1);
        assertThat(waited.getDuration("waiting")).isBetween(LATE.dividedBy(2), waited.getDuration());
        assertThat(waited.getDuration("awaitedNanos")).isLessThanOrEqualTo(waited.getDuration("waiting"));
        assertThat(waited.getString("caller")).startsWith("org.tutti.events.EventsTest");
        assertThat(waited.getBoolean("failed")).isFalse();
        var late = events.stream().filter(event -> event.getInt("rank") == 1).findFirst().orElseThrow();
        assertThat(late.getDuration("waiting")).isLessThan(waited.getDuration("waiting"));
    }

    @Test
    void shouldTellOfCallsThatFailAndOfCallsInTheBackground() throws IOException {
        var events = record("Collective", job -> {
            Communicator world = job.world();
            world.nonBlocking().barrier().await();
            Communicator impatient = world.withDeadline(Duration.ofMillis(50));
            if (job.rank() == 0) {
                assertThatThrownBy(() -> impatient.broadcast(new int[4], 1)).hasMessageContaining("broadcast");
            } else {
                sleep(LATE.multipliedBy(3));
            }
        });
        assertThat(events).filteredOn(event -> event.getBoolean("nonBlocking")).hasSize(2)
                .allMatch(event -> event.getString("collective").equals("barrier") && !event.getBoolean("failed"));
        assertThat(events).filteredOn(event -> event.getBoolean("failed")).singleElement()
                .matches(event -> event.getInt("root") == 1 && event.getInt("rank") == 0);
    }

    @Test
    void shouldTellOfMessages() throws IOException {
        Program program = job -> {
            if (job.rank() == 0) {
                job.world().send(new int[]{1, 2, 3}, 1, 17);
                job.world().nonBlocking().send(new int[]{4}, 1, 18).await();
            } else {
                job.world().receive(new int[10], 0, 17);
                job.world().receive(new int[10], 0, 18);
            }
        };
        assertThat(record("Send", program)).extracting(event -> event.getInt("rank"), event -> event.getInt("peer"),
                event -> event.getInt("tag"), event -> event.getLong("bytes"), event -> event.getBoolean("nonBlocking"))
                .containsExactly(tuple(0, 1, 17, 12L, false),
                        tuple(0, 1, 18, 4L, true));
        assertThat(record("Receive", program)).extracting(event -> event.getInt("rank"),
                event -> event.getInt("peer"), event -> event.getInt("tag"), event -> event.getLong("bytes"))
                .containsExactly(tuple(1, 0, 17, 12L),
                        tuple(1, 0, 18, 4L));
    }

    @Test
    void shouldTellOfOneSidedCalls() throws IOException {
        var events = record("OneSided", job -> {
            try (RemoteMemory memory = job.world().allocate(DataType.LONG, 10)) {
                if (job.rank() == 0) {
                    memory.at(1).put(0, new long[]{1, 2, 3});
                    memory.at(1).get(0, new long[2]);
                    memory.at(1).accumulate(0, new long[]{5}, Reduction.SUM);
                }
                memory.barrier();
            }
        });
        assertThat(events).extracting(event -> event.getString("operation"), event -> event.getInt("target"),
                event -> event.getLong("bytes"))
                .containsExactly(tuple("put", 1, 24L),
                        tuple("get", 1, 16L),
                        tuple("accumulate", 1, 8L));
    }

    private static void sleep(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
