/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.CommandProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** Programs of every kind, their options, and command lines that make no sense. */
@Timeout(300)
class ProgramTest {
    private static final String PRINTS_ARGUMENTS = """
            package some.place;

            public class Main {
                public static void main(String[] arguments) {
                    System.out.println(Helper.text(arguments));
                }
            }
            """;
    private static final String HELPER = """
            package some.place;

            class Helper {
                static String text(String[] arguments) {
                    return String.join(",", arguments);
                }
            }
            """;

    @TempDir
    private Path directory;

    private Path write(String name, String text) throws IOException {
        var file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void writeSources() throws IOException {
        write("some/place/Main.java", PRINTS_ARGUMENTS);
        write("some/place/Helper.java", HELPER);
    }

    private void compile() throws IOException {
        writeSources();
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d",
                directory.resolve("classes").toString(),
                "-sourcepath", directory.toString(), directory.resolve("some/place/Main.java").toString());
        assertThat(status).isZero();
    }

    private void jar(Attributes.Name attribute, String value) throws IOException {
        compile();
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(attribute, value);
        try (var jar = new JarOutputStream(Files.newOutputStream(directory.resolve("program.jar")), manifest)) {
            for (var name : new String[]{"some/place/Main.class", "some/place/Helper.class"}) {
                jar.putNextEntry(new JarEntry(name));
                Files.copy(directory.resolve("classes").resolve(name), jar);
            }
        }
    }

    private void shouldPrint(String output, String... arguments) throws Exception {
        try (var launcher = LauncherProcess.run(directory, arguments)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).isEqualTo(output);
            assertThat(launcher.err()).isEmpty();
        }
    }

    @Test
    void shouldRunASourceFileInAPackageWithOthersBesideIt() throws Exception {
        writeSources();
        shouldPrint("-n,@x,--,--help\n", "-n", "1", "some/place/Main.java", "-n", "@x", "--", "--help");
    }

    @Test
    void shouldRunAJar() throws Exception {
        jar(Attributes.Name.MAIN_CLASS, "some.place.Main");
        shouldPrint("a\n", "-n", "1", "program.jar", "a");
    }

    @Test
    void shouldRunAClass() throws Exception {
        compile();
        shouldPrint("a\n", "-n", "1", "-cp", "classes", "some.place.Main", "a");
    }

    @Test
    void shouldRunTheClassThatTheFileIsNamedAfter() throws Exception {
        write("Second.java", """
                class First { static void main() { IO.println("first"); } }
                class Second { static void main() { IO.println("second"); } }
                """);
        shouldPrint("second\n", "-n", "1", "Second.java");
    }

    @Test
    void shouldPrintCompileErrorsAsTheCompilerDoes() throws Exception {
        write("Broken.java", "void main() { int number = \"text\"; }\n");
        try (var launcher = LauncherProcess.run(directory, "-n", "2", "Broken.java")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).startsWith("Broken.java:1: error: incompatible types").endsWith("1 error\n");
            assertThat(launcher.left(Path.of(System.getProperty("java.io.tmpdir")))).isEmpty();
        }
    }

    @Test
    void shouldPassJvmOptionsAndEnvironmentOn() throws Exception {
        write("Program.java", """
                void main() {
                    IO.println(System.getProperty("color") + " " + System.getenv("SHAPE") + " "
                            + Runtime.getRuntime().maxMemory() / 1_000_000);
                }
                """);
        shouldPrint("red a=b 64\n", "-n", "1", "-J-Dcolor=red", "--jvm", "-Xmx64m", "--jvm", "-XX:+UseParallelGC",
                "--jvm",
                "-XX:-UseAdaptiveSizePolicy", "--env", "SHAPE=a=b", "Program.java");
    }

    @Test
    void shouldRunSeveralRanksInAProcess() throws Exception {
        write("Program.java", """
                import module org.tutti;

                void main() {
                    try (var job = Tutti.join()) {
                        job.world().barrier();
                        IO.println("x" + ProcessHandle.current().pid());
                    }
                }
                """);
        try (var launcher = LauncherProcess.run(directory, "-n", "5", "--ranks-per-process", "2", "--tag-output",
                "Program.java")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().map(line -> line.replaceAll("x.*", "x")))
                    .containsExactlyInAnyOrder("[0-1] x", "[0-1] x", "[2-3] x", "[2-3] x", "[4] x");
            assertThat(launcher.out().lines().distinct()).hasSize(3);
        }
    }

    @Test
    void shouldBindEachProcessToItsShareOfTheCores() throws Exception {
        write("Program.java", """
                void main() throws Exception {
                    for (var line : Files.readAllLines(Path.of("/proc/self/status"))) {
                        if (line.startsWith("Cpus_allowed_list")) {
                            IO.println(line.replaceAll(".*\\t", "core "));
                        }
                    }
                }
                """);
        int cores = Runtime.getRuntime().availableProcessors();
        try (var launcher = LauncherProcess.run(directory, "--bind", "Program.java")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().distinct()).hasSize(cores).allMatch(line -> line.matches("core \\d+"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
            "-n 0 x.jar                          | -n 0 is not possible; give a number from 1 to 4096",
            "-n 4097 x.jar                       | -n 4097 is not possible",
            "-n two x.jar                        | 'two'",
            "--ranks-per-process 0 x.jar         | --ranks-per-process 0 is not possible",
            "--algorithm reduce=magic x.jar       | there are flat, srm, srm-binary",
            "--algorithm reduce=srm:0-8q x.jar   | reduce=srm:0-8q is not possible: \"0-8q\" is no range of",
            "--algorithm reduce=srm:8-8 x.jar    | --algorithm reduce=srm:8-8 is not possible: the range 8-8 is empty",
            "--algorithm reduce=srm,flat:8- x.jar | reduce=srm,flat:8- is not possible: srm:0- and flat:8- overlap",
            "--tuning no-file x.jar              | --tuning no-file is no file; name a text file of rules",
            "--levels 4,6 x.jar                   | each a greater multiple of the one before, but are [4, 6]",
            "--levels four x.jar                  | --levels four is not possible",
            "--service often x.jar                | --service often is not possible",
            "--striping odd x.jar                | --striping odd is not possible: \"odd\" is no way of striping",
            "--timeout soon x.jar                | 'soon' is no duration from a millisecond to a year",
            "--timeout 0 x.jar                   | '0' is no duration from a millisecond",
            "--env NAME x.jar                    | --env 'NAME' sets nothing; write it as NAME=VALUE",
            "--env TUTTI_RANK=1 x.jar            | belong to the launcher",
            "--nodes 3 -n 2 x.jar                | --nodes 3 is not possible; give a number from 1 to 2",
            "--nodes 0 x.jar                     | --nodes 0 is not possible",
            "--nodes 2 --hosts a:2 x.jar         | --nodes 2 is not possible with --hosts",
            "--hosts a:2,b x.jar -n              | program file x.jar",
            "-n 4 --hosts a:2,b:1 x.jar          | -n 4 is not possible with --hosts a:2,b:1, which has 3 ranks",
            "--hosts a:2,,b:1 x.jar              | '' is no host with its number of ranks",
            "--agent ssh x.jar                   | --agent ssh has no meaning without --hosts",
            "--rails a,b;c x.jar                 | --rails 'a,b;c' is not possible",
            "--rails 1,2,3,4,5 x.jar             | they are 5, and there can be 4; name 1 to 4 interfaces, addresses",
            "--rails 10.0.0.0/33 x.jar           | 10.0.0.0/33 is no subnet",
            "--rails a --rails b x.jar           | --rails b is not possible: the rails of all hosts were said before",
            "--rails c=a x.jar                   | --rails c=a has no meaning without --hosts; leave 'c=' out",
            "--rails c=a --hosts a:1,b:1 x.jar   | --rails c=a is not possible: --hosts names no host 'c'",
            "--rails b= --hosts a:1,b:1 x.jar    | --rails 'b=' is not possible: it is empty",
            "--ports 20100-20000 x.jar           | --ports 20100-20000 is not possible: \"20100-20000\" is no range of",
            "--heartbeat 500ms x.jar             | --heartbeat 500 ms is not possible; give a duration from 1s",
            "--no-such-option x.jar              | there is no option --no-such-option",
            "--rank 2 x.jar                      | there is no option --rank; did you mean --ranks",
            "-Xmx1g x.jar                        | -Xmx1g is an option of the JVM; tutti run takes it as -J-Xmx1g",
            "-np 0 x.jar                         | -n 0 is not possible",
            "-n 2                                | program",
            "none.jar                            | program file none.jar does not exist or cannot be read",
            "none.java                           | program file none.java does not exist or cannot be read",
            "no.such.Main                        | class no.such.Main is not on the class path .;",
    })
    void shouldExplainACommandLineThatMakesNoSense(String arguments, String sentence) throws Exception {
        var ended = CommandProcess.runShared(("run " + arguments).split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith("tutti: ").contains(sentence).hasLineCount(1);
    }

    @Tag("thorough")
    @Test
    void shouldSayWhichOptionStandsAfterTheProgram() throws Exception {
        write("Program.java", "void main(String[] arguments) { IO.println(String.join(\",\", arguments)); }\n");
        try (var launcher = LauncherProcess.run(directory, "-n", "1", "Program.java", "--nodes=2", "-n", "3")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out()).isEqualTo("--nodes=2,-n,3\n");
            assertThat(launcher.err())
                    .isEqualTo("tutti: --nodes=2 comes after Program.java and so belongs to it; options "
                            + "of tutti run stand before the program.\n");
        }
        shouldPrint("-n,3\n", "-np", "1", "Program.java", "-n", "3");
    }

    @Test
    void shouldExplainThatAJarIsDamaged() throws Exception {
        write("program.jar", "no archive");
        try (var launcher = LauncherProcess.run(directory, "program.jar")) {
            assertThat(launcher.status()).isEqualTo(2);
            assertThat(launcher.err()).startsWith("tutti: program.jar is no jar that can be read (").hasLineCount(1);
        }
    }

    @Test
    void shouldExplainThatThereIsNoMainMethod() throws Exception {
        jar(Attributes.Name.MAIN_CLASS, "some.place.Helper");
        var end = "class some.place.Helper has no main method; declare void main() or "
                + "public static void main(String[] arguments)\n";
        shouldRefuse("tutti: program.jar: " + end, "program.jar");
        shouldRefuse("tutti: " + end, "-cp", "program.jar", "some.place.Helper");
        write("Empty.java", "class Empty extends Base { private static void main(String[] arguments) { } }\n"
                + "class Base { int main() { return 0; } }\n");
        shouldRefuse("tutti: Empty.java: class Empty has no main method; declare void main() or "
                + "public static void main(String[] arguments)\n", "Empty.java");
        write("Nothing.java", "\n");
        shouldRefuse("tutti: Nothing.java declares no class; declare void main()\n", "Nothing.java");
    }

    @Test
    void shouldRunAMainMethodOfASuperclass() throws Exception {
        var source = write("Program.java", "class Program extends Base { }\n"
                + "abstract class Base { void main() { IO.println(getClass().getName()); } }\n");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", directory.toString(),
                source.toString())).isZero();
        shouldPrint("Program\n", "-n", "1", "Program");
    }

    @Test
    void shouldExplainThatAJarHasNotTheClassThatItsManifestNames() throws Exception {
        jar(Attributes.Name.MAIN_CLASS, "some.place.Other");
        shouldRefuse("tutti: program.jar has no class some.place.Other, which its manifest names as its Main-Class; "
                + "build it again, or name a class yourself: -cp program.jar some.Main\n", "program.jar");
    }

    private void shouldRefuse(String sentence, String... arguments) throws Exception {
        try (var launcher = LauncherProcess.run(directory, arguments)) {
            assertThat(launcher.status()).as(launcher.err()).isEqualTo(2);
            assertThat(launcher.err()).isEqualTo(sentence);
        }
    }

    @Test
    void shouldExplainThatAJarNamesNoMainClass() throws Exception {
        jar(Attributes.Name.IMPLEMENTATION_TITLE, "none");
        try (var launcher = LauncherProcess.run(directory, "program.jar")) {
            assertThat(launcher.status()).isEqualTo(2);
            assertThat(launcher.err()).startsWith("tutti: the manifest of program.jar names no Main-Class; ")
                    .hasLineCount(1);
        }
    }
}
