/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** How the script {@code tutti} starts a JVM in various surroundings; the JVM is a script that tells. */
@Timeout(60)
class ScriptSurroundingsTest {
    private static final String SERIAL = "-XX:+UseSerialGC";
    private static final String SILENT = "-XX:-DisplayVMOutput";

    @TempDir
    private Path directory;
    private Path checkout;

    private static Path executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    @BeforeEach
    void makeCheckoutAndJdk() throws IOException {
        checkout = Files.createDirectory(directory.resolve("check out"));
        executable(checkout.resolve("tutti"), Files.readString(Path.of("..", "tutti")));
        for (var part : List.of("library", "simulator", "tool", "lab")) {
            Files.createDirectories(checkout.resolve(part).resolve("src/main"));
            Files.createFile(checkout.resolve(part).resolve("pom.xml"));
        }
        Files.createFile(checkout.resolve("pom.xml"));
        Files.createDirectories(checkout.resolve("tool/target"));
        Files.createFile(checkout.resolve("tool/target/launcher.aot"));
        Files.createFile(checkout.resolve("tool/target/built"));
        executable(directory.resolve("jdk/bin/javac"), "");
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"25\"\n");
        executable(directory.resolve("jdk/bin/java"), """
                #!/bin/sh
                home=${0%/bin/java}
                (echo said) 2>/dev/null || echo refused >"$home/refused"
                {
                    for argument; do echo "$argument"; done
                    echo "LC_ALL=$LC_ALL"
                    for number in 0 2; do echo "$number $(readlink /proc/$$/fd/$number)"; done
                } >"$home/told"
                """);
    }

    private List<String> told(Map<String, String> environment, String command) throws Exception {
        var builder = new ProcessBuilder("/bin/sh", "-c", command, "sh", checkout.resolve("tutti").toString())
                .directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(directory.resolve("printed").toFile());
        var variables = builder.environment();
        variables.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG") || name.contains("JAVA"));
        variables.put("LC_ALL", "C.UTF-8");
        variables.put("JAVA_HOME", directory.resolve("jdk").toString());
        variables.putAll(environment);
        var process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ended in time").isTrue();
        var told = directory.resolve("jdk/told");
        assertThat(told).as(Files.readString(directory.resolve("printed"))).exists();
        return new ArrayList<>(Files.readAllLines(told));
    }

    @Test
    void shouldPassArgumentsOnAsTheyAre() throws Exception {
        assertThat(told(Map.of(), "exec \"$1\" run 'a b' '' '\"*$x' 'grün'"))
                .containsSubsequence("-cp", checkout.resolve("tool/target/tutti.jar") + ":"
                        + checkout.resolve("lab/target/lab.jar"), "org.tutti.lab.Laboratory", "run", "a b", "",
                        "\"*$x", "grün")
                .contains(SERIAL, SILENT, "-XX:AOTCache=" + checkout.resolve("tool/target/launcher.aot"));
    }

    @ParameterizedTest
    @CsvSource({"<&-, 0", "2>&-, 2", "<&- 2>&-, 0", "<&- >&-, 0", ">&- 2>&-, 2", "<&- >&- 2>&-, 2"})
    void shouldFillClosedDescriptors(String redirections, int number) throws Exception {
        assertThat(told(Map.of(), "exec \"$1\" run " + redirections)).contains(number + " /dev/null");
        boolean isClosed = redirections.contains(" >&-") || redirections.startsWith(">&-");
        assertThat(Files.exists(directory.resolve("jdk/refused"))).as("output is refused").isEqualTo(isClosed);
    }

    @Test
    void shouldLeaveOpenDescriptorsAlone() throws Exception {
        assertThat(told(Map.of(), "echo | \"$1\" run")).anyMatch(line -> line.startsWith("0 pipe:"))
                .contains("2 " + directory.resolve("printed"));
        assertThat(directory.resolve("printed")).hasContent("said");
    }

    @ParameterizedTest
    @CsvSource({"LC_ALL, C", "LC_ALL, POSIX", "LC_ALL, xx_YY.UTF-8", "LC_ALL, ''"})
    void shouldChooseALocaleThatHasAllCharacters(String name, String value) throws Exception {
        assertThat(told(Map.of(name, value), "exec \"$1\" run grün")).contains("LC_ALL=C.UTF-8", "grün");
    }

    @Test
    void shouldKeepALocaleThatHasAllCharacters() throws Exception {
        assertThat(told(Map.of("LC_ALL", "", "LANG", "C.UTF-8"), "exec \"$1\" run")).contains("LC_ALL=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
    void shouldLeaveTheCollectorToTheEnvironmentAndShowWhatTheJvmSaysOfIt(String variable) throws Exception {
        assertThat(told(Map.of(variable, "-Da=b -XX:+UseZGC"), "exec \"$1\" run"))
                .doesNotContain(SERIAL, SILENT).contains("-XX:TieredStopAtLevel=1");
        assertThat(told(Map.of(variable, "-Xshare:off"), "exec \"$1\" run")).contains(SERIAL)
                .noneMatch(flag -> flag.startsWith("-XX:AOTCache"));
    }

    @Test
    void shouldShowThatThereIsTooLittleMemoryForAJvm() throws Exception {
        assertThat(told(Map.of(), "ulimit -v 4000000; exec \"$1\" run")).contains(SERIAL).doesNotContain(SILENT);
    }

    @Test
    void shouldOptimizeWhatComputesForLong() throws Exception {
        assertThat(told(Map.of(), "exec \"$1\" simulate")).contains(SERIAL, SILENT)
                .doesNotContain("-XX:TieredStopAtLevel=1");
    }

    /** Maven is a script that waits until its second part is on the terminal. */
    @Test
    void shouldDrawABarOfTheBuildOnATerminal() throws Exception {
        Files.delete(checkout.resolve("tool/target/built"));
        executable(checkout.resolve("mvnw"), """
                #!/bin/sh
                echo "[INFO] Building two                [2/4]"
                until grep '1/4' ../shown >/dev/null; do sleep 0.1; done
                """);
        assertThat(Terminal.run(directory, List.of("env", "LC_ALL=C.UTF-8", "JAVA_HOME=" + directory.resolve("jdk"),
                checkout.resolve("tutti").toString(), "run")))
                .containsPattern("\rtutti: building \\(first use, .*\\) … \\[===== {15}] 1/4 \\(\\d+ s\\)")
                .containsPattern("\r\u001B\\[Ktutti: building \\(first use, .*\\) … done in \\d+ s\r\n");
    }

    @Test
    void shouldShowTheErrorsOfABuildThatFails() throws Exception {
        Files.delete(checkout.resolve("tool/target/built"));
        executable(checkout.resolve("mvnw"), """
                #!/bin/sh
                echo "[INFO] Building two                [2/4]"
                echo "[ERROR] the cause"
                echo "[INFO] BUILD FAILURE"
                exit 3
                """);
        var printed = directory.resolve("printed");
        var builder = new ProcessBuilder(checkout.resolve("tutti").toString(), "run").directory(directory.toFile())
                .redirectErrorStream(true).redirectOutput(printed.toFile());
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "JAVA_HOME", directory.resolve("jdk").toString()));
        assertThat(builder.start().waitFor()).isEqualTo(1);
        assertThat(printed).content().matches("tutti: building \\(first use, about a minute\\) … failed after \\d+ s; "
                + "the end of .*/build\\.log:\n\\[ERROR\\] the cause\n");
    }

    @Test
    void shouldSayThatTheDirectoryIsGone() throws Exception {
        var process = new ProcessBuilder("/bin/sh", "-c", "mkdir gone; cd gone; rmdir ../gone; exec \"$1\" run", "sh",
                checkout.resolve("tutti").toString()).directory(directory.toFile()).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(said).contains("tutti: the working directory has been deleted; change to another one.\n");
    }
}
