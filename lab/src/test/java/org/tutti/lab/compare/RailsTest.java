/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.tool.bench.CollectiveOperation;

import static org.assertj.core.api.Assertions.assertThat;

/** Every contender is started on the rails that it may use. */
class RailsTest {
    private static final Layout LAYOUT = new Layout(2, 1);
    private static final Loop LOOP =
            new CollectiveLoop(CollectiveOperation.ofLabels(List.of("all-to-all", "allgather")), List.of(8L), 1,
                    false);

    @TempDir
    private Path directory;

    private Place place(String... rails) {
        return new Place(directory, directory, directory, "name", List.of(rails));
    }

    private Map<String, String> commands(Place place, List<String> names, List<String> algorithms) {
        return new TuttiContenders(place, algorithms).contenders(names, LOOP).stream()
                .filter(contender -> contender.suits().test(LAYOUT)).collect(Collectors.toMap(Contender::name,
                        contender -> String.join(" ", contender.starter().command(LAYOUT, LOOP, directory))));
    }

    @Test
    void shouldGiveTuttiAllRailsOrTheFirstOne() {
        var commands = commands(place("rail1", "rail2"), List.of("tutti", "single-rail"), List.of());
        assertThat(commands).containsOnlyKeys("tutti", "tutti single-rail");
        assertThat(commands.get("tutti")).endsWith(" --rails rail1,rail2");
        assertThat(commands.get("tutti single-rail")).endsWith(" --rails rail1");
    }

    @Test
    void shouldHaveNoSingleRailBesideTheOnlyOne() {
        assertThat(commands(place("rail0"), List.of("tutti", "single-rail"), List.of())).containsOnlyKeys("tutti");
    }

    /** The checkout's script builds what has changed, beside the measurement and with other classes. */
    @Test
    void shouldStartTheClassesOfThisJvmOnEachHost() throws Exception {
        var command = commands(place("rail0"), List.of("tutti"), List.of()).get("tutti");
        assertThat(command).contains(" --remote-tutti " + directory.resolve("tutti") + " ");
        assertThat(directory.resolve("tutti")).isExecutable();
        assertThat(directory.resolve("tutti")).content().contains(" '-cp' '" + System.getProperty("java.class.path"))
                .endsWith(" 'org.tutti.tool.Main' \"$@\"\n");
    }

    @Test
    void shouldForceAnAlgorithmOnAllThatIsMeasured() {
        var commands = commands(place("rail0"), List.of(), List.of("bruck@3-ports"));
        assertThat(commands).containsOnlyKeys("tutti bruck@3-ports");
        assertThat(commands.get("tutti bruck@3-ports"))
                .startsWith("env TUTTI_ALGORITHM=allgather=bruck@3-ports,all-to-all=bruck@3-ports ");
    }

    /** The contenders of Qian and Afsahi's figure 11 that know no nodes: all ranks are nodes, in their order. */
    @Test
    void shouldHaveANodeForEachRankOfFlatAlgorithms() {
        var layout = new Layout(2, 3);
        var place = place("rail0", "rail1");
        var commands = new TuttiContenders(place, List.of("bruck")).contenders(List.of("flat"), LOOP).stream()
                .filter(contender -> contender.suits().test(layout)).collect(Collectors.toMap(Contender::name,
                        contender -> String.join(" ", contender.starter().command(layout, LOOP, directory))));
        assertThat(commands).containsOnlyKeys("tutti flat", "tutti bruck", "tutti flat bruck");
        assertThat(commands.get("tutti flat bruck"))
                .startsWith("env TUTTI_ALGORITHM=allgather=bruck,all-to-all=bruck ")
                .contains(" --hosts name-1:1,name-1:1,name-1:1,name-2:1,name-2:1,name-2:1 ");
        assertThat(commands.get("tutti bruck")).contains(" --hosts name-1:3,name-2:3 ");
        assertThat(commands(place, List.of("flat"), List.of("bruck"))).as("with a rank a node")
                .containsOnlyKeys("tutti bruck");
    }

    /** Its processes find each other by one interface, and send by all. */
    @Test
    void shouldGiveOpenMpiAllRails() {
        var command =
                String.join(" ", new PeerPrograms(place("rail0", "rail1"), null).openMpiCommand(List.of("program"),
                        List.of(), LAYOUT, LOOP, directory));
        assertThat(command).contains(" btl_tcp_if_include rail0,rail1 ", " oob_tcp_if_include rail0 ");
    }
}
