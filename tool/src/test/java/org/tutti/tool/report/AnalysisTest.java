/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What an analysis says about jobs whose calls are written down here, in microseconds. */
class AnalysisTest {
    @Test
    void shouldDivideTheTimeOfARank() {
        var job = RecordedJob.ofRanks(2).collective(0, "barrier", 1, 100, 300, 150)
                .collective(1, "barrier", 1, 290, 300, 0)
                .collective(0, "barrier", 2, 400, 500, 50).collective(1, "barrier", 2, 450, 500, 0).end(0, 1000)
                .end(1, 800);
        var ranks = Analysis.of(job.recording()).ranks();
        assertThat(ranks).extracting(RankTimes::nanos).containsExactly(1_000_000L, 800_000L);
        assertThat(ranks).extracting(RankTimes::calling).containsExactly(100_000L, 60_000L);
        assertThat(ranks).extracting(RankTimes::waiting).containsExactly(200_000L, 0L);
        assertThat(ranks).extracting(RankTimes::computing).containsExactly(700_000L, 740_000L);
    }

    @Test
    void shouldCountCallsOfSeveralThreadsOnce() {
        var job =
                RecordedJob.ofRanks(2).message(Kind.SEND, 0, 1, 1, 100, 300, 8).message(Kind.SEND, 0, 1, 2, 200, 250, 8)
                        .message(Kind.SEND, 0, 1, 3, 280, 400, 8).end(0, 1000);
        assertThat(Analysis.of(job.recording()).ranks().getFirst().calling()).isEqualTo(300_000);
    }

    /** Rank 2 is 40, 5 and 60 later than the last but one; 5 µs are not late. Rank 0 is once late by 20. */
    @Test
    void shouldSayWhoCameLateHowOftenAndByHowMuch() {
        long[][] begins = {{100, 110, 150}, {300, 300, 305}, {500, 490, 560}, {720, 700, 700}};
        var job = RecordedJob.ofRanks(3);
        for (int call = 0; call < begins.length; call++) {
            for (int rank = 0; rank < 3; rank++) {
                job.collective(rank, "allreduce", call + 1, begins[call][rank], 200 + 200 * call, 0);
            }
        }
        var ranks = Analysis.of(job.recording()).ranks();
        assertThat(ranks).extracting(RankTimes::joint).containsExactly(4L, 4L, 4L);
        assertThat(ranks).extracting(RankTimes::last).containsExactly(1L, 0L, 2L);
        assertThat(ranks).extracting(RankTimes::lateNanos).containsExactly(20_000L, 0L, 60_000L);
        assertThat(ranks).extracting(RankTimes::awaitedNanos)
                .containsExactly(40_000L, 0L, 50_000L + 40_000 + 60_000 + 70_000);
    }

    /**
     * Each step has a long computation and ten calls in a row. Rank 1 computes longer. Rank 0 is stopped after the
     * fourth call of each step, so that it begins the fifth late, directly after the fourth.
     */
    @Test
    void shouldCountNoCallThatTheLastRankBeginsDirectlyAfterAnother() {
        var job = RecordedJob.ofRanks(2);
        long number = 0;
        for (long step = 0; step < 100; step++) {
            for (long call = 0; call < 10; call++) {
                long time = 1000 * step + 10 * call + (call >= 4 ? 300 : 0);
                long late = call == 0 ? 100 : 0;
                job.collective(0, "allreduce", ++number, time - late, time + (call == 3 ? 308 : 8), 0)
                        .collective(1, "allreduce", number, call == 4 ? time - 300 : time, time + 8, 0);
            }
        }
        var analysis = Analysis.of(job.recording());
        assertThat(analysis.ranks()).extracting(RankTimes::joint).containsExactly(100L, 100L);
        assertThat(analysis.ranks()).extracting(RankTimes::last).containsExactly(0L, 100L);
        assertThat(analysis.ranks()).extracting(RankTimes::awaitedNanos).containsExactly(0L, 10_000_000L);
        assertThat(Advice.of(analysis)).first().asString()
                .startsWith("Rank 1 was the last to begin 100 of 100 joint calls, 100 µs late in the median")
                .endsWith("give it less work, or see what slows it down there.");
    }

    /** Two ranks are late in turn, rank 1 by half more: one of two ranks is always later than the other one. */
    @Test
    void shouldBlameNoRankIfTheOtherIsLateToo() {
        var job = RecordedJob.ofRanks(2);
        for (int call = 0; call < 100; call++) {
            int late = call % 2;
            job.collective(late, "barrier", call + 1, 1000L * call + 400 + 200 * late, 1000L * call + 610, 0)
                    .collective(1 - late, "barrier", call + 1, 1000L * call, 1000L * call + 610, 0);
        }
        assertThat(Advice.of(Analysis.of(job.recording()))).singleElement().asString()
                .startsWith("Rank 1 was the last to begin 50 of 100 joint calls, 600 µs late in the median")
                .endsWith("see whether ranks share cores, or its work changes from call to call.");
    }

    @Test
    void shouldLeaveOutCallsThatSomeRankHasNotRecorded() {
        var job = RecordedJob.ofRanks(2).collective(0, "barrier", 1, 0, 100, 0).collective(1, "barrier", 1, 50, 100, 0)
                .collective(0, "barrier", 2, 200, 900, 0);
        assertThat(Analysis.of(job.recording()).ranks()).extracting(RankTimes::joint).containsExactly(1L, 1L);
    }

    @Test
    void shouldCountCallsOfSimilarLengthsTogether() {
        var job = RecordedJob.ofRanks(2).collective(0, "broadcast", "srm", 1024, 1, 0, 10, 5)
                .collective(1, "broadcast", "srm", 1024, 1, 0, 30, 5)
                .collective(0, "broadcast", "srm", 1500, 2, 40, 50, 0)
                .collective(0, "broadcast", "srm", 8, 3, 60, 61, 0);
        var sites = Analysis.of(job.recording()).sites();
        assertThat(sites).extracting(SiteTimes::calls).containsExactly(3L, 1L);
        assertThat(sites.getFirst()).extracting(SiteTimes::least, SiteTimes::most, SiteTimes::nanos, SiteTimes::waiting)
                .containsExactly(1024L, 1500L, 50_000L, 10_000L);
    }

    /** 200 calls that take 10 µs follow each other after 5 µs. */
    @Test
    void shouldAdviseToCombineSmallCallsInARow() {
        var job = RecordedJob.ofRanks(2);
        for (int call = 0; call < 200; call++) {
            job.collective(0, "allreduce", call + 1, 15 * call, 15 * call + 10, 0)
                    .collective(1, "allreduce", call + 1, 15 * call, 15 * call + 10, 0);
        }
        assertThat(Advice.of(Analysis.of(job.recording()))).singleElement().asString()
                .startsWith("398 calls of allreduce of 8 B directly follow another one")
                .endsWith("combine their elements into one call.");
    }

    /** The ranks compute for 400 µs between their calls, which take 500 µs because rank 0 waits. */
    @Test
    void shouldCombineNoCallsBetweenWhichRanksCompute() {
        var job = RecordedJob.ofRanks(2);
        for (int call = 0; call < 200; call++) {
            job.collective(0, "broadcast", call + 1, 900 * call, 900 * call + 500, 490)
                    .collective(1, "broadcast", call + 1, 900 * call, 900 * call + 500, 490);
        }
        assertThat(Analysis.of(job.recording()).sites()).extracting(SiteTimes::streaks).containsExactly(0L);
        assertThat(Advice.of(Analysis.of(job.recording()))).noneMatch(sentence -> sentence.contains("combine"));
    }

    @Test
    void shouldAdviseToGiveALateRankLessWork() {
        var job = RecordedJob.ofRanks(3);
        for (int call = 0; call < 100; call++) {
            for (int rank = 0; rank < 3; rank++) {
                job.collective(rank, "barrier", call + 1, 1000L * call + (rank == 1 ? 700 : 10 * rank),
                        1000L * call + 710, 0);
            }
        }
        assertThat(Advice.of(Analysis.of(job.recording()))).first().asString().startsWith(
                "Rank 1 was the last to begin 100 of 100 joint calls, 680 µs late in the median, and the others "
                        + "waited ")
                .endsWith("give it less work, or see what slows it down there.");
    }

    /** Rank 1 is late to a tenth of the calls only. */
    @Test
    void shouldBlameNoRankThatIsSeldomLate() {
        var job = RecordedJob.ofRanks(2);
        for (int call = 0; call < 100; call++) {
            long late = call % 10 == 0 ? 9000 : 0;
            job.collective(0, "barrier", call + 1, 10_000L * call, 10_000L * call + late + 10, late)
                    .collective(1, "barrier", call + 1, 10_000L * call + late, 10_000L * call + late + 10, 0);
        }
        assertThat(Advice.of(Analysis.of(job.recording()))).singleElement().asString()
                .startsWith("Rank 1 was the last to begin 10 of 100 joint calls, 9 ms late in the median, "
                        + "and the others waited 9.1 % ")
                .endsWith("see whether ranks share cores, or its work changes from call to call.");
    }

    @Test
    void shouldBlameNoRankIfTwoAreLateInTurns() {
        var job = RecordedJob.ofRanks(2);
        for (int call = 0; call < 100; call++) {
            int late = call % 2;
            long begin = 10_000L * call;
            job.collective(late, "barrier", call + 1, begin + 5000, begin + 5010, 0)
                    .collective(1 - late, "barrier", call + 1, begin, begin + 5010, 5000);
        }
        assertThat(Advice.of(Analysis.of(job.recording()))).singleElement().asString()
                .contains("was the last to begin 50 of 100 joint calls, 5 ms late in the median, ")
                .endsWith("see whether ranks share cores, or its work changes from call to call.");
    }

    @Test
    void shouldNameTheAlgorithmThatTheRulesChoose() {
        var job = RecordedJob.ofRanks(2).collective(0, "allreduce", "tree", 8, 1, 0, 500, 0)
                .collective(1, "allreduce", "tree", 8, 1, 0, 500, 0);
        assertThat(Advice.of(Analysis.of(job.recording()))).singleElement().asString()
                .contains("run algorithm tree, which was requested, and Tutti would choose flat");
    }

    @Test
    void shouldNameAProcessThatCollectsGarbage() {
        var job = RecordedJob.ofRanks(2).collective(0, "barrier", 1, 100, 110, 0)
                .collective(1, "barrier", 1, 100, 110, 0).end(0, 10_000).end(1, 10_000).pauses(1, 20, 50);
        assertThat(Advice.of(Analysis.of(job.recording()))).singleElement().asString()
                .startsWith("The garbage collector stopped the process of rank 1 20 times, for 10.0 % of the time: ");
    }

    @Test
    void shouldSayThatNothingStandsOut() {
        var job =
                RecordedJob.ofRanks(2).collective(0, "barrier", 1, 100, 110, 0).collective(1, "barrier", 1, 100, 110, 0)
                        .end(0, 10_000);
        assertThat(Advice.of(Analysis.of(job.recording()))).isEqualTo(List.of(
                "Nothing stands out: no rank is late as a rule, and no calls could be combined."));
    }
}
