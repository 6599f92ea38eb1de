/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.IOException;
import java.io.NotSerializableException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.JobStartException;
import org.tutti.RankFailedException;
import org.tutti.spark.Message.Ended;
import org.tutti.spark.Message.Hello;
import org.tutti.spark.Message.How;
import org.tutti.spark.Message.Plan;
import org.tutti.spark.Message.Rendezvous;
import org.tutti.spark.Message.Stop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The driver's side, with ranks that only say so. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT) // it mostly waits
class MeetingTest {
    private static final int RANKS = 3;
    private static final int MILLIS_MAX = 30_000;

    private static final StageTasks NOTHING_KNOWN = new StageEvents(RANKS).end();

    private Meeting meeting;

    private static SparkConf conf() {
        return new SparkConf(false).set("spark.driver.host", "127.0.0.1");
    }

    @BeforeEach
    void open() {
        meeting = Meeting.open(conf(), RANKS);
    }

    @AfterEach
    void close() {
        meeting.close();
    }

    private Conversation connect(StageSecret secret) throws IOException {
        return Conversation.connect(new InetSocketAddress(meeting.host(), meeting.port()), secret);
    }

    private Conversation come(String stage, int rank, String process, String memory) throws IOException {
        Conversation conversation = connect(meeting.secret());
        conversation.send(new Hello(stage, rank, process, memory, "executor " + process + " on host h"));
        return conversation;
    }

    private static Message hear(Conversation conversation) throws IOException {
        return conversation.receive(MILLIS_MAX).orElseThrow();
    }

    @Test
    void shouldTellEachRankItsPlaceAndWhereRankZeroListens() throws IOException {
        try (var two = come("7.0", 2, "p", "m");
                var one = come("7.0", 1, "q", "n");
                var zero = come("7.0", 0, "p", "m")) {
            var plan = (Plan) hear(zero);
            assertThat(plan.job()).matches("spark-[0-9a-f-]{36}");
            assertThat(plan).isEqualTo(new Plan(plan.job(), 0, 2, 2, 0, 2));
            assertThat(hear(one)).isEqualTo(new Plan(plan.job(), 1, 2, 1, 1, 1));
            assertThat(hear(two)).isEqualTo(plan);
            zero.send(new Rendezvous("10.0.0.1:7"));
            assertThat(hear(one)).isEqualTo(new Rendezvous("10.0.0.1:7"));
            assertThat(hear(two)).isEqualTo(new Rendezvous("10.0.0.1:7"));
        }
    }

    @Test
    void shouldMakeANodeOfProcessesThatShareMemory() throws IOException {
        try (var zero = come("7.0", 0, "p", "m");
                var one = come("7.0", 1, "q", "m");
                var two = come("7.0", 2, "q", "m")) {
            String job = ((Plan) hear(zero)).job();
            assertThat(List.of(hear(one), hear(two))).containsOnly(new Plan(job, 0, 1, 3, 1, 2));
        }
    }

    @Test
    void shouldMakeAJobOfItsOwnOfEachAttempt() throws IOException {
        try (var failing = come("7.0", 0, "p", "m")) {
            failing.send(new Ended(How.THREW, -1, "bad"));
            try (var zero = come("7.1", 0, "p", "m");
                    var one = come("7.1", 1, "p", "m");
                    var two = come("7.1", 2, "p", "m")) {
                assertThat(List.of(hear(zero), hear(one), hear(two))).allMatch(Plan.class::isInstance);
            }
        }
    }

    @Test
    void shouldNameJobsApartWhoseStagesAreCalledAlike() throws IOException {
        try (var other = Meeting.open(conf(), 1);
                var alone = Conversation.connect(new InetSocketAddress(other.host(), other.port()), other.secret());
                var zero = come("7.0", 0, "p", "m");
                var _ = come("7.0", 1, "p", "m");
                var _ = come("7.0", 2, "p", "m")) {
            alone.send(new Hello("7.0", 0, "p", "m", "executor p on host h"));
            assertThat(((Plan) hear(alone)).job()).isNotEqualTo(((Plan) hear(zero)).job());
        }
    }

    @Test
    void shouldCloseItsPortAndHangUpWhenTheStageHasEnded() throws IOException {
        try (var zero = come("7.0", 0, "p", "m"); var one = come("7.0", 1, "p", "m")) {
            zero.send(new Ended(How.THREW, -1, "no data"));
            assertThat(hear(one)).isInstanceOf(Stop.class); // so it is served
            meeting.close();
            assertThatThrownBy(() -> hear(one)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> connect(meeting.secret())).isInstanceOf(ConnectException.class);
        }
        Meeting.open(conf().set(TuttiSpark.PORT, String.valueOf(meeting.port())), RANKS).close();
    }

    @Test
    void shouldTellThoseThatWaitAndThoseThatComeThatARankHasGone() throws IOException {
        try (var zero = come("7.0", 0, "p", "m")) {
            come("7.0", 1, "q", "m").close();
            var stop = (Stop) hear(zero);
            assertThat(stop.rank()).isEqualTo(1);
            assertThat(stop.reason()).startsWith("rank 1 was lost: its task in executor q on host h");
            try (var two = come("7.0", 2, "p", "m")) {
                assertThat(hear(two)).isEqualTo(stop);
            }
        }
    }

    @Test
    void shouldTellTheFirstFailureOnceAndInShort() throws IOException {
        try (var zero = come("7.0", 0, "p", "m"); var one = come("7.0", 1, "p", "m")) {
            zero.send(new Ended(How.THREW, -1, "no data".repeat(1000)));
            assertThat(hear(one)).isInstanceOfSatisfying(Stop.class, stop -> assertThat(stop.reason())
                    .startsWith("rank 0 failed: no datano data").hasSizeLessThan(1024));
            try (var two = come("7.0", 2, "p", "m")) {
                assertThat(hear(two)).isInstanceOfSatisfying(Stop.class,
                        stop -> assertThat(stop.rank()).isZero());
                two.send(new Ended(How.THREW, -1, "no data either"));
                assertThatThrownBy(() -> hear(two)).isInstanceOf(IOException.class); // it has been heard
            }
            one.send(new Ended(How.SECONDARY, 0, "rank 0 failed"));
            assertThatThrownBy(() -> hear(one)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldKnowTheFirstCauseHoweverLateItComes() throws IOException {
        try (var zero = come("7.0", 0, "p", "m");
                var one = come("7.0", 1, "p", "m");
                var two = come("7.0", 2, "p", "m")) {
            assertThat(List.of(hear(zero), hear(one), hear(two))).allMatch(Plan.class::isInstance); // all have come
            zero.send(new Ended(How.SECONDARY, 1, "rank 1 failed"));
            two.send(new Ended(How.CANCELLED, -1, "interrupted"));
            one.send(new Ended(How.THREW, -1, "no data"));
            assertThat(meeting.firstCause(NOTHING_KNOWN)).contains(new Gathering.Cause(1, "rank 1 failed: no data"));
        }
    }

    @Test
    void shouldBlameWhomARankBlamesWhenNobodyThrew() throws IOException {
        try (var zero = come("7.0", 0, "p", "m");
                var one = come("7.0", 1, "p", "m");
                var _ = come("7.0", 2, "q", "n")) { // says nothing more, as its host is down
            assertThat(List.of(hear(zero), hear(one))).allMatch(Plan.class::isInstance);
            zero.send(new Ended(How.SECONDARY, 2, "its host is down"));
            assertThat(hear(one)).isEqualTo(new Stop(0, "rank 0 failed: its host is down"));
            one.send(new Ended(How.CANCELLED, -1, "interrupted"));
            assertThat(meeting.firstCause(NOTHING_KNOWN))
                    .contains(new Gathering.Cause(2, "rank 0 failed: its host is down"));
        }
    }

    @Test
    void shouldNotBlameARankThatWasCancelled() throws IOException {
        try (var zero = come("7.0", 0, "p", "m"); var one = come("7.0", 1, "p", "m")) {
            zero.send(new Ended(How.SECONDARY, 1, "rank 1 failed"));
            assertThat(hear(one)).isInstanceOf(Stop.class);
            one.send(new Ended(How.CANCELLED, -1, "interrupted"));
            assertThatThrownBy(() -> hear(one)).isInstanceOf(IOException.class);
            assertThat(meeting.firstCause(NOTHING_KNOWN)).isEmpty();
        }
    }

    @Test
    void shouldKnowNoCauseOfACancellation() throws IOException {
        try (var zero = come("7.0", 0, "p", "m")) {
            zero.send(new Ended(How.CANCELLED, -1, "interrupted"));
            assertThatThrownBy(() -> hear(zero)).isInstanceOf(IOException.class);
            assertThat(meeting.firstCause(NOTHING_KNOWN)).isEmpty();
        }
    }

    @Test
    void shouldNameTheLostExecutorOfARankThatHasNotCome() throws IOException {
        try (var zero = come("7.0", 0, "p", "m"); var one = come("7.0", 1, "p", "m")) {
            zero.send(new Ended(How.CANCELLED, -1, "interrupted"));
            assertThat(hear(one)).isInstanceOf(Stop.class);
            one.send(new Ended(How.CANCELLED, -1, "interrupted"));
            assertThatThrownBy(() -> hear(one)).isInstanceOf(IOException.class);
            var tasks = new StageEvents(RANKS).lost(2, "Command exited with code 137").killed(0).killed(1).end();
            assertThat(meeting.firstCause(tasks)).contains(new Gathering.Cause(2, "rank 2 was lost: its task in "
                    + "executor 2 on host h has gone (Command exited with code 137)"));
        }
    }

    @Test
    void shouldNameTheLostExecutorWhenNoRankHasCome() {
        assertThat(meeting.firstCause(new StageEvents(RANKS).threwInAnotherStage(0, new IOException("no disk"))
                .threw(0, new IOException("no peer")).lost(1, "gone").end()))
                .contains(new Gathering.Cause(1, "rank 1 was lost: its task in executor 1 on host h has gone (gone)"));
    }

    @Test
    void shouldNameTheLostExecutorOfARankThatHasReturned() throws IOException {
        try (var zero = come("7.0", 0, "p", "m");
                var one = come("7.0", 1, "p", "m");
                var two = come("7.0", 2, "p", "m")) {
            for (var each : List.of(zero, one, two)) {
                assertThat(hear(each)).isInstanceOf(Plan.class);
                each.send(new Ended(How.WELL, -1, ""));
                assertThatThrownBy(() -> hear(each)).isInstanceOf(IOException.class);
            }
            assertThat(meeting.firstCause(new StageEvents(RANKS).lostResult(1).end()))
                    .contains(new Gathering.Cause(1, "rank 1 was lost: its task in executor 1 on host h has gone "
                            + "(TaskResultLost (result lost from block manager))"));
            assertThat(meeting.firstCause(new StageEvents(RANKS).threw(2, new NotSerializableException("Row")).end()))
                    .contains(new Gathering.Cause(2, "rank 2 failed: its task in executor 2 on host h ended with "
                            + "java.io.NotSerializableException: Row"));
        }
    }

    @Test
    void shouldBelieveARankThatSaysItselfWhyItEnded() throws IOException {
        try (var zero = come("7.0", 0, "p", "m"); var one = come("7.0", 1, "q", "n")) {
            zero.send(new Ended(How.SECONDARY, 1, "rank 1 failed"));
            assertThat(hear(one)).isInstanceOf(Stop.class);
            one.send(new Ended(How.CANCELLED, -1, "interrupted"));
            assertThatThrownBy(() -> hear(one)).isInstanceOf(IOException.class);
            var tasks = new StageEvents(RANKS).threw(0, new RankFailedException(1, "rank 1 failed")).killed(1);
            assertThat(meeting.firstCause(tasks.end())).isEmpty();
            assertThat(meeting.firstCause(tasks.threw(2, new IOException("no data")).end()))
                    .contains(new Gathering.Cause(2, "rank 2 failed: its task in executor 2 on host h ended with "
                            + "java.io.IOException: no data"));
        }
    }

    @Test
    void shouldNameRanksThatDidNotCome() throws IOException {
        try (var one = come("7.0", 1, "p", "m")) {
            one.send(new Ended(How.THREW, -1, "it waited for too long"));
            assertThatThrownBy(() -> hear(one)).isInstanceOf(IOException.class);
            assertThat(meeting.firstCause(new StageEvents(1).end())).contains(new Gathering.Cause(1,
                    "rank 1 failed: it waited for too long; those that did not come: rank 0 in executor 0 on host h, "
                            + "rank 2"));
        }
    }

    @Test
    void shouldNotListenToStrangers() throws IOException {
        try (var stranger = connect(new StageSecret());
                var talker = new Socket(meeting.host(), meeting.port());
                var zero = come("7.0", 0, "p", "m");
                var two = come("7.0", 2, "p", "m")) {
            stranger.send(new Hello("7.0", 1, "p", "m", "nowhere"));
            assertThatThrownBy(() -> stranger.receive(MILLIS_MAX)).isInstanceOf(IOException.class);
            talker.getOutputStream().write(new byte[1 << 10]);
            assertThatThrownBy(() -> talker.getInputStream().skipNBytes(1 << 10)).isInstanceOf(IOException.class);
            try (var one = come("7.0", 1, "p", "m")) {
                assertThat(List.of(hear(zero), hear(one), hear(two))).allMatch(Plan.class::isInstance);
            }
        }
    }

    @Test
    void shouldSendTheOldestStrangerAwayAndStillMeetItsRanks() throws IOException {
        List<Socket> strangers = new ArrayList<>();
        try {
            for (int stranger = 0; stranger <= RANKS + 64; stranger++) {
                strangers.add(new Socket(meeting.host(), meeting.port()));
            }
            strangers.getFirst().getInputStream().readAllBytes(); // until the driver hangs up
            try (var zero = come("7.0", 0, "p", "m");
                    var one = come("7.0", 1, "p", "m");
                    var two = come("7.0", 2, "p", "m")) {
                assertThat(List.of(hear(zero), hear(one), hear(two))).allMatch(Plan.class::isInstance);
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    @Test
    void shouldHangUpOnAStrangerThatAnnouncesALongMessage() throws IOException {
        try (var stranger = new Socket(meeting.host(), meeting.port())) {
            stranger.getOutputStream().write(new byte[16]); // the random bytes
            stranger.getOutputStream().write(new byte[]{0, 0, 4, 1}); // 1025 bytes follow
            assertThat(stranger.getInputStream().readAllBytes()).hasSize(16);
        }
    }

    @Test
    void shouldHangUpOnAStrangerThatTrickles() throws IOException {
        try (var stranger = new Socket(meeting.host(), meeting.port())) {
            assertThatThrownBy(() -> {
                for (int sent = 0; sent < 16 + 4 + 32; sent++) { // when all have come it is found out anyhow
                    stranger.getOutputStream().write(0);
                    Thread.sleep(250);
                }
            }).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldNameTheOptionOfAPortThatThereIsNot() {
        for (String port : List.of("70000", "-1", "any")) {
            assertThatThrownBy(() -> Meeting.open(conf().set(TuttiSpark.PORT, port), RANKS))
                    .hasMessageContaining(TuttiSpark.PORT).hasMessageContaining(port);
        }
    }

    @Test
    void shouldSayWhereItCannotListen() {
        assertThatThrownBy(() -> Meeting.open(conf().set(TuttiSpark.PORT, String.valueOf(meeting.port())), RANKS))
                .isInstanceOf(JobStartException.class)
                .hasMessageContaining("cannot listen for its ranks at 127.0.0.1:" + meeting.port())
                .hasMessageContaining(TuttiSpark.PORT);
    }
}
