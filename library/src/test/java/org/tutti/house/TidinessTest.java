/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** Rules of the house that no compiler knows. */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class TidinessTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final Set<String> NO_SOURCES = Set.of("target", ".git", ".idea");
    private static final int LINES_MAX = 900;
    private static final int LINE_LENGTH_MAX = 120;
    private static final long FILE_BYTES_MAX = 400 << 10;

    /** How many sentences of a hundred may lack a named subject: "whoever waits" is right now and then. */
    private static final int UNNAMED_PERCENT_MAX = 1;

    /** The files of the project; it does not go into folders of build products, which change meanwhile. */
    private static List<Path> files(String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(HOME, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NO_SOURCES.contains(directory.getFileName().toString()) ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && file.toString().endsWith(ending)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(found).isNotEmpty();
        return found;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldKeepJavaFilesShortAndLicensed() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path file : files(".java")) {
            String text = read(file);
            boolean formatted = file.startsWith(HOME.resolve("library")) || file.startsWith(HOME.resolve("examples"));
            if (formatted && !text.startsWith("/* Copyright")) { // the other modules are formatted after this test
                faults.add(file + " has no licence header");
            }
            if (text.lines().count() > LINES_MAX) {
                faults.add(file + " has more than " + LINES_MAX + " lines");
            }
            text.lines().filter(line -> line.length() > LINE_LENGTH_MAX)
                    .forEach(line -> faults.add(file + " has a long line: " + line));
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void shouldBreakNoLineOfACommentInTheMiddle() throws IOException {
        Pattern broken = Pattern
                .compile("(?m)^ *(?:\\*|//) \\S.{60,}\\n( *(?:\\*|//)) (?:\\S+ ?){1,3}\\n\\1 [^\\s@<*].*$");
        for (Path file : files(".java")) {
            assertThat(broken.matcher(read(file)).results().map(MatchResult::group).toList())
                    .as("a line of a comment that goes on after one to three words in %s", file).isEmpty();
        }
    }

    @Test
    void shouldLeaveNothingUnfinished() throws IOException {
        Pattern marks = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b|@Dis" + "abled");
        for (Path file : files(".java")) {
            assertThat(marks.matcher(read(file)).find()).as("unfinished: %s", file).isFalse();
        }
    }

    @Test
    void shouldSayWhatEveryPublicTypeIsFor() throws IOException {
        Pattern type = Pattern.compile("public .*\\b(class|interface|record|enum) .*");
        for (Path file : files(".java")) {
            List<String> lines = read(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                if (type.matcher(lines.get(i)).matches() && file.toString().contains("/src/main/")) {
                    int before = i - 1;
                    while (lines.get(before).startsWith("@") || lines.get(before).startsWith("        ")) {
                        before--;
                    }
                    assertThat(lines.get(before)).as("Javadoc on %s", file).endsWith("*/");
                }
            }
        }
    }

    @Test
    void shouldKeepLinksInDocumentsAlive() throws IOException {
        Pattern link = Pattern.compile("\\]\\(([^)#]*)(?:#([^)]*))?\\)");
        for (Path file : files(".md")) {
            for (var found : link.matcher(read(file)).results().filter(found -> !found.group(1).contains("://"))
                    .toList()) {
                Path target = found.group(1).isEmpty() ? file : file.resolveSibling(found.group(1)).normalize();
                assertThat(target).as("link in %s", file).exists();
                if (found.group(2) != null) {
                    assertThat(headings(target)).as("link to a heading in %s", file).contains(found.group(2));
                }
            }
        }
    }

    /** The names by which headings are linked to. */
    private static List<String> headings(Path document) {
        return read(document).lines().filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void shouldFindSentencesWithoutANamedSubject() {
        String source = """
                /** Sends. Who waits, sleeps; the rank
                 * that wakes it {@link Waiter knows}.
                 *
                 * @param rank whoever waits
                 */
                String s = "/* Who */ // So"; // Where it is
                // a reader
                """;
        assertThat(Prose.ofJava(source)).containsExactly("Sends.", "Who waits, sleeps; the rank that wakes it Waiter "
                + "knows.", "whoever waits", "Where it is a reader");
        assertThat(Prose.ofJava(source).stream().filter(Prose::lacksSubject)).hasSize(3);
        assertThat(
                Prose.ofPage("# Of ranks\n\n- All but for one `who`\n  [wait](who.md)\n\n| So it is | the sender |\n"))
                .filteredOn(Prose::lacksSubject).containsExactly("Of ranks", "All but for one ` [wait]", "So it is");
    }

    @Test
    void shouldNameTheSubjectsOfSentences() throws IOException {
        assertNamed("comments", files(".java").stream().filter(file -> file.toString().contains("/src/main/"))
                .flatMap(file -> Prose.ofJava(read(file)).stream()).toList());
        assertNamed("pages", files(".md").stream().flatMap(file -> Prose.ofPage(read(file)).stream()).toList());
    }

    private static void assertNamed(String what, List<String> sentences) {
        List<String> unnamed = sentences.stream().filter(Prose::lacksSubject).toList();
        assertThat(unnamed).as("sentences of " + what + " without a named subject, of " + sentences.size())
                .hasSizeLessThanOrEqualTo(sentences.size() * UNNAMED_PERCENT_MAX / 100);
    }

    @Test
    void shouldContainNoLargeFiles() throws IOException {
        for (Path file : files("")) {
            assertThat(Files.size(file)).as("size of %s", file).isLessThan(FILE_BYTES_MAX);
        }
    }
}
