/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Program;
import org.tutti.Tutti;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documents say what is, not how and when it came to be. Their Java snippets are compiled and run: each is a
 * program, or the body of one rank.
 */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class DocumentsTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final Pattern SNIPPET = Pattern.compile("(?s)```java\\n(.*?)```");
    private static final Pattern DIARY = Pattern.compile("(?i)\\b(today|yesterday|another day|nobody knows"
            + "|(this|last|earlier|next) session|sessions?,? before|(was|were) (not found|tried)|measured (again|anew)"
            + "|the issue's|half an hour (before|earlier)|used to be)\\b|\\*\\*Later");
    private static final Pattern PACKAGE_HOST = Pattern.compile("https?://(deb|archive|repo|registry|pypi|files)\\.");
    private static final int RANKS = 3;

    @Test
    void shouldCompileAndRunEverySnippet(@TempDir Path directory) throws Exception {
        List<Path> documents = documents();
        int snippets = 0;
        for (Path document : documents) {
            for (String snippet : SNIPPET.matcher(Files.readString(document)).results().map(found -> found.group(1))
                    .toList()) {
                run(directory.resolve("snippet" + snippets), snippet, document);
                snippets++;
            }
        }
        assertThat(snippets).isGreaterThanOrEqualTo(2);
    }

    @Test
    void shouldBeNoDiaryAndNameNoPackageHosts() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path document : documents()) {
            Files.readString(document).lines()
                    .filter(line -> DIARY.matcher(line).find() || PACKAGE_HOST.matcher(line).find())
                    .forEach(line -> faults.add(HOME.relativize(document) + ": " + line));
        }
        assertThat(faults).isEmpty();
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(List.of(HOME.resolve("README.md"), HOME.resolve("CONTRIBUTING.md"),
                HOME.resolve("STYLE.md"), HOME.resolve("CHANGELOG.md")));
        try (var files = Files.walk(HOME.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
        }
        return documents;
    }

    private static void run(Path directory, String snippet, Path document) throws Exception {
        Files.createDirectories(directory);
        Path source = directory.resolve("Snippet.java");
        Files.writeString(source, snippet.contains("void main()") ? snippet
                : "import module org.tutti;\nvoid main() throws Exception { try (var job = Tutti.join()) {\n"
                        + "var world = job.world();\n" + snippet + "\n} }\n");
        StringWriter said = new StringWriter();
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            Path classes = Path.of(Program.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            boolean compiled = compiler.getTask(said, files, null,
                    List.of("-d", directory.toString(), "-p", classes.toString(), "--add-modules", "org.tutti"), null,
                    files.getJavaFileObjects(source)).call();
            assertThat(compiled).as("snippet in %s:\n%s\n%s", document, snippet, said).isTrue();
        }
        try (var loader = new URLClassLoader(new URL[]{directory.toUri().toURL()},
                DocumentsTest.class.getClassLoader())) {
            Class<?> type = loader.loadClass("Snippet");
            Tutti.runLocal(RANKS, _ -> {
                var main = type.getDeclaredMethod("main");
                main.setAccessible(true);
                var constructor = type.getDeclaredConstructor();
                constructor.setAccessible(true);
                main.invoke(constructor.newInstance());
            });
        }
    }
}
