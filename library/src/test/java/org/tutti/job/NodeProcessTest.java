/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Rows;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.job.launch.JobEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real processes on several nodes of this host, started by their environment only, with the tcp fabric between them.
 */
@ResourceLock("limits of a second")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT) // it waits for processes
class NodeProcessTest {
    private static final int STATUS_OF_EXCEPTION = 9;
    private static final int[] TWO_BY_TWO = {0, 0, 1, 1};
    private static final int[] THREE = {0, 1, 1, 2};

    private static void awaitAll(RankProcesses ranks, String text) throws InterruptedException {
        for (int rank = 0; rank < ranks.processes.size(); rank++) {
            ranks.awaitOutput(rank, text);
        }
    }

    static Stream<int[]> shapes() {
        return Rows.sampled(Stream.of(new int[]{0, 1, 0, 1, 2}, TWO_BY_TWO, new int[]{0, 1}));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldComputeTogetherAndLeaveNothing(int[] shape) {
        try (var ranks = RankProcesses.startNodes(shape, "sum", Map.of())) {
            int size = shape.length;
            for (int rank = 0; rank < size; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("sum " + size * (size + 1) / 2 + " of " + size + "\n");
            }
            assertThat(ranks.memoryFiles(Path.of("/dev/shm"))).isEmpty();
        }
    }

    @Test
    void shouldMeetAtALoopbackAddressThatNoInterfaceNames() {
        try (var ranks = new RankProcesses()) {
            for (int rank = 0; rank < 2; rank++) {
                ranks.start(rank, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE,
                        String.valueOf(rank), JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS,
                        "127.0.1.1:" + ranks.port, JobEnvironment.JOIN_TIMEOUT_MILLIS, "10000",
                        JobEnvironment.SECRET_FILE, ranks.secret.toString()));
            }
            assertThat(ranks.status(1)).as(ranks.output(1)).isZero();
            assertThat(ranks.status(0)).as(ranks.output(0)).isZero();
        }
    }

    @Tag("thorough")
    @Test
    void shouldLetRanksLeaveThatHaveAllTheyNeed() {
        try (var ranks = RankProcesses.startNodes(THREE, "early", Map.of())) {
            for (int rank = 0; rank < THREE.length; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("early done\n");
            }
        }
    }

    @ParameterizedTest
    @CsvSource("transfer, 3")
    void shouldTellAllNodesWithinASecondWhenAProcessIsKilled(String program, int victim) throws Exception {
        killAndAwaitTheOthers(program, victim);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"wait-all, 1", "wait-all, 3", "loop, 1", "loop, 3", "one-sided, 1", "one-sided, 3", "transfer, 1"})
    void shouldTellAllNodesWithinASecondWhicheverProcessIsKilled(String program, int victim) throws Exception {
        killAndAwaitTheOthers(program, victim);
    }

    private static void killAndAwaitTheOthers(String program, int victim) throws Exception {
        try (var ranks = RankProcesses.startNodes(THREE, program, Map.of())) {
            awaitAll(ranks, "joined");
            Thread.sleep(300); // so that the others wait already, or are in the middle of a collective
            MachineTime time = new MachineTime();
            ranks.processes.get(victim).destroyForcibly();
            for (int rank = 0; rank < THREE.length; rank++) {
                if (rank != victim) {
                    assertThat(ranks.status(rank)).as(ranks.output(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                    // heard of it, or of somebody who had and so ended the call
                    assertThat(ranks.output(rank).replaceAll("rank \\d of the job, | \\(rank \\d of the job\\)", ""))
                            .containsPattern("RankFailedException: (rank " + victim + " \\(process "
                                    + ranks.processes.get(victim).pid() + " on host |rank " + rank
                                    + " cannot go on .*: rank \\d waited for rank " + victim + ", which had failed)");
                }
            }
            assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(1));
            assertThat(ranks.memoryFiles(Path.of("/dev/shm"))).isEmpty();
        }
    }

    /** Groups without the process that is killed go on, with it they do not. */
    @Tag("thorough")
    @Test
    void shouldGoOnInGroupsWithoutAProcessThatIsKilled() throws Exception {
        for (int[] shape : List.of(new int[]{0, 0, 0}, new int[]{0, 1, 0, 1, 1})) {
            try (var ranks = RankProcesses.startNodes(shape, "groups", Map.of())) {
                awaitAll(ranks, "joined");
                int victim = shape.length - 1;
                ranks.processes.get(victim).destroyForcibly();
                for (int rank = 0; rank < victim; rank++) {
                    assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                    assertThat(ranks.output(rank)).isEqualTo("joined\nworld has failed\n"
                            + (rank == 0 ? "true " + victim + "\n" : "") + "went on\n");
                }
                assertThat(ranks.memoryFiles(Path.of("/dev/shm"))).isEmpty();
            }
        }
    }

    /** Ranks of one node, and of others, reach each other over the fabric only. */
    @Test
    void shouldRunEveryAlgorithmWithEachRankAsANode() {
        try (var ranks = RankProcesses.startNodes(THREE, "flat", Map.of())) {
            for (int rank = 0; rank < THREE.length; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("flat done\n");
            }
            assertThat(ranks.memoryFiles(Path.of("/dev/shm"))).isEmpty();
        }
    }

    @Test
    void shouldTellWithinASecondWhenAProcessIsKilledThatCountsAsANode() throws Exception {
        killAndAwaitTheOthers("flat-loop", 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flat-mismatch", "flat-last"})
    void shouldFindThatRanksOfOneHostCallDifferentThingsWhereEachIsANode(String program) {
        try (var ranks = RankProcesses.startNodes(THREE, program, Map.of())) {
            String all = IntStream.of(1, 2).mapToObj(rank -> ranks.status(rank) + " " + ranks.output(rank))
                    .collect(Collectors.joining());
            assertThat(all).contains(STATUS_OF_EXCEPTION + " CollectiveMismatchException: ");
        }
    }

    /** The rank that is late hears of it, although its memory of the communicator is its own. */
    @Test
    void shouldBreakACommunicatorInWhichEachRankIsANodeAtAllRanks() {
        try (var ranks = RankProcesses.startNodes(THREE, "flat-deadline", Map.of())) {
            for (int rank = 0; rank < THREE.length; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo((rank == 1 ? "DeadlineExceededException"
                        : "CommunicatorBrokenException") + "\n");
            }
        }
    }

    /** Each rank leaves with a call under way; whoever is later hears that the others have left. */
    @Tag("thorough")
    @Test
    void shouldEndCallsOnRemoteMemoryWhenAThreadLeavesTheJob() {
        for (int[] shape : List.of(new int[]{0, 0}, new int[]{0, 0, 1})) {
            try (var ranks = RankProcesses.startNodes(shape, "leave", Map.of())) {
                for (int rank = 0; rank < shape.length; rank++) {
                    assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                    assertThat(ranks.output(rank))
                            .matches("(IllegalStateException: (rank \\d (cannot .*|has) left its job.*"
                                    + "|Already closed)|RankFailedException: .*rank \\d.*)\nleft\n");
                }
                assertThat(ranks.memoryFiles(Path.of("/dev/shm"))).isEmpty();
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldExcludeProcessesFromEachOther() {
        try (var ranks = RankProcesses.startNodes(THREE, "mutex-count", Map.of())) {
            for (int rank = 0; rank < ranks.processes.size(); rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("all counted\n");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldTellWhoWaitsForAMutexWhenItsHolderIsKilled() throws Exception {
        try (var ranks = RankProcesses.startNodes(THREE, "mutex", Map.of())) {
            ranks.killHolder(1);
            for (int rank : new int[]{0, 2, 3}) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("RankFailedException: rank 1 (process ")
                        .doesNotContain("held by");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldPassAMutexOnWhenItsHolderIsKilled() throws Exception {
        try (var ranks = RankProcesses.startNodes(THREE, "mutex-pass-on", Map.of())) {
            ranks.killHolder(1);
            for (int rank : new int[]{0, 2, 3}) {
                ranks.awaitOutput(rank, "got all");
                assertThat(ranks.output(rank)).isEqualTo("joined\n" + "held by 1 before\n".repeat(3) + "got all\n");
            }
        }
    }

    @Test
    void shouldEndAllNodesWhenOneAborts() {
        try (var ranks = RankProcesses.startNodes(THREE, "abort", Map.of())) {
            for (int rank = 0; rank < THREE.length; rank++) {
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("JobAbortedException: rank 1 aborted the job with status 5");
            }
        }
    }

    @Test
    void shouldFindThatNodesCallDifferentThings() {
        try (var ranks = RankProcesses.startNodes(new int[]{0, 1}, "mismatch", Map.of())) {
            for (int rank = 0; rank < 2; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("CollectiveMismatchException");
            }
            assertThat(ranks.output(0) + ranks.output(1)).contains("called barrier (algorithm srm)")
                    .contains("broadcast (algorithm slot-ring) of 4 int elements with root 1");
        }
    }

    @Test
    void shouldNotStartWithoutASecretOrWithOneThatOthersCanRead() throws IOException {
        try (var ranks = RankProcesses.startNodes(new int[]{0, 1}, "sum", Map.of(JobEnvironment.SECRET_FILE, ""))) {
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("JobStartException").contains("without a secret")
                    .contains("chmod 600");
        }
        try (var ranks = new RankProcesses()) {
            Files.setPosixFilePermissions(ranks.secret, PosixFilePermissions.fromString("rw-r-----"));
            ranks.start(1, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE, "1",
                    JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, "127.0.0.1:" + ranks.port,
                    JobEnvironment.SECRET_FILE, ranks.secret.toString()));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("JobStartException").contains("chmod 600 it");
        }
    }

    @Tag("thorough")
    @Test
    void shouldKeepOutANodeWithAnotherSecret() throws IOException {
        Path other = Files.write(Files.createTempFile("tutti-test", ".secret"), new byte[32]);
        try (var ranks = new RankProcesses()) {
            for (int rank = 0; rank < 2; rank++) {
                ranks.start(rank, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE,
                        String.valueOf(rank), JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS,
                        "127.0.0.1:" + ranks.port, JobEnvironment.JOIN_TIMEOUT_MILLIS, "4000",
                        JobEnvironment.SECRET_FILE, (rank == 0 ? ranks.secret : other).toString()));
            }
            assertThat(ranks.status(1)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(1)).contains("JobStartException: the process of rank 1 on host")
                    .contains("cannot reach the process of rank 0 at").contains("secret");
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("4000 ms").contains("rank 1 did not");
        } finally {
            Files.delete(other);
        }
    }

    /** All say the same. */
    @Test
    void shouldRefuseHostsWithDifferentNumbersOfRails() {
        try (var ranks = new RankProcesses()) {
            for (int rank = 0; rank < 3; rank++) {
                ranks.start(rank, 3, "sum", Map.of(JobEnvironment.NODES, "3", JobEnvironment.NODE,
                        String.valueOf(rank), JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS,
                        "127.0.0.1:" + ranks.port, JobEnvironment.SECRET_FILE, ranks.secret.toString(),
                        JobEnvironment.RAILS, rank < 2 ? "127.0.0.1,127.0.0.2" : "127.0.0.3"));
            }
            for (int rank = 0; rank < 3; rank++) {
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).containsPattern("JobStartException: rank 0 on host \\S+ has the rails "
                        + "127.0.0.1,127.0.0.2, and rank 2 on host \\S+ has 127.0.0.3; name as many on every host");
            }
        }
    }

    /** As when a launcher's words let one host believe in two nodes, and the others in three; all say the same. */
    @Tag("thorough")
    @Test
    void shouldRefuseNodesThatWereToldDifferentNumbers() {
        try (var ranks = new RankProcesses()) {
            for (int rank = 0; rank < 4; rank++) {
                ranks.start(rank, 4, "sum", Map.of(JobEnvironment.NODES, rank < 2 ? "2" : "3", JobEnvironment.NODE,
                        String.valueOf(Math.max(1, rank)), JobEnvironment.NODE_RANKS, rank < 2 ? "2" : "1",
                        JobEnvironment.RENDEZVOUS, "127.0.0.1:" + ranks.port, JobEnvironment.SECRET_FILE,
                        ranks.secret.toString()));
            }
            for (int rank = 0; rank < 4; rank++) {
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).containsPattern("JobStartException: rank 0 on host \\S+ was told that "
                        + "the job is on 2 nodes, rank 2 on host \\S+ that it is on 3, while their nodes have 3 "
                        + "different numbers;");
            }
            assertThat(ranks.memoryFiles(Path.of("/dev/shm"))).isEmpty();
        }
    }

    /** An MPI's launcher numbers the hosts that have no rank, too. */
    @Tag("thorough")
    @Test
    void shouldMeetWithNumbersOfNodesThatHaveGaps() {
        try (var ranks = new RankProcesses()) {
            for (int rank = 0; rank < 2; rank++) {
                ranks.start(rank, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE,
                        rank == 0 ? "5000" : "7", JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS,
                        "127.0.0.1:" + ranks.port, JobEnvironment.SECRET_FILE, ranks.secret.toString()));
            }
            for (int rank = 0; rank < 2; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("sum 3 of 2\n");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"127.0.0.1,127.0.0.1 | 127.0.0.1 (lo) is named twice",
            "127.0.0.1,192.0.2.77 | 192.0.2.77 is not an address of this machine"})
    void shouldNameTheHostWhoseRailsCannotBe(String rails, String why) {
        try (var ranks = new RankProcesses()) {
            ranks.start(1, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE, "1",
                    JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, "127.0.0.1:" + ranks.port,
                    JobEnvironment.SECRET_FILE, ranks.secret.toString(), JobEnvironment.RAILS, rails));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).containsPattern("JobStartException: on host \\S+ the rails \"" + rails
                    + "\" cannot be used: ").contains(why);
        }
    }

    @Test
    void shouldRefuseAWayOfStripingThatThereIsNot() {
        try (var ranks = new RankProcesses()) {
            ranks.start(0, 1, "sum", Map.of(JobEnvironment.STRIPING, "odd"));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("JobStartException: TUTTI_STRIPING cannot be used: \"odd\" is no way "
                    + "of striping; give speed, even or whole");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "192.0.2.77:4000 | the rendezvous 192.0.2.77:4000 is not where the process of rank 0 listens, whose rail 0 "
                    + "is 127.0.0.1;",
            "127.0.0.1:4000,192.0.2.77:4001 | the rendezvous 192.0.2.77:4001 is not where the process of rank 0 "
                    + "listens, whose rail 1 is 127.0.0.2;",
            "127.0.0.1:4000,127.0.0.1:4001 | the rendezvous \"127.0.0.1:4000,127.0.0.1:4001\" names an address twice"})
    void shouldRefuseARendezvousThatIsNoRailOfRankZero(String rendezvous, String why) {
        try (var ranks = new RankProcesses()) {
            ranks.start(0, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE, "0",
                    JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, rendezvous,
                    JobEnvironment.SECRET_FILE, ranks.secret.toString(), JobEnvironment.RAILS, "127.0.0.1,127.0.0.2"));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).containsPattern("JobStartException: on host \\S+ the rendezvous ")
                    .contains(why);
        }
    }

    @Test
    void shouldNameTheRailThatDoesNotReachRankZero() {
        try (var ranks = new RankProcesses()) {
            ranks.start(1, 2, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE, "1",
                    JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, "127.0.0.1:" + ranks.port,
                    JobEnvironment.JOIN_TIMEOUT_MILLIS, "1500", JobEnvironment.SECRET_FILE, ranks.secret.toString(),
                    JobEnvironment.RAILS, "127.0.0.2"));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).containsPattern("but rank 0 did not, .* \\(they meet at 127.0.0.1:" + ranks.port
                    + "; on host \\S+ rail 0 from 127.0.0.2 does not reach 127.0.0.1:" + ranks.port
                    + " \\(Connection refused, an address of this host as well\\)\\)");
        }
    }

    @Test
    void shouldNameTheNodesThatDoNotShowUp() {
        try (var ranks = new RankProcesses()) {
            ranks.start(0, 3, "sum", Map.of(JobEnvironment.NODES, "2", JobEnvironment.NODE, "0",
                    JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, "127.0.0.1:" + ranks.port,
                    JobEnvironment.JOIN_TIMEOUT_MILLIS, "700", JobEnvironment.SECRET_FILE, ranks.secret.toString()));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("JobStartException").contains("700 ms").contains("rank 1, rank 2")
                    .contains("whether a firewall is between their hosts and this one");
        }
    }
}
