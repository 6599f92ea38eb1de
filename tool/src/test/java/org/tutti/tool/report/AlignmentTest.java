/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The alignment of clocks. Times in these tests are microseconds, and shifts are nanoseconds. */
class AlignmentTest {
    @Test
    void shouldLeaveClocksAloneThatDoNotContradictEachOther() {
        var job = new RecordedJob("a", "b").collective(0, "barrier", 1, 100, 250, 0)
                .collective(1, "barrier", 1, 240, 260, 0);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, 0);
        assertThat(Alignment.of(job.recording()).contradictionNanos()).isZero();
    }

    @Test
    void shouldShiftAClockNoMoreThanABarrierNeeds() {
        var ahead = new RecordedJob("a", "b").collective(0, "barrier", 1, 100, 250, 0)
                .collective(1, "barrier", 1, 1240, 1260, 0); // begins 990 after the other end
        assertThat(Alignment.of(ahead.recording()).shifts()).containsExactly(0, -990_000);
        var behind = new RecordedJob("a", "b").collective(0, "barrier", 1, 5000, 5010, 0)
                .collective(1, "barrier", 1, 1240, 1260, 0); // ends 3740 before the other begin
        assertThat(Alignment.of(behind.recording()).shifts()).containsExactly(0, 3_740_000);
    }

    @Test
    void shouldLetNoMessageArriveBeforeItIsSent() {
        var job = new RecordedJob("a", "b").message(Kind.SEND, 0, 1, 7, 500, 510, 64)
                .message(Kind.RECEIVE, 1, 0, 7, 100, 120, 64);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, 380_000);
        var reverse = new RecordedJob("a", "b").message(Kind.SEND, 1, 0, 7, 500, 510, 64)
                .message(Kind.RECEIVE, 0, 1, 7, 100, 120, 64);
        assertThat(Alignment.of(reverse.recording()).shifts()).containsExactly(0, -380_000);
    }

    @Test
    void shouldNotCompareMessagesThatDoNotMatch() {
        var job = new RecordedJob("a", "b").message(Kind.SEND, 0, 1, 7, 500, 510, 64)
                .message(Kind.RECEIVE, 1, 0, 8, 100, 120, 64);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, 0);
    }

    /** The first send is not recorded, so each receive could be of another send than the one at its position. */
    @Test
    void shouldNotCompareMessagesOfWhichOneIsMissing() {
        var job = new RecordedJob("a", "b").message(Kind.RECEIVE, 1, 0, 7, 100, 120, 64)
                .message(Kind.SEND, 0, 1, 7, 500, 510, 64).message(Kind.RECEIVE, 1, 0, 7, 500, 520, 64);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, 0);
        assertThat(Messages.pairs(job.recording())).containsExactly(new Messages.Pair(1, 0, false));
    }

    @Test
    void shouldNotCompareMessagesAfterOnesThatDoNotFit() {
        var job = new RecordedJob("a", "b").message(Kind.SEND, 0, 1, 7, 500, 510, 64)
                .message(Kind.RECEIVE, 1, 0, 7, 100, 120, 64).message(Kind.SEND, 0, 1, 7, 600, 610, 64)
                .message(Kind.RECEIVE, 1, 0, 7, 200, 220, 32);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, 0);
    }

    @Test
    void shouldNotCompareCallsThatDoNotSynchronize() {
        var job = new RecordedJob("a", "b").collective(0, "broadcast", 1, 100, 110, 0)
                .collective(1, "broadcast", 1, 5000, 5010, 0);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, 0);
    }

    @Test
    void shouldShiftTheProcessesOfAHostAlike() {
        var job = new RecordedJob("a", "b", "b").collective(0, "barrier", 1, 100, 250, 0)
                .collective(1, "barrier", 1, 1240, 1260, 0).collective(2, "barrier", 1, 1100, 1260, 0);
        assertThat(Alignment.of(job.recording()).shifts()).containsExactly(0, -990_000, -990_000);
    }

    @Test
    void shouldTellHowFarClocksContradictEachOther() {
        var job = new RecordedJob("a", "b").collective(0, "barrier", 1, 100, 110, 0)
                .collective(1, "barrier", 1, 150, 160, 0) // needs a shift of -40 or less
                .collective(0, "barrier", 2, 300, 310, 0).collective(1, "barrier", 2, 270, 280, 0); // and 20 or more
        var alignment = Alignment.of(job.recording());
        assertThat(alignment.shifts()).containsExactly(0, -10_000);
        assertThat(alignment.contradictionNanos()).isEqualTo(60_000);
    }

    /** Makes a job in true time, spoils its clocks, and compares each pair of calls afterwards. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldPutCausesBeforeEffects(long seed) {
        var random = new Random(seed);
        int ranks = 2 + random.nextInt(6);
        var hosts = new String[ranks];
        long[] offset = new long[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            hosts[rank] = "host" + random.nextInt(3);
            offset[rank] = random.nextInt(20_000) - 10_000L;
        }
        var job = new RecordedJob(hosts);
        long time = 20_000;
        for (int operation = 1; operation <= 30; operation++) {
            long[] begins = random.longs(ranks, time, time + 500).toArray();
            long last = LongStream.of(begins).max().orElseThrow();
            for (int rank = 0; rank < ranks; rank++) {
                job.collective(rank, "allreduce", operation, begins[rank] + offset[rank],
                        last + random.nextInt(50) + offset[rank], 0);
            }
            int from = random.nextInt(ranks);
            int to = (from + 1 + random.nextInt(ranks - 1)) % ranks;
            long sent = last + 100 + random.nextInt(100);
            job.message(Kind.SEND, from, to, operation, sent + offset[from], sent + 5 + offset[from], 8);
            job.message(Kind.RECEIVE, to, from, operation, sent - random.nextInt(50) + offset[to],
                    sent + random.nextInt(20) + offset[to], 8);
            time = last + 1000;
        }
        var recording = job.recording();
        var alignment = Alignment.of(recording);
        assertThat(alignment.contradictionNanos()).isZero();
        var aligned = recording.shifted(alignment.shifts());
        var calls = aligned.calls();
        for (int one = 0; one < calls.size(); one++) {
            for (int other = 0; other < calls.size(); other++) {
                var kinds = List.of(aligned.siteOf(one).kind(), aligned.siteOf(other).kind());
                boolean isOrdered = kinds.equals(List.of(Kind.COLLECTIVE, Kind.COLLECTIVE))
                        || kinds.equals(List.of(Kind.SEND, Kind.RECEIVE));
                if (isOrdered && calls.number(one) == calls.number(other)) {
                    assertThat(calls.end(other)).isGreaterThanOrEqualTo(calls.begin(one));
                }
            }
        }
    }
}
