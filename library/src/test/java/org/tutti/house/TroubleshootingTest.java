/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every message that the page for users quotes stands in a source file, so that a changed message is changed on the
 * page, too.
 */
class TroubleshootingTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");

    /** What the JVM, its compiler, Maven and a test framework say. */
    private static final Set<String> NOT_OURS = Set.of("Program.java:3: error: …", "Unrecognized VM option",
            "Could not create the Java Virtual Machine", "Conflicting collector combinations",
            "UnsupportedClassVersionError", "imported module not found: org.tutti",
            "using incubating module(s): jdk.incubator.vector", "Using incubator modules: jdk.incubator.vector",
            "InvalidModuleDescriptorException: Unsupported major.minor version 69.0");

    /** The sources, with strings that are added to each other as one. */
    private static List<String> sources() throws IOException {
        try (Stream<Path> library = Files.walk(HOME.resolve("library/src/main/java"));
                Stream<Path> tool = Files.walk(HOME.resolve("tool/src/main/java"))) {
            return Stream.concat(Stream.of(HOME.resolve("tutti")), Stream.concat(library, tool))
                    .filter(Files::isRegularFile).map(TroubleshootingTest::read)
                    .map(text -> JOINED.matcher(text).replaceAll("").replace("\\\"", "\"")).toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What stands in the first column of the tables. */
    private static List<String> quotes() {
        return read(HOME.resolve("docs/troubleshooting.md")).lines().filter(line -> line.startsWith("| "))
                .map(line -> line.split(" \\| ")[0])
                .flatMap(cell -> QUOTE.matcher(cell).results().map(quote -> quote.group(1)))
                .filter(quote -> !NOT_OURS.contains(quote)).toList();
    }

    private static boolean says(String source, String quote) {
        return Arrays.stream(quote.split("…")).map(String::strip).allMatch(source::contains);
    }

    @Test
    void shouldQuoteWhatTheSourcesSay() throws IOException {
        List<String> sources = sources();
        assertThat(quotes()).hasSizeGreaterThan(100)
                .allMatch(quote -> sources.stream().anyMatch(source -> says(source, quote)));
    }
}
