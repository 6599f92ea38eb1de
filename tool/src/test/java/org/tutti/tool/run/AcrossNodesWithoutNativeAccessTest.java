/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.Installation;

import static org.assertj.core.api.Assertions.assertThat;

/** The same jobs with the JDK's channels alone, as ranks have them where native access is denied. */
@Tag("thorough")
class AcrossNodesWithoutNativeAccessTest extends AcrossNodesTest {
    private static final String DENY = "--illegal-native-access=deny";

    @TempDir
    private Path directory;

    @Override
    List<String> wireOptions() {
        return List.of("-J" + DENY);
    }

    @ParameterizedTest
    @CsvSource({"-J--illegal-native-access=deny, false", "-J--illegal-native-access=warn, true",
            "-J--illegal-native-access=deny -J--illegal-native-access=allow, true",
            "-J--illegal-native-access=allow -J--illegal-native-access=deny, false"})
    void shouldDenyNativeAccessByTheLastOption(String options, boolean isAllowed) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-n", "1"));
        arguments.addAll(List.of(options.split(" ")));
        arguments.addAll(LauncherProcess.compiled(directory, """
                import module org.tutti;

                void main() {
                    IO.println(Tutti.class.getModule().isNativeAccessEnabled());
                }
                """));
        try (var launcher = LauncherProcess.run(directory, arguments.toArray(String[]::new))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).isEqualTo(isAllowed + "\n");
        }
    }

    /** The launcher of host b takes the option from its environment, so only host a has native access. */
    @Test
    void shouldExchangeLongBlocksWithANodeThatHasNativeAccess() throws Exception {
        var script = LauncherProcess.script(directory.resolve("tutti"), "test \"$X\" = a || export JDK_JAVA_OPTIONS="
                + DENY + "\nexec '" + String.join("' '", Installation.command()) + "' \"$@\"");
        List<String> arguments = new ArrayList<>(List.of("--hosts", "a:1,b:1", "--agent", "env X={host}",
                "--remote-tutti", script.toString()));
        arguments.addAll(LauncherProcess.compiled(directory, Programs.EXCHANGES_LONG_BLOCKS.replace("right targets\"",
                "right targets, \" + getClass().getModule().isNativeAccessEnabled()")));
        try (var launcher = LauncherProcess.run(directory, arguments.toArray(String[]::new))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0 has 60 right targets, true",
                    "1 has 60 right targets, false");
        }
    }
}
