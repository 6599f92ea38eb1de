/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.diagnosis;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.tutti.job.diagnosis.RankLocation.State;
import org.tutti.memory.WaitingCall;

import static org.assertj.core.api.Assertions.assertThat;

class RankLocationTest {
    private static RankLocation inBarrier(int rank, int awaited, long millis) {
        return new RankLocation(rank, State.JOINED, "barrier", "the world", 7, "Heat:12", millis, awaited);
    }

    private static RankLocation outside(int rank, String line) {
        return new RankLocation(rank, State.JOINED, "", "", 0, line, 0, WaitingCall.UNKNOWN);
    }

    @Test
    void shouldNameRanksThatAreInNoCallFirst() {
        var ranks = Stream.concat(IntStream.of(0, 1, 2, 4).mapToObj(rank -> inBarrier(rank, 3, 1000L * rank)),
                Stream.of(outside(3, "Heat:40"))).toList();
        assertThat(HangReport.lines(ranks)).containsExactly("rank 3 is in no call, at Heat:40",
                "ranks 0-2, 4 are in barrier, call 7 on the world, at Heat:12, for 4 s, waiting for rank 3");
    }

    @Test
    void shouldNameAwaitedRanksThatAreElsewhere() {
        var ranks = List.of(inBarrier(0, 4, 130_000), inBarrier(1, 0, 130_000), inBarrier(2, 0, 10));
        assertThat(HangReport.lines(ranks)).containsExactly(
                "ranks 0-2 are in barrier, call 7 on the world, at Heat:12, for 2 min, waiting for rank 4");
    }

    @Test
    void shouldNameRanksThatWaitForEachOther() {
        assertThat(HangReport.lines(List.of(inBarrier(0, 1, 5), inBarrier(1, 0, 4)))).containsExactly(
                "ranks 0-1 are in barrier, call 7 on the world, at Heat:12, for 5 ms, waiting for ranks 0-1");
    }

    /** Ranks answer one by one: one may have joined after another has said that it waits for it. */
    @Test
    void shouldNotSayThatARankInJoinWaitsForOneThatHasJoined() {
        var joining = IntStream.range(0, 3).mapToObj(rank -> new RankLocation(rank, State.JOINED, "join", "", 0,
                "Heat:" + rank / 2, 900, (rank + 2) % 4)).toList();
        var absent = RankLocation.unknown(3, State.ABSENT);
        assertThat(HangReport.lines(joining)).containsExactly("rank 2 is in join, at Heat:1, for 900 ms",
                "ranks 0-1 are in join, at Heat:0, for 900 ms, waiting for rank 3");
        assertThat(HangReport.lines(Stream.concat(joining.stream(), Stream.of(absent)).toList())).containsExactly(
                "rank 3 has not joined the job", "rank 2 is in join, at Heat:1, for 900 ms",
                "ranks 0-1 are in join, at Heat:0, for 900 ms, waiting for rank 3");
    }

    @Test
    void shouldTellPlacesApartByWhateverDiffers() {
        var ranks = List.of(inBarrier(0, 1, 1), outside(1, "Heat:1"), outside(2, "Heat:2"),
                new RankLocation(3, State.JOINED, "barrier", "\"rows\"", 7, "Heat:12", 1, 1),
                new RankLocation(4, State.JOINED, "barrier", "the world", 8, "Heat:12", 1, 1),
                new RankLocation(5, State.JOINED, "get", "the world", 0, "Heat:3", 0, WaitingCall.ANYBODY));
        assertThat(HangReport.lines(ranks)).containsExactly("rank 1 is in no call, at Heat:1",
                "rank 2 is in no call, at Heat:2",
                "rank 0 is in barrier, call 7 on the world, at Heat:12, for 1 ms, waiting for rank 1",
                "rank 3 is in barrier, call 7 on \"rows\", at Heat:12, for 1 ms, waiting for rank 1",
                "rank 4 is in barrier, call 8 on the world, at Heat:12, for 1 ms, waiting for rank 1",
                "rank 5 is in get on the world, at Heat:3, waiting for any rank");
    }

    @Test
    void shouldSayWhatBecameOfRanksThatSayNothing() {
        var ranks = Stream.of(State.values()).filter(state -> state != State.JOINED)
                .flatMap(state -> IntStream.of(0, 10)
                        .mapToObj(more -> RankLocation.unknown(state.ordinal() + more, state)))
                .toList();
        assertThat(HangReport.lines(ranks)).containsExactly("ranks 1, 11 have not joined the job",
                "ranks 2, 12 do not answer", "ranks 3, 13 have failed", "ranks 4, 14 have left the job",
                "ranks 5, 15 have ended");
    }

    @Test
    void shouldReadWhatItHasWritten() {
        var ranks = List.of(inBarrier(3, 2, 17), outside(4, "some.Program:1"),
                new RankLocation(5, State.JOINED, "scan", "\"rows\"", 1, "Heat:9", 3, 4, "doubling", 1L << 40));
        assertThat(RankLocation.parse(ranks.stream().map(rank -> rank.text() + "\n").collect(Collectors.joining())))
                .isEqualTo(ranks);
    }

    @Test
    void shouldKeepAnyNameToItsLineAndLength() {
        var strange =
                new RankLocation(1, State.JOINED, "barrier", "\"a\tb\u009b" + "é".repeat(1000) + '"', 1, "X:1", 0, 2);
        var read = RankLocation.parse(strange.text());
        assertThat(strange.text().length()).isLessThan(RankLocation.TEXT_BYTES_MAX);
        assertThat(read).hasSize(1);
        assertThat(read.getFirst().communicator()).startsWith("\"a b é");
        assertThat(read.getFirst().rank()).isEqualTo(1);
        assertThat(read.getFirst().call()).isEqualTo("barrier");
        assertThat(read.getFirst().line()).isEqualTo("X:1");
    }
}
