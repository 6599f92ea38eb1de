/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;

import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.events.CollectiveEvent;
import org.tutti.events.JoinEvent;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.UsageException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reading recordings, which JFR makes here, and files that are none. */
@Timeout(120)
class RecordingReaderTest {
    @TempDir
    private Path directory;

    /** An event of another program. */
    @Name("tutti.test.Foreign")
    private static final class ForeignEvent extends Event {}

    private static void join(int rank, int size) {
        var event = new JoinEvent();
        event.begin();
        event.rank = rank;
        event.size = size;
        event.nodes = 1;
        event.host = "host";
        event.process = rank;
        event.job = "ignored";
        event.commit();
    }

    private static void call(int rank, long operation) {
        var event = new CollectiveEvent();
        event.begin();
        event.end();
        event.rank = rank;
        event.communicator = "world";
        event.communicatorNumber = 77;
        event.operation = operation;
        event.collective = "allreduce";
        event.algorithm = "flat";
        event.bytes = 64;
        event.awaited = -1;
        event.caller = "Program.java:3";
        event.commit();
    }

    private Path record(String file, String name, Runnable events) throws IOException {
        Path target = directory.resolve(file);
        try (var recording = new Recording(Map.of("jdk.ActiveRecording#enabled", "true"))) {
            recording.setName(name);
            recording.start();
            events.run();
            recording.stop();
            recording.dump(target);
        }
        return target;
    }

    private Path recordRank(int rank, String job) throws IOException {
        return record("rank-" + rank + ".jfr", "tutti-" + job, () -> {
            join(rank, 2);
            call(rank, 1);
            call(rank, 2);
        });
    }

    private void assertThatItIsRefused(String sentence) {
        assertThatThrownBy(() -> RecordingReader.read(directory)).isInstanceOf(UsageException.class)
                .hasMessageContaining(sentence).message().doesNotContain("\n");
    }

    @Test
    void shouldReadTheRecordingsOfAJob() throws IOException {
        recordRank(1, "4-x");
        recordRank(0, "4-x");
        var recording = RecordingReader.read(directory);
        assertThat(recording.job()).isEqualTo("4-x");
        assertThat(recording.size()).isEqualTo(2);
        assertThat(recording.ranks()).extracting(RecordedRank::rank).containsExactly(0, 1);
        assertThat(recording.ranks()).extracting(RecordedRank::host).containsOnly("host");
        assertThat(recording.sites())
                .containsExactly(new Site(Kind.COLLECTIVE, "allreduce", "world", "flat", false, 7));
        assertThat(recording.callers()).containsExactly("Program.java:3");
        assertThat(recording.calls().size()).isEqualTo(4);
        assertThat(recording.communicators()).isEqualTo(1);
    }

    @Test
    void shouldSayThatADirectoryHasNoRecordings() {
        assertThatItIsRefused(directory + " has no recordings; make some with tutti run --record");
    }

    @Test
    void shouldSayThatThereIsNoDirectory() throws IOException {
        var result = CommandProcess.runShared("report", directory.resolve("none").toString());
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("tutti: there is no directory " + directory.resolve("none")
                + " that can be read; name the directory of tutti run --record\n");
    }

    @Test
    void shouldNameAForeignFile() throws IOException {
        recordRank(0, "4-x");
        Files.writeString(directory.resolve("rank-1.jfr"), "no recording, but long enough for a header ".repeat(10));
        assertThatItIsRefused("rank-1.jfr cannot be read: it is no recording of JFR; remove it");
    }

    @Test
    void shouldNameAnEmptyFile() throws IOException {
        Files.createFile(directory.resolve("rank-1.jfr"));
        assertThatItIsRefused("rank-1.jfr cannot be read: it is empty; remove it");
    }

    @Test
    void shouldNameAFileThatIsCutAnywhere() throws IOException {
        Path file = recordRank(0, "4-x");
        byte[] whole = Files.readAllBytes(file);
        for (int length : new int[]{1, 67, 68, 100, whole.length / 2, whole.length - 1}) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatItIsRefused("rank-0.jfr cannot be read: it ends before its data does; remove it");
        }
    }

    /** JFR's own reader would wait for the rest. */
    @Test
    void shouldNotWaitForARecordingThatGoesOn() throws IOException {
        Path file = recordRank(0, "4-x");
        byte[] whole = Files.readAllBytes(file);
        whole[64] = 1;
        Files.write(file, whole);
        assertThatItIsRefused("rank-0.jfr cannot be read: its recording goes on; remove it");
    }

    @Test
    void shouldEndWithASentenceWhateverIsDamaged() throws IOException {
        Path file = recordRank(0, "4-x");
        byte[] whole = Files.readAllBytes(file);
        var random = new Random(1);
        for (int turn = 0; turn < 300; turn++) {
            byte[] damaged = whole.clone();
            int at = 68 + random.nextInt(whole.length - 68);
            var bytes = new byte[8];
            random.nextBytes(bytes);
            for (int i = 0; i < 8 && at + i < whole.length; i++) {
                damaged[at + i] = switch (turn % 3) {
                    case 0 -> -1;
                    case 1 -> 0;
                    default -> bytes[i];
                };
            }
            Files.write(file, damaged);
            try {
                RecordingReader.read(directory);
            } catch (UsageException e) {
                assertThat(e).hasMessageContaining("rank-0.jfr").message().doesNotContainPattern("\\p{Cntrl}");
            }
        }
    }

    @Test
    void shouldNameAFileOfAnotherJob() throws IOException {
        recordRank(0, "4-x");
        recordRank(1, "5-y");
        assertThatItIsRefused("rank-1.jfr is a recording of job 5-y, and " + directory.resolve("rank-0.jfr")
                + " is one of job 4-x; have one job in a directory");
    }

    @Test
    void shouldNameARecordingOfAnotherProgram() throws IOException {
        record("rank-0.jfr", "mine", () -> new ForeignEvent().commit());
        assertThatItIsRefused("rank-0.jfr is no recording of tutti run --record; remove it");
    }

    @Test
    void shouldNameAFileThatIsThereTwice() throws IOException {
        Files.copy(recordRank(0, "4-x"), directory.resolve("rank-7.jfr"));
        assertThatItIsRefused("rank-7.jfr cannot be read: it has events of rank 0, which another file has, too");
    }

    @Test
    void shouldSayThatNoRankHasJoined() throws IOException {
        record("rank-0.jfr", "tutti-4-x", () -> {
        });
        assertThatItIsRefused("no rank of job 4-x in " + directory + " has joined the job");
    }

    /** The reader knows the events by names, so this test shows which ones JFR writes. */
    @Test
    void shouldKnowTheFieldsOfTheLibrarysEvents() throws IOException {
        Path file = recordRank(0, "4-x");
        var call = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("tutti.Collective")).findFirst().orElseThrow();
        assertThat(call).returns(1L, event -> event.getLong("operation"))
                .returns(false, (RecordedEvent event) -> event.getBoolean("failed"));
    }
}
