/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The options of the ranks' JVMs. */
class RankCommandTest {
    private static final long MACHINE_BYTES = 64_000_000_000L;

    private static List<String> command(String... jvmOptions) {
        return command(Map.of(), jvmOptions);
    }

    private static List<String> command(Map<String, String> environment, String... jvmOptions) {
        var node = JobPlan.plain(Placement.even(2, 1, 1), Optional.empty(), Rails.CHOSEN, List.of(jvmOptions))
                .node(0);
        var plan = new NodePlan(node.shape(), node.firstRank(), node.ranksPerProcess(), node.share(), node.bind(),
                node.directory(), node.memory(), node.joinTimeout(), node.heartbeat(), node.rails(), node.ports(),
                node.recordings(),
                environment,
                node.jvmOptions());
        return new RankCommand(plan, Program.of("Main", "", List.of())).process(0).command();
    }

    @ParameterizedTest
    @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
    void shouldLeaveTheCollectorToTheEnvironment(String variable) {
        assertThat(command(Map.of(variable, "-Da=b  -XX:+UseParallelGC -Xmx8g")))
                .noneMatch(option -> option.endsWith("GC"));
    }

    @Test
    void shouldChooseACollectorThatTheHeapOfTheEnvironmentCanWaitFor() {
        assertThat(command(Map.of("JAVA_TOOL_OPTIONS", "-Xmx8g"))).contains("-XX:+UseG1GC");
        assertThat(command(Map.of("JAVA_TOOL_OPTIONS", "-Xmx8g"), "-Xmx1g")).contains("-XX:+UseSerialGC");
    }

    @ParameterizedTest
    @CsvSource({"-Xmx1g, +UseSerialGC", "-Xmx4096m, +UseSerialGC", "-Xmx4194305k, +UseG1GC", "-Xmx5G, +UseG1GC",
            "-XX:MaxHeapSize=1t, +UseG1GC"})
    void shouldChooseACollectorThatTheHeapCanWaitFor(String heap, String collector) {
        assertThat(command(heap)).contains("-XX:" + collector).filteredOn(option -> option.endsWith("GC")).hasSize(1);
    }

    @Test
    void shouldLeaveTheCollectorToTheUser() {
        assertThat(command("-Xmx8g", "-XX:+UseParallelGC")).filteredOn(option -> option.endsWith("GC"))
                .containsExactly("-XX:+UseParallelGC");
    }

    /** A JVM that is told both prints a warning. */
    @Test
    void shouldLeaveLoopsToTheUser() {
        assertThat(command()).contains("-XX:+UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=1000");
        assertThat(command("-XX:-UseCountedLoopSafepoints")).filteredOn(option -> option.contains("Loop"))
                .containsExactly("-XX:-UseCountedLoopSafepoints");
    }

    @Test
    void shouldLetTheOptionsOfTheUserComeLast() {
        assertThat(command("-XX:-ExitOnOutOfMemoryError")).containsSubsequence("-XX:+ExitOnOutOfMemoryError",
                "-XX:-ExitOnOutOfMemoryError");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -XX:MaxRAMPercentage=30.0000                         | 19200000000
            -XX:MaxRAMPercentage=30.0000 -XX:MaxRAMPercentage=1  | 640000000
            -XX:MaxRAMPercentage=30.0000 -Xmx100                 | 100
            -Xmx2g -XX:MaxRAMPercentage=30.0000 -Xmx3k           | 3072
            -Xms1g                                               | 0
            """)
    void shouldKnowHowLargeAHeapMayBecome(String options, long bytes) {
        assertThat(HeapLimit.bytes(List.of(options.split(" ")), MACHINE_BYTES)).isEqualTo(bytes);
    }
}
