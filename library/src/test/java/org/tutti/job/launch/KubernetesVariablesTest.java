/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The variables of a pod of an Indexed Job named sum, and the job that they describe. */
class KubernetesVariablesTest {
    private static final Map<String, String> POD = Map.of("PATH", "/usr/bin", "HOSTNAME", "sum-2",
            "JOB_COMPLETION_INDEX", "2", "KUBERNETES_SERVICE_HOST", "10.96.0.1", "TUTTI_SIZE", "3");

    @Test
    void shouldMakeEachPodANodeOfOneRank() {
        Map<String, String> expected = new HashMap<>(POD);
        expected.putAll(Map.of("TUTTI_JOB", "sum", "TUTTI_RANK", "2", "TUTTI_NODE", "2", "TUTTI_NODES", "3",
                "TUTTI_NODE_RANKS", "1", "TUTTI_RENDEZVOUS", "sum-0.sum:20000"));
        assertThat(KubernetesVariables.translate(POD)).isEqualTo(expected);
    }

    @Test
    void shouldBeReadAsAJob() {
        JobEnvironment environment = EnvironmentReader.read(POD).orElseThrow();
        assertThat(environment.shape()).isEqualTo(new NodeShape("sum", 3, 2, 3, 1));
        assertThat(environment.firstRank()).isEqualTo(2);
        assertThat(environment.ranks()).isEqualTo(1);
        assertThat(environment.rendezvous()).contains("sum-0.sum:20000");
    }

    /** The name that the kubelet writes into its hosts file: no Service is asked for it. */
    @Test
    void shouldTellTheFirstPodToListenAtItsOwnName() {
        assertThat(KubernetesVariables.translate(with("HOSTNAME", "sum-0", "JOB_COMPLETION_INDEX", "0")))
                .containsEntry("TUTTI_RENDEZVOUS", "sum-0:20000");
    }

    @ParameterizedTest
    @CsvSource({"sum-0,0,8,4,0,2,4", "sum-1,1,8,4,4,2,4", "sum-1,1,7,4,4,2,3", "sum-0,0,4,4,0,1,4"})
    void shouldMakeEachPodANodeOfSeveralRanks(String host, String index, String size, String perProcess, int rank,
            int nodes, int nodeRanks) {
        JobEnvironment environment = EnvironmentReader.read(with("HOSTNAME", host, "JOB_COMPLETION_INDEX", index,
                "TUTTI_SIZE", size, "TUTTI_RANKS_PER_PROCESS", perProcess)).orElseThrow();
        assertThat(environment.shape()).isEqualTo(
                new NodeShape("sum", Integer.parseInt(size), Integer.parseInt(index), nodes, nodeRanks));
        assertThat(environment.firstRank()).isEqualTo(rank);
        assertThat(environment.ranks()).isEqualTo(nodeRanks);
        assertThat(environment.rendezvous().isPresent()).isEqualTo(nodes > 1);
    }

    @ParameterizedTest
    @CsvSource({"a-b-2,a-b", "sum-2-2,sum-2", "sum-2.sum.default.svc.cluster.local,sum"})
    void shouldFindTheNameOfTheJob(String host, String job) {
        assertThat(KubernetesVariables.translate(with("HOSTNAME", host))).containsEntry("TUTTI_JOB", job)
                .containsEntry("TUTTI_RENDEZVOUS", job + "-0." + job + ":20000");
    }

    @ParameterizedTest
    @CsvSource({"TUTTI_JOB,9b3e", "TUTTI_RENDEZVOUS,sum-0.meeting:4000", "TUTTI_RANK,2", "TUTTI_NODE,2",
            "TUTTI_NODES,3", "TUTTI_NODE_RANKS,1", "TUTTI_MEMORY,/tmp"})
    void shouldKeepWhatIsSetAlready(String name, String value) {
        assertThat(KubernetesVariables.translate(with(name, value))).containsEntry(name, value)
                .containsEntry("TUTTI_RANK", "2");
    }

    @Test
    void shouldNeedNoNameOfTheHostWhenJobAndRendezvousAreSet() {
        assertThat(KubernetesVariables.translate(with("HOSTNAME", "worker7", "TUTTI_JOB", "sum", "TUTTI_RENDEZVOUS",
                "10.0.0.7:4000"))).containsEntry("TUTTI_RANK", "2");
    }

    @Test
    void shouldLeaveTheWordToALauncherInsideAPod() {
        Map<String, String> environment = with("TUTTI_JOB", "inner", "TUTTI_RANK", "0", "TUTTI_SIZE", "1");
        assertThat(KubernetesVariables.translate(environment)).isEqualTo(environment);
    }

    @Test
    void shouldTranslateNothingOutsideAnIndexedJob() {
        Map<String, String> environment = with();
        environment.remove("JOB_COMPLETION_INDEX");
        assertThat(KubernetesVariables.translate(environment)).isEqualTo(environment);
    }

    @Test
    void shouldSayThatTheSizeIsMissing() {
        Map<String, String> environment = with();
        environment.remove("TUTTI_SIZE");
        assertThatThrownBy(() -> EnvironmentReader.read(environment)).isInstanceOf(JobStartException.class)
                .hasMessage("the environment variable TUTTI_SIZE is missing, while JOB_COMPLETION_INDEX=2 says that "
                        + "this is a pod of an Indexed Job; set it to the number of ranks, which is the Job's "
                        + "completions if each pod has one, or set TUTTI_JOB, TUTTI_RANK and TUTTI_SIZE yourself");
    }

    @ParameterizedTest
    @CsvSource({"3,1,3", "2,1,2", "6,4,2"})
    void shouldRefuseAnIndexBeyondTheLastPod(String size, String perProcess, int pods) {
        assertThatThrownBy(() -> EnvironmentReader.read(with("HOSTNAME", "sum-3", "JOB_COMPLETION_INDEX", "3",
                "TUTTI_SIZE", size, "TUTTI_RANKS_PER_PROCESS", perProcess))).isInstanceOf(JobStartException.class)
                .hasMessage("JOB_COMPLETION_INDEX=3 is beyond the last pod of a job of TUTTI_SIZE=" + size + " ranks, "
                        + perProcess
                        + " in each pod; set TUTTI_SIZE to the ranks of all pods, and the Job's completions "
                        + "to " + pods + ", or set TUTTI_JOB, TUTTI_RANK and TUTTI_SIZE yourself");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "worker7", "sum-1", "2", "-2", "sum-12", "sum2", "sum-2-pod"})
    void shouldSayThatTheNameOfTheHostDoesNotTellWhereRankZeroIs(String host) {
        assertThatThrownBy(() -> EnvironmentReader.read(with("HOSTNAME", host))).isInstanceOf(JobStartException.class)
                .hasMessage(
                        "HOSTNAME=\"" + host + "\" is not the name of the Job with -2 after it, as that of a pod of "
                                + "JOB_COMPLETION_INDEX=2 is, so it does not tell where rank 0 is; set TUTTI_JOB and "
                                + "TUTTI_RENDEZVOUS, such as sum and sum-0.sum:20000");
    }

    @ParameterizedTest
    @CsvSource({"TUTTI_RANK,0,2", "TUTTI_NODE,1,2", "TUTTI_NODES,2,3", "TUTTI_NODE_RANKS,3,1"})
    void shouldRefuseWhatContradictsTheIndex(String name, String value, String implied) {
        assertThatThrownBy(() -> EnvironmentReader.read(with(name, value))).isInstanceOf(JobStartException.class)
                .hasMessage(
                        name + "=\"" + value + "\" contradicts JOB_COMPLETION_INDEX=2 and TUTTI_SIZE=3, by which it "
                                + "is " + implied
                                + "; leave it out of the manifest, or set TUTTI_JOB, TUTTI_RANK and TUTTI_SIZE "
                                + "yourself");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"JOB_COMPLETION_INDEX|x", "JOB_COMPLETION_INDEX|-1", "JOB_COMPLETION_INDEX|''",
            "JOB_COMPLETION_INDEX|9999999999", "TUTTI_SIZE|three", "TUTTI_SIZE|0", "TUTTI_SIZE|''",
            "TUTTI_RANKS_PER_PROCESS|0", "TUTTI_RANKS_PER_PROCESS|4"})
    void shouldNameAMalformedVariableAndItsValue(String name, String value) {
        assertThatThrownBy(() -> EnvironmentReader.read(with(name, value))).isInstanceOf(JobStartException.class)
                .hasMessageMatching(name + "=\"" + value + "\" is (no|not a) number.*");
    }

    private static Map<String, String> with(String... others) {
        Map<String, String> environment = new HashMap<>(POD);
        for (int i = 0; i < others.length; i += 2) {
            environment.put(others[i], others[i + 1]);
        }
        return environment;
    }
}
