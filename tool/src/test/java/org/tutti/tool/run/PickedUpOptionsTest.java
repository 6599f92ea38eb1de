/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PickedUpOptionsTest {
    private static boolean passes(PickedUpOptions filter, String line) {
        var bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        return filter.take(bytes, 0, bytes.length) == null;
    }

    @Test
    void shouldLeaveOutWhatTheLauncherHasSaidAlready() {
        var filter = new PickedUpOptions(Map.of("JAVA_TOOL_OPTIONS", "-Dname=grün", "JDK_JAVA_OPTIONS", "-Xmx1g"));
        assertThat(passes(filter, "Picked up JAVA_TOOL_OPTIONS: -Dname=grün")).isFalse();
        assertThat(passes(filter, "NOTE: Picked up JDK_JAVA_OPTIONS: -Xmx1g")).isFalse();
    }

    @Test
    void shouldPassOnWhatIsNewOnce() {
        var filter = new PickedUpOptions(Map.of());
        for (var line : new String[]{"Picked up _JAVA_OPTIONS: -Xmx1g", "Picked up JAVA_TOOL_OPTIONS: -Da=b"}) {
            assertThat(passes(filter, line)).isTrue();
            assertThat(passes(filter, line)).isFalse();
        }
    }

    @Test
    void shouldPassOnWhatPrograms() {
        var filter = new PickedUpOptions(Map.of());
        for (var line : new String[]{"Picked up a stone", "Picked up a stone", "NOTE: none", "Note", "P", ""}) {
            assertThat(passes(filter, line)).as(line).isTrue();
        }
    }
}
