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

/**
 * The variables that mpirun of Open MPI 4.1.4 sets, printed by {@code mpirun.openmpi env}, and the job that they
 * describe.
 */
class OpenMpiVariablesTest {
    /** Rank 3 of {@code mpirun -np 4 --host mpl-1:2,mpl-2:1,mpl-3:1}, started on mpl-1. */
    private static final Map<String, String> THREE_HOSTS = Map.of("PATH", "/usr/bin", "OMPI_COMM_WORLD_RANK", "3",
            "OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_LOCAL_SIZE", "1", "PMIX_NAMESPACE", "781910017", "PMIX_RANK",
            "3", "OMPI_MCA_orte_num_nodes", "3", "PMIX_SERVER_URI21", "781910016.2;tcp4://127.0.0.1:41303",
            "PMIX_SERVER_URI4", "781910016.2;tcp4://127.0.0.1:41303", "OMPI_MCA_orte_hnp_uri",
            "781910016.0;tcp://10.220.0.1:45627");

    @Test
    void shouldTranslateWhatARankOnOneOfSeveralHostsIsTold() {
        Map<String, String> expected = new HashMap<>(THREE_HOSTS);
        expected.putAll(Map.of("TUTTI_JOB", "openmpi-781910017", "TUTTI_RANK", "3", "TUTTI_SIZE", "4",
                "TUTTI_NODE_RANKS", "1", "TUTTI_NODES", "3", "TUTTI_NODE", "2", "TUTTI_RENDEZVOUS",
                "10.220.0.1:" + (20_000 + Math.floorMod("openmpi-781910017".hashCode(), 10_000))));
        assertThat(EnvironmentReader.translate(THREE_HOSTS)).isEqualTo(expected);
    }

    @Test
    void shouldNeedTheDocumentedVariablesOnlyOnOneHost() {
        Map<String, String> environment = Map.of("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "2", "PMIX_NAMESPACE", "prterun-host-4711@1");
        JobEnvironment read = EnvironmentReader.read(environment).orElseThrow();
        assertThat(read.shape()).isEqualTo(NodeShape.single("openmpi-prterun-host-4711-1", 2));
        assertThat(read.firstRank()).isEqualTo(1);
        assertThat(read.rendezvous()).isEmpty();
    }

    @Test
    void shouldKeepTheEndOfALongNameOfAJobAsThatTellsJobsApart() {
        String job =
                EnvironmentReader.translate(with(Map.of("PMIX_NAMESPACE", "prterun-" + "h".repeat(70) + "-4711@2")))
                        .get("TUTTI_JOB");
        assertThat(job).hasSize(64).startsWith("openmpi-hhh").endsWith("h-4711-2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"1.0;tcp://192.0.2.2:58495;tcp6://[fd00::2]:34379 | 192.0.2.2",
            "1.0;tcp://192.0.2.2,10.0.0.2:58495 | 192.0.2.2", "1.0;tcp6://[fd00::2]:34379 | [fd00::2]",
            "1.0;tcp6://[fd00::2,fd00::3]:34379 | [fd00::2]"})
    void shouldMeetOnTheHostOfMpirun(String uri, String host) {
        assertThat(EnvironmentReader.translate(with(Map.of("OMPI_MCA_orte_hnp_uri", uri))).get("TUTTI_RENDEZVOUS"))
                .startsWith(host + ":2").hasSize(host.length() + ":20000".length());
    }

    /** The daemons of hosts without ranks have numbers, too. */
    @Test
    void shouldTakeANumberOfAHostThatIsGreaterThanThatOfHosts() {
        Map<String, String> environment = with(Map.of("OMPI_MCA_orte_num_nodes", "2", "PMIX_SERVER_URI21",
                "1.17;tcp4://127.0.0.1:41303", "OMPI_COMM_WORLD_LOCAL_SIZE", "2"));
        assertThat(EnvironmentReader.read(environment).orElseThrow().shape())
                .isEqualTo(new NodeShape("openmpi-781910017", 4, 17, 2, 2));
    }

    @Test
    void shouldTakeAllHostsToHaveAsManyRanksWhenNothingElseIsSaid() {
        Map<String, String> environment = with(Map.of("OMPI_COMM_WORLD_LOCAL_SIZE", "2"));
        environment.remove("OMPI_MCA_orte_num_nodes");
        assertThat(EnvironmentReader.translate(environment)).containsEntry("TUTTI_NODES", "2");
    }

    @ParameterizedTest
    @CsvSource({"OMPI_MCA_orte_num_nodes,TUTTI_NODES,on how many hosts its ranks are",
            "OMPI_MCA_orte_hnp_uri,TUTTI_RENDEZVOUS,where rank 0 is"})
    void shouldAskForWhatIsNotSaid(String missing, String wanted, String meaning) {
        Map<String, String> environment = with(Map.of("OMPI_COMM_WORLD_LOCAL_SIZE", "3"));
        environment.remove(missing);
        assertThatThrownBy(() -> EnvironmentReader.translate(environment)).isInstanceOf(JobStartException.class)
                .hasMessage("Open MPI has started 3 of 4 ranks on this host, and does not say " + meaning + "; set "
                        + wanted + " for each of them");
        environment.put(wanted, "2");
        assertThat(EnvironmentReader.translate(environment)).containsEntry(wanted, "2");
    }

    @Test
    void shouldKeepAProgramThatIsStartedAloneAJobOfOneInAStepOfSlurmToo() {
        Map<String, String> environment = with(Map.of("OMPI_COMM_WORLD_SIZE", "1", "OMPI_COMM_WORLD_RANK", "0",
                "SLURM_STEP_NUM_TASKS", "4"));
        assertThat(EnvironmentReader.translate(environment)).isEqualTo(environment);
    }

    /** In an allocation mpirun starts its daemons by a step of Slurm, whose variables the ranks inherit. */
    @Test
    void shouldCountBeforeSlurm() {
        assertThat(EnvironmentReader.translate(with(Map.of("SLURM_STEP_NUM_TASKS", "2", "SLURM_PROCID", "1"))))
                .containsEntry("TUTTI_SIZE", "4").containsEntry("TUTTI_RANK", "3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TUTTI_JOB", "TUTTI_RANK", "TUTTI_SIZE"})
    void shouldLeaveTheWordToALauncherInsideARank(String name) {
        Map<String, String> environment = with(Map.of(name, "1"));
        assertThat(EnvironmentReader.translate(environment)).isEqualTo(environment);
    }

    @Test
    void shouldRefuseTwoMpisAtOnce() {
        assertThatThrownBy(() -> EnvironmentReader.translate(with(Map.of("MPI_LOCALNRANKS", "2"))))
                .isInstanceOf(JobStartException.class).hasMessageStartingWith(
                        "both OMPI_COMM_WORLD_SIZE=4 and MPI_LOCALNRANKS=2 are set, so one MPI was started inside");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "OMPI_COMM_WORLD_RANK | 4 | OMPI_COMM_WORLD_RANK=4, OMPI_COMM_WORLD_SIZE=4 and "
                    + "OMPI_COMM_WORLD_LOCAL_SIZE=1",
            "OMPI_COMM_WORLD_LOCAL_SIZE | 5 | OMPI_COMM_WORLD_RANK=3, OMPI_COMM_WORLD_SIZE=4 and "
                    + "OMPI_COMM_WORLD_LOCAL_SIZE=5",
            "OMPI_COMM_WORLD_LOCAL_SIZE | 0 | OMPI_COMM_WORLD_RANK=3, OMPI_COMM_WORLD_SIZE=4 and "
                    + "OMPI_COMM_WORLD_LOCAL_SIZE=0",
            "PMIX_RANK | 0 | OMPI_COMM_WORLD_RANK=3 and PMIX_RANK=0"})
    void shouldSayWhichVariablesContradictEachOther(String name, String value, String which) {
        assertThatThrownBy(() -> EnvironmentReader.translate(with(Map.of(name, value))))
                .isInstanceOf(JobStartException.class)
                .hasMessageStartingWith(which + " contradict each other; start the program with its mpirun, or set");
    }

    @ParameterizedTest
    @CsvSource({"OMPI_COMM_WORLD_SIZE,four", "OMPI_COMM_WORLD_RANK,-1", "OMPI_COMM_WORLD_LOCAL_SIZE,''",
            "PMIX_SERVER_URI21,daemon", "OMPI_MCA_orte_hnp_uri,pipe:3"})
    void shouldNameAMalformedVariableAndItsValue(String name, String value) {
        assertThatThrownBy(() -> EnvironmentReader.translate(with(Map.of(name, value))))
                .isInstanceOf(JobStartException.class)
                .message().startsWith(name + "=\"" + value + "\" is not ").doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"})
    void shouldNameAMissingVariable(String name) {
        Map<String, String> environment = with(Map.of());
        environment.remove(name);
        assertThatThrownBy(() -> EnvironmentReader.translate(environment)).isInstanceOf(JobStartException.class)
                .hasMessageContaining("variable " + name + " is missing, while OMPI_COMM_WORLD_SIZE=4 says that Open "
                        + "MPI has started this process");
    }

    private static Map<String, String> with(Map<String, String> others) {
        Map<String, String> environment = new HashMap<>(THREE_HOSTS);
        environment.putAll(others);
        return environment;
    }
}
