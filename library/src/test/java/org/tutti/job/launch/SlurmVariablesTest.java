/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The variables that srun of Slurm 22.05 sets, printed by {@code bench/slurm exec srun env}, and the job that they
 * describe.
 */
class SlurmVariablesTest {
    /** Rank 5 of {@code srun -N4 -n8} on nodes of four cores. */
    private static final Map<String, String> STEP = Map.of("PATH", "/usr/bin", "SLURM_JOB_ID", "17", "SLURM_STEP_ID",
            "0", "SLURM_PROCID", "5", "SLURM_NODEID", "1", "SLURM_STEP_NUM_TASKS", "8", "SLURM_STEP_NUM_NODES", "4",
            "SLURM_STEP_TASKS_PER_NODE", "4,2,1(x2)", "SLURM_STEP_NODELIST", "n[1-4]", "SLURM_NTASKS", "8");

    @Test
    void shouldTranslateWhatAStepOfSeveralNodesIsTold() {
        Map<String, String> expected = new HashMap<>(STEP);
        expected.putAll(Map.of("TUTTI_JOB", "slurm-17-0", "TUTTI_RANK", "5", "TUTTI_SIZE", "8", "TUTTI_NODE", "1",
                "TUTTI_NODES", "4", "TUTTI_NODE_RANKS", "2", "TUTTI_RENDEZVOUS", "n1:21717"));
        assertThat(EnvironmentReader.translate(STEP)).isEqualTo(expected);
    }

    @Test
    void shouldBeReadAsAJob() {
        JobEnvironment environment = EnvironmentReader.read(STEP).orElseThrow();
        assertThat(environment.shape()).isEqualTo(new NodeShape("slurm-17-0", 8, 1, 4, 2));
        assertThat(environment.firstRank()).isEqualTo(5);
        assertThat(environment.ranks()).isEqualTo(1);
        assertThat(environment.rendezvous()).contains("n1:21717");
    }

    @Test
    void shouldNeedNoRendezvousOnOneNode() {
        Map<String, String> environment = EnvironmentReader.translate(with(Map.of("SLURM_PROCID", "1", "SLURM_NODEID",
                "0", "SLURM_STEP_NUM_TASKS", "2", "SLURM_STEP_NUM_NODES", "1", "SLURM_STEP_TASKS_PER_NODE", "2",
                "SLURM_STEP_NODELIST", "n1")));
        assertThat(environment).doesNotContainKey("TUTTI_RENDEZVOUS");
        assertThat(EnvironmentReader.read(environment).orElseThrow().shape())
                .isEqualTo(NodeShape.single("slurm-17-0", 2));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"2(x4)|0|2", "2(x4)|3|2", "2,1(x2)|0|2", "2,1(x2)|1|1", "2,1(x2)|2|1",
            "4,2,1(x2)|1|2", "4,2,1(x2)|3|1", "1,3(x2),2|2|3", "1,3(x2),2|3|2", "7,1|0|7"})
    void shouldFindTheRanksOfThisNode(String tasksPerNode, String node, String ranks) {
        assertThat(EnvironmentReader.translate(with(Map.of("SLURM_STEP_TASKS_PER_NODE", tasksPerNode, "SLURM_NODEID",
                node)))).containsEntry("TUTTI_NODE_RANKS", ranks);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"n[1-4,7]|n1", "a-[001-003]b|a-001b", "n[7,9-12],m1|n7", "x,y|x",
            "login,n[1-3]|login", "rack[1-2]-n[04-08]|rack1-n04", "n1.example.org,n2.example.org|n1.example.org",
            "10.0.0.[1-4]|10.0.0.1", "n_a[0-1]|n_a0"})
    void shouldMeetOnTheFirstNode(String list, String node) {
        assertThat(EnvironmentReader.translate(with(Map.of("SLURM_STEP_NODELIST", list))))
                .containsEntry("TUTTI_RENDEZVOUS", node + ":21717");
    }

    @Test
    void shouldReadALongListOfNodes() {
        String list = "n[" + "1000-1001,".repeat(100_000) + "7]," + "m[1-2],".repeat(100_000) + "m9";
        assertThat(EnvironmentReader.translate(with(Map.of("SLURM_STEP_NODELIST", list))))
                .containsEntry("TUTTI_RENDEZVOUS", "n1000:21717");
    }

    @Test
    void shouldGiveNeighbouringJobsAndStepsPortsOfTheirOwn() {
        Set<Integer> ports = new HashSet<>();
        for (int job = 999_990; job < 1_000_010; job++) {
            for (int step = 0; step < 100; step++) {
                ports.add(port(String.valueOf(job), String.valueOf(step)));
            }
        }
        assertThat(ports).hasSize(2000).allMatch(port -> port >= 20_000 && port < 30_000);
        assertThat(port("4294967295", "4294967290")).isBetween(20_000, 29_999); // the largest that Slurm has
    }

    @ParameterizedTest
    @ValueSource(strings = {"TUTTI_JOB", "TUTTI_RANK", "TUTTI_SIZE"})
    void shouldLeaveTheWordToALauncherInsideAStep(String name) {
        Map<String, String> environment = with(Map.of(name, "1"));
        assertThat(EnvironmentReader.translate(environment)).isEqualTo(environment);
    }

    @ParameterizedTest
    @CsvSource({"TUTTI_NODE,2", "TUTTI_NODES,3", "TUTTI_NODE_RANKS,3", "TUTTI_RENDEZVOUS,127.0.0.1:5000",
            "TUTTI_MEMORY,/tmp"})
    void shouldKeepWhatIsSetAlready(String name, String value) {
        assertThat(EnvironmentReader.translate(with(Map.of(name, value)))).containsEntry(name, value)
                .containsEntry("TUTTI_RANK", "5");
    }

    @Test
    void shouldNeedNoListOfNodesWhenTheRendezvousIsSet() {
        Map<String, String> environment = with(Map.of("TUTTI_RENDEZVOUS", "127.0.0.1:5000"));
        environment.remove("SLURM_STEP_NODELIST");
        assertThat(EnvironmentReader.translate(environment)).containsEntry("TUTTI_RENDEZVOUS", "127.0.0.1:5000");
    }

    @Test
    void shouldKeepAProgramInABatchScriptAJobOfOne() {
        Map<String, String> script = Map.of("SLURM_JOB_ID", "5", "SLURM_PROCID", "0", "SLURM_NODEID", "0",
                "SLURM_NTASKS", "8", "SLURM_NNODES", "4", "SLURM_TASKS_PER_NODE", "4,2,1(x2)", "SLURM_NODELIST",
                "n[1-4]", "SLURM_GTIDS", "0");
        assertThat(EnvironmentReader.translate(script)).isEqualTo(script);
        assertThat(EnvironmentReader.read(script)).isEmpty();
    }

    @Test
    void shouldKeepAStepOfOneTaskAJobOfOne() {
        Map<String, String> shell = with(Map.of("SLURM_STEP_NUM_TASKS", "1", "SLURM_STEP_NUM_NODES", "1"));
        assertThat(EnvironmentReader.translate(shell)).isEqualTo(shell);
    }

    @Test
    void shouldTranslateNothingOutsideSlurm() {
        assertThat(EnvironmentReader.translate(Map.of("PATH", "/usr/bin"))).isEqualTo(Map.of("PATH", "/usr/bin"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"SLURM_JOB_ID|x", "SLURM_STEP_ID|''", "SLURM_PROCID|-1", "SLURM_NODEID|1.5",
            "SLURM_STEP_NUM_TASKS|eight", "SLURM_STEP_NUM_NODES|99999999999",
            "SLURM_STEP_TASKS_PER_NODE|4(2)", "SLURM_STEP_TASKS_PER_NODE|''", "SLURM_STEP_TASKS_PER_NODE|4",
            "SLURM_STEP_TASKS_PER_NODE|4,,1", "SLURM_STEP_NODELIST|''", "SLURM_STEP_NODELIST|n[",
            "SLURM_STEP_NODELIST|n[]", "SLURM_STEP_NODELIST|n[a]", "SLURM_STEP_NODELIST|,n1",
            "SLURM_STEP_NODELIST|(null)"})
    void shouldNameAMalformedVariableAndItsValue(String name, String value) {
        assertThatThrownBy(() -> EnvironmentReader.translate(with(Map.of(name, value))))
                .isInstanceOf(JobStartException.class).message().startsWith(name + "=\"" + value + "\" is not ")
                .doesNotContain("\n");
    }

    @Test
    void shouldSayWhichNodeHasNoTasks() {
        assertThatThrownBy(() -> EnvironmentReader.translate(with(Map.of("SLURM_NODEID", "4"))))
                .isInstanceOf(JobStartException.class).message().startsWith("SLURM_STEP_TASKS_PER_NODE=\"4,2,1(x2)\"")
                .contains("for node 4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_NODEID", "SLURM_STEP_NUM_NODES",
            "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST"})
    void shouldNameAMissingVariable(String name) {
        Map<String, String> environment = with(Map.of());
        environment.remove(name);
        assertThatThrownBy(() -> EnvironmentReader.translate(environment)).isInstanceOf(JobStartException.class)
                .hasMessageContaining("variable " + name + " is missing, while SLURM_STEP_NUM_TASKS=8");
    }

    private static int port(String job, String step) {
        String rendezvous = EnvironmentReader.translate(with(Map.of("SLURM_JOB_ID", job, "SLURM_STEP_ID", step)))
                .get("TUTTI_RENDEZVOUS");
        assertThat(rendezvous).startsWith("n1:");
        return Integer.parseInt(rendezvous.substring("n1:".length()));
    }

    private static Map<String, String> with(Map<String, String> others) {
        Map<String, String> environment = new HashMap<>(STEP);
        environment.putAll(others);
        return environment;
    }
}
