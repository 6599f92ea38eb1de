/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The variables that mpirun of MPICH 4.0.2 sets, printed by {@code mpirun.mpich env}, and the job that they describe.
 */
class HydraVariablesTest {
    /** Rank 2 of {@code mpirun -n 4 -hosts mpl-1:2,mpl-2:2}, started on mpl-1. */
    private static final Map<String, String> TWO_HOSTS =
            Map.of("PMI_RANK", "2", "PMI_SIZE", "4", "MPI_LOCALNRANKS", "2", "MPI_LOCALRANKID", "0", "PMI_FD", "12");

    private static final List<String> PROXY = List.of("--control-port", "10.220.0.1:38961", "--rmk", "user", "--iface",
            "rail0", "--pgid", "0", "--usize", "-2", "--proxy-id", "1");

    @Test
    void shouldTranslateWhatARankOnOneOfSeveralHostsIsTold() {
        assertThat(translate(Map.of())).isEqualTo(Map.of("TUTTI_JOB", "mpich-10.220.0.1-38961-0", "TUTTI_RANK", "2",
                "TUTTI_SIZE", "4", "TUTTI_NODE_RANKS", "2", "TUTTI_NODES", "2", "TUTTI_NODE", "1", "TUTTI_RENDEZVOUS",
                "10.220.0.1:" + (20_000 + Math.floorMod("mpich-10.220.0.1-38961-0".hashCode(), 10_000))));
    }

    @Test
    void shouldNeedOnlyAJobAndARankOnOneHost() {
        assertThat(translate(Map.of("MPI_LOCALNRANKS", "4"))).isEqualTo(Map.of("TUTTI_JOB", "mpich-10.220.0.1-38961-0",
                "TUTTI_RANK", "2", "TUTTI_SIZE", "4"));
    }

    @Test
    void shouldAskOnHowManyHostsRanksAreWhenNotAllCanHaveAsMany() {
        assertThatThrownBy(() -> translate(Map.of("MPI_LOCALNRANKS", "3"))).isInstanceOf(JobStartException.class)
                .hasMessage("MPICH has started 3 of 4 ranks on this host, and does not say on how many hosts its ranks "
                        + "are; set TUTTI_NODES for each of them");
        assertThat(translate(Map.of("MPI_LOCALNRANKS", "3", "TUTTI_NODES", "2"))).doesNotContainKey("TUTTI_NODES")
                .containsEntry("TUTTI_NODE", "1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"vm:43955 | vm:", "[fd00::2]:43955 | [fd00::2]:", "fd00::2:43955 | [fd00::2]:"})
    void shouldMeetOnTheHostOfMpirun(String address, String meeting) {
        assertThat(new HydraVariables(TWO_HOSTS, List.of("--control-port", address, "--pgid", "0", "--proxy-id", "0"))
                .translate().get("TUTTI_RENDEZVOUS")).startsWith(meeting + "2").hasSize(meeting.length() + 5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--control-port", "--pgid", "--proxy-id"})
    void shouldSayWhenItsProxyIsNotFound(String option) {
        List<String> proxy = PROXY.stream().map(word -> word.equals(option) ? "--else" : word).toList();
        assertThatThrownBy(() -> new HydraVariables(TWO_HOSTS, proxy).translate())
                .isInstanceOf(JobStartException.class).hasMessageStartingWith("no process hydra_pmi_proxy with "
                        + option
                        + " is among those that have started this one, so its job cannot be told from others;");
        assertThatThrownBy(() -> EnvironmentReader.translate(TWO_HOSTS)).isInstanceOf(JobStartException.class)
                .hasMessageStartingWith("no process hydra_pmi_proxy with --control-port is among");
    }

    @Test
    void shouldKeepAProgramThatIsStartedAloneAJobOfOne() {
        Map<String, String> environment = Map.of("PMI_RANK", "0", "PMI_SIZE", "1", "MPI_LOCALNRANKS", "1");
        assertThat(EnvironmentReader.translate(environment)).isEqualTo(environment);
    }

    /** So does {@code srun --mpi=pmi2}. */
    @Test
    void shouldNotTakePmiAloneForMpich() {
        Map<String, String> environment = Map.of("PMI_RANK", "1", "PMI_SIZE", "2", "PMI_FD", "9");
        assertThat(EnvironmentReader.translate(environment)).isEqualTo(environment);
    }

    @Test
    void shouldNameWhatIsMissingWithPmiPort() {
        Map<String, String> environment = Map.of("MPI_LOCALNRANKS", "2", "PMI_ID", "1", "PMI_PORT", "vm:36109");
        assertThatThrownBy(() -> EnvironmentReader.translate(environment)).isInstanceOf(JobStartException.class)
                .hasMessageStartingWith(
                        "the environment variable PMI_SIZE is missing, while MPI_LOCALNRANKS=2 says that "
                                + "MPICH has started this process; start the program with its mpirun, without -pmi");
    }

    @Test
    void shouldSayWhichVariablesContradictEachOther() {
        assertThatThrownBy(() -> translate(Map.of("PMI_RANK", "4"))).isInstanceOf(JobStartException.class)
                .hasMessageStartingWith("PMI_RANK=4, PMI_SIZE=4 and MPI_LOCALNRANKS=2 contradict each other;");
    }

    private static Map<String, String> translate(Map<String, String> others) {
        Map<String, String> environment = new HashMap<>(TWO_HOSTS);
        environment.putAll(others);
        return new HydraVariables(environment, PROXY).translate();
    }
}
