/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.tutti.job.RankProcess;
import org.tutti.job.node.RankFailure;

import static org.assertj.core.api.Assertions.assertThat;

/** Ends of processes in the orders in which a busy machine may tell them, by a clock that only the test moves. */
class RootCauseTest {
    private static final Placement FOUR_PROCESSES = Placement.even(4, 1, 1);

    private final ScriptedNode ranks = new ScriptedNode("node 0");
    private final List<ScriptedProcess> processes = IntStream.range(0, 4).mapToObj(ScriptedProcess::new).toList();
    private long nanos;
    private final RootCause rootCause =
            rootCause(JobPlan.plain(FOUR_PROCESSES, Optional.empty(), Rails.CHOSEN, List.of()));

    private RootCause rootCause(JobPlan plan) {
        return new RootCause(plan, List.copyOf(processes), new JobNodes(FOUR_PROCESSES, List.of(ranks)),
                new JobOutput(plan), () -> nanos);
    }

    @Test
    void shouldNameTheRankThatThrewWhenAllHaveEndedAndAnotherIsToldFirst() {
        processes.forEach(process -> process.end(process.rank == 3 ? 1 : RankProcess.STATUS_SECONDARY));
        rootCause.ended(processes.get(2));
        assertThat(rootCause.verdict()).isEmpty();
        rootCause.ended(processes.get(0));
        rootCause.ended(processes.get(3));
        assertThat(sentence()).startsWith("rank 3 (pid 3) exited with status 1");
    }

    @Test
    void shouldGiveARankThatHasLeftTheTimeToSayThatItThrew() {
        ranks.left.add(3);
        end(2, RankProcess.STATUS_SECONDARY);
        pass(RootCause.LEAVING_GRACE.minusMillis(1));
        assertThat(rootCause.verdict()).isEmpty();
        assertThat(rootCause.sinceTrouble()).as("nobody is ended before").isLessThan(RootCause.GRACE);
        end(3, 1);
        assertThat(sentence()).startsWith("rank 3 (pid 3) exited with status 1");
    }

    @Test
    void shouldNotBelieveThatARankHasFailedThatHasLeft() {
        ranks.left.add(3);
        ranks.firstFailure = failure(3);
        end(3, 0);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(rootCause.verdict()).isEmpty();
        end(2, RankProcess.STATUS_SECONDARY);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence()).startsWith("rank 2 (pid 2) could not go on because of another rank");
    }

    @Test
    void shouldForgetAnAccusationWhenItHearsThatTheRankHasLeft() {
        ranks.firstFailure = failure(3);
        assertThat(rootCause.verdict()).isEmpty();
        assertThat(rootCause.inTrouble()).isTrue();
        ranks.left.add(3);
        end(3, 0);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(rootCause.verdict()).isEmpty();
        assertThat(rootCause.inTrouble()).isFalse();
    }

    @Test
    void shouldBelieveAnotherNodeWhenTheFirstAccusesARankThatHasLeft() {
        var first = new ScriptedNode("node 0");
        var second = new ScriptedNode("node 0");
        var nodes = new JobNodes(Placement.even(4, 2, 1), List.of(first, second));
        first.firstFailure = failure(3);
        second.left.add(3);
        assertThat(nodes.firstFailedRank()).isEqualTo(-1);
        second.firstFailure = failure(1);
        assertThat(nodes.firstFailedRank()).isOne();
    }

    @Test
    void shouldNameWhoCouldNotGoOnWhenARankThatHasLeftSaysNothing() {
        ranks.left.add(3);
        end(2, RankProcess.STATUS_SECONDARY);
        pass(RootCause.LEAVING_GRACE);
        assertThat(rootCause.verdict()).isEmpty();
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence()).startsWith("rank 2 (pid 2) could not go on because of another rank");
    }

    @Test
    void shouldNotWaitForRanksThatHaveNotLeft() {
        end(2, RankProcess.STATUS_SECONDARY);
        assertThat(rootCause.verdict()).isEmpty();
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence()).startsWith("rank 2 (pid 2) could not go on because of another rank");
    }

    @Test
    void shouldNotWaitForWhoHasLeftOnceAnotherIsTheCause() {
        ranks.left.add(0);
        end(2, RankProcess.STATUS_SECONDARY);
        end(1, 128 + 9);
        assertThat(sentence()).startsWith("rank 1 (pid 1) was killed by signal 9");
    }

    @Test
    void shouldNotTakeTheMarkOfAProcessThatLostAnotherForTheCause() {
        ranks.left.add(3);
        ranks.firstFailure = failure(2); // as whoever watches over it has said, for a rank of it that had not left
        end(2, RankProcess.STATUS_SECONDARY);
        pass(RootCause.LEAVING_GRACE.minusMillis(1));
        assertThat(rootCause.verdict()).isEmpty();
        end(3, 1);
        assertThat(sentence()).startsWith("rank 3 (pid 3) exited with status 1");
    }

    @Test
    void shouldNameAMarkedRankThatLivesOnAfterASecond() {
        ranks.left.add(3);
        ranks.firstFailure = failure(1);
        end(2, RankProcess.STATUS_SECONDARY);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence()).startsWith("rank 1 (pid 1) counts as failed: its process stood still for 2000 ms");
    }

    @Test
    void shouldNameTheRankThatLeftWhileOthersStillNeededIt() {
        ranks.left.addAll(List.of(0, 3));
        ranks.missed.putAll(Map.of(0, 3, 1, 0)); // rank 1 missed rank 0, which had left because it missed rank 3
        end(1, RankProcess.STATUS_SECONDARY);
        end(3, 0);
        end(0, RankProcess.STATUS_SECONDARY);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence())
                .isEqualTo("rank 3 (pid 3) left the job while rank 0 still needed it; the job was ended.");
    }

    @Test
    void shouldNameTheRankThatClosedACommunicatorAndGoesOn() {
        ranks.missed.putAll(Map.of(1, 2, 0, 1));
        end(0, RankProcess.STATUS_SECONDARY);
        end(1, RankProcess.STATUS_SECONDARY);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence()).startsWith("rank 2 (pid 2) closed or broke a communicator that rank 1 still needed");
    }

    @Test
    void shouldNameWhoCouldNotGoOnWhenRanksMissedEachOther() {
        ranks.missed.putAll(Map.of(0, 1, 1, 0));
        end(1, RankProcess.STATUS_SECONDARY);
        end(0, RankProcess.STATUS_SECONDARY);
        pass(RootCause.GRACE.plusMillis(1));
        assertThat(sentence()).startsWith("rank 1 (pid 1) could not go on because of another rank");
    }

    @Test
    void shouldTellTheOthersHowAProcessEnded() {
        end(2, 128 + 9);
        assertThat(ranks.marked).singleElement().extracting(failure -> failure.describe("the launcher"))
                .isEqualTo("failed: its process was killed by signal 9");
        assertThat(RankFailure.of(2, RankFailure.ended(2, 4).word()).describe("the launcher"))
                .isEqualTo("failed: its process ended with status 4 before it left the job");
    }

    @Test
    void shouldSayThatARankEndedItself() {
        ranks.firstFailure = Optional.of(new RankFailure(1, RankFailure.Reason.EXITED, 1, 0));
        end(1, 7);
        var ending = rootCause.verdict().orElseThrow();
        assertThat(ending.status()).isEqualTo(7);
        assertThat(ending.sentence())
                .startsWith("rank 1 (pid 1) exited with status 7 by System.exit, before it left the job");
    }

    @Test
    void shouldSayThatARankIgnoredWhatItsJobThrewWhenItClosedIt() {
        ranks.firstFailure = Optional.of(new RankFailure(1, RankFailure.Reason.THREW, 1, 0));
        end(1, 0);
        assertThat(sentence()).startsWith("rank 1 (pid 1) closed the job, which threw, as its calls differed from");
    }

    private static Optional<RankFailure> failure(int rank) {
        return Optional.of(new RankFailure(rank, RankFailure.Reason.STOOD_STILL, 0, 2000));
    }

    private void end(int rank, int status) {
        processes.get(rank).end(status);
        rootCause.ended(processes.get(rank));
    }

    private void pass(Duration time) {
        rootCause.verdict(); // the launcher looks every now and then
        nanos += time.toNanos();
    }

    private String sentence() {
        return rootCause.verdict().orElseThrow().sentence();
    }

    /** A process of one rank that ends when the test says so. */
    private static final class ScriptedProcess implements StartedProcess {
        final int rank;
        private int status = -1;

        ScriptedProcess(int rank) {
            this.rank = rank;
        }

        void end(int withStatus) {
            status = withStatus;
        }

        @Override
        public RankRange ranks() {
            return new RankRange(rank, rank);
        }

        @Override
        public String identity() {
            return "pid " + rank;
        }

        @Override
        public long pid() {
            return rank;
        }

        @Override
        public boolean isAlive() {
            return status < 0;
        }

        @Override
        public int exitStatus() {
            return status;
        }

        @Override
        public void whenEnded(Consumer<StartedProcess> action) {}

        @Override
        public void terminate() {}

        @Override
        public void kill() {}

        @Override
        public void awaitEnd(long deadlineNanos) {}

        @Override
        public void awaitOutput(long deadlineNanos) {}

        @Override
        public boolean isPassingOutputOn() {
            return false;
        }
    }
}
