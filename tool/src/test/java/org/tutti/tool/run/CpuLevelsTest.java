/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A machine of two sockets, each of two NUMA domains of two L3 caches that two cores share, written to files. */
class CpuLevelsTest {
    private static final int CPUS = 16;

    @TempDir
    private Path system;

    @BeforeEach
    void writeMachine() throws IOException {
        for (int cpu = 0; cpu < CPUS; cpu++) {
            write("cpu/cpu" + cpu + "/cache/index0/level", "1");
            write("cpu/cpu" + cpu + "/cache/index0/shared_cpu_list", String.valueOf(cpu));
            write("cpu/cpu" + cpu + "/cache/index3/level", "3");
            write("cpu/cpu" + cpu + "/cache/index3/shared_cpu_list", cpu / 2 * 2 + "-" + (cpu / 2 * 2 + 1));
            write("cpu/cpu" + cpu + "/node" + cpu / 4 + "/cpulist", "");
            write("cpu/cpu" + cpu + "/topology/physical_package_id", String.valueOf(cpu / 8));
        }
    }

    private void write(String file, String text) throws IOException {
        Path path = system.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    private List<Integer> groups(int... cpus) {
        return new CpuLevels(system).groups(IntStream.of(cpus).mapToObj(List::of).toList());
    }

    @Test
    void shouldFindEachLevelOfRanksThatFillTheMachine() {
        assertThat(groups(IntStream.range(0, CPUS).toArray())).containsExactly(2, 4, 8);
        assertThat(groups(IntStream.range(0, CPUS - 1).toArray())).containsExactly(2, 4, 8);
    }

    @Test
    void shouldNotFindLevelsThatHoldAllRanksOrOneEach() {
        assertThat(groups(0, 1)).isEmpty();
        assertThat(groups(0, 2, 4, 6)).containsExactly(2);
        assertThat(groups(0, 8)).isEmpty();
    }

    @Test
    void shouldNotFindGroupsWhoseRanksDoNotFollowEachOther() {
        assertThat(groups(0, 2, 1, 3)).isEmpty();
        assertThat(groups(0, 1, 8, 9, 2, 3)).containsExactly(2); // of each L3, but neither of a domain nor of a socket
    }

    @Test
    void shouldFindNothingWhereProcessesSpanDomainsOrTheSystemTellsNothing() {
        List<List<Integer>> spanning = new ArrayList<>();
        IntStream.range(0, 4).forEach(process -> spanning.add(IntStream.range(4 * process, 4 * process + 4).boxed()
                .toList()));
        assertThat(new CpuLevels(system).groups(spanning)).containsExactly(2);
        assertThat(new CpuLevels(system.resolve("nowhere")).groups(spanning)).isEmpty();
    }

    @Test
    void shouldCountDomains() {
        assertThat(new CpuLevels(system).describe(IntStream.range(0, CPUS).boxed().toList()))
                .isEqualTo("L3 8, NUMA 4, socket 2");
        assertThat(new CpuLevels(system.resolve("nowhere")).describe(List.of(0))).isEqualTo("unknown");
    }
}
