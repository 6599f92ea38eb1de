/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.kubernetes;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.job.launch.JobEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The Job of docs/kubernetes.md as it would run: its command, variables, user and mounts, in pods that are namespaces
 * of this machine. Needs root, network namespaces and iproute2.
 */
@Tag("thorough")
@Timeout(120)
class PodsTest {
    private static final int MODE = 0440; // what becomes of 0400 with fsGroup
    private static final String SHARED_MEMORY = "256m";
    private static final String TOO_SMALL = "org.tutti.NodeMemoryException: no shared memory for the eager buffers of "
            + "other nodes' messages: 9.0 MiB were needed in /dev/shm, which had ";

    /** Ends when another pod does, as it never ends by itself. */
    private static final String GOES_ON = """
            import module org.tutti;

            void main() {
                try (var job = Tutti.join()) {
                    for (var first = true;; first = false) {
                        job.world().allreduce(new double[100], Reduction.SUM);
                        if (first) {
                            IO.println("goes on");
                        }
                    }
                }
            }
            """;

    /** Does not see for a while what becomes of the others. */
    private static final String COMPUTES = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    job.world().barrier();
                    IO.println("computes");
                    Thread.sleep(60_000);
                }
            }
            """;

    private static Pods pods;

    @BeforeAll
    static void makePods() throws Exception {
        var reason = Pods.whyImpossible();
        reason.ifPresent(why -> System.out.println("PodsTest is skipped: " + why));
        assumeTrue(reason.isEmpty());
        pods = new Pods();
        pods.compile("Sum", Manifests.program());
        pods.compile("GoesOn", GOES_ON);
        pods.compile("Computes", COMPUTES);
    }

    @AfterAll
    static void removePods() throws Exception {
        if (pods != null) {
            pods.close();
        }
    }

    private static void assertThatAllSum(List<Pods.Pod> all) throws Exception {
        for (int index = 0; index < all.size(); index++) {
            var pod = all.get(index);
            assertThat(pod.status()).as(pod.out()).isZero();
            assertThat(pod.out()).isEqualTo("rank " + index + " of 3: sum 6\n");
        }
    }

    @Test
    void shouldFindTheFirstPodThatStartsLaterThanTheOthers() throws Exception {
        pods.forgetNames();
        var second = pods.start(1, "Sum", SHARED_MEMORY, MODE);
        var third = pods.start(2, "Sum", SHARED_MEMORY, MODE);
        second.awaitMemory();
        third.awaitMemory();
        assertThat(second.process().isAlive() && third.process().isAlive()).isTrue();
        var first = pods.start(0, "Sum", SHARED_MEMORY, MODE); // knows its own name
        first.awaitMemory();
        assertThat(second.process().isAlive() && third.process().isAlive()).isTrue();
        pods.tellNames();
        assertThatAllSum(List.of(first, second, third));
    }

    @Test
    void shouldEndAllPodsWithOneAndMeetAgain() throws Exception {
        pods.tellNames();
        var all = pods.startAll("GoesOn", SHARED_MEMORY);
        for (var pod : all) {
            pod.awaitLine("goes on");
        }
        all.get(2).process().destroyForcibly();
        for (var pod : all.subList(0, 2)) {
            assertThat(pod.status()).isEqualTo(1);
            assertThat(pod.out()).containsPattern("RankFailedException: (rank 2 \\(process \\d+ on host sum-2|"
                    + "rank \\d cannot go on .*: rank \\d waited for rank 2, which had failed)");
        }
        all.get(2).status();
        assertThatAllSum(pods.startAll("Sum", SHARED_MEMORY));
    }

    /** So it fails, and Kubernetes starts it once more, when the others have ended as well. */
    @Test
    void shouldKeepOutAPodThatIsStartedAgainWhileOthersStillCompute() throws Exception {
        pods.tellNames();
        var all = pods.startAll("Computes", SHARED_MEMORY);
        for (var pod : all) {
            pod.awaitLine("computes");
        }
        all.get(2).process().destroyForcibly();
        var again = pods.start(2, "Sum", SHARED_MEMORY, MODE, Map.of(JobEnvironment.JOIN_TIMEOUT_MILLIS, "2000"));
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.out()).contains("org.tutti.JobStartException: rank 2 waited 2000 ms for all ranks to "
                + "join, but rank 0, rank 1 did not");
        for (var pod : all) {
            pod.process().destroyForcibly();
            pod.status();
        }
    }

    @Test
    void shouldSayThatTheSharedMemoryIsTooSmall() throws Exception {
        pods.tellNames();
        var all = pods.startAll("GoesOn", "1m");
        for (var pod : all) {
            assertThat(pod.status()).isEqualTo(1);
        }
        assertThat(all.stream().map(Pods.Pod::out)) // or it is only told that the call has failed elsewhere
                .anyMatch(out -> out.contains(TOO_SMALL))
                .allMatch(out -> out.contains(TOO_SMALL) || out.contains("org.tutti.RankFailedException: ")
                        || out.contains("org.tutti.CommunicatorBrokenException: "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "292 | the secret in /run/tutti/secret belongs to root, and can be read by everybody, or written ",
            "256 | the secret cannot be read from /run/tutti/secret (java.nio.file.AccessDeniedException: ",
            "-1 | the secret cannot be read from /run/tutti/secret (java.nio.file.NoSuchFileException: "})
    void shouldRefuseASecretThatEverybodyOrNobodyCanRead(int mode, String sentence) throws Exception {
        var pod = pods.start(1, "Sum", SHARED_MEMORY, mode);
        assertThat(pod.status()).isEqualTo(1);
        assertThat(pod.out()).contains("org.tutti.JobStartException: " + sentence);
    }
}
