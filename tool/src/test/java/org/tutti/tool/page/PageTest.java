/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.TuttiException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The file of a page. */
class PageTest {
    @TempDir
    private Path directory;

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private static List<String> files(Path folder) throws Exception {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void shouldReplaceAFileAndLeaveNothingBesideIt() throws Exception {
        var file = directory.resolve("page.html");
        Files.writeString(file, "an older page");
        var link = Files.createSymbolicLink(directory.resolve("link.html"), file);
        new Page("a & b").write("--html", link);
        assertThat(link).isSymbolicLink();
        assertThat(file).content().startsWith("<!DOCTYPE html>").endsWith("</html>\n")
                .contains("<title>a &amp; b</title>");
        assertThat(files(directory)).containsExactlyInAnyOrder("page.html", "link.html");
    }

    @Test
    void shouldSayWhyAFileCannotBeWritten() {
        var file = directory.resolve("missing/page.html");
        assertThatThrownBy(() -> new Page("a").write("--html", file)).isInstanceOf(TuttiException.class)
                .hasMessage("--html " + file + " cannot be written (NoSuchFileException); name a file on a disk with "
                        + "room, in a directory that can be written to");
        assertThatThrownBy(() -> new Page("a").write("--html", Path.of("/dev/full")))
                .isInstanceOf(TuttiException.class).hasMessageStartingWith(
                        "--html /dev/full cannot be written (No space left on device); name a file on a disk");
    }

    @Test
    void shouldLeaveTheOldPageWhenTheDiskIsFull() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory.toString()) == 0,
                "skipped: only root can mount a small file system");
        try {
            var file = directory.resolve("page.html");
            Files.writeString(file, "an older page");
            assertThatThrownBy(() -> new Page("a").write("--html", file)).isInstanceOf(TuttiException.class)
                    .hasMessageContaining("(No space left on device)");
            assertThat(files(directory)).containsExactly("page.html");
            assertThat(file).content().isEqualTo("an older page");
        } finally {
            assertThat(run("umount", directory.toString())).isZero();
        }
    }

    @Test
    void shouldForbidEveryRequest() throws Exception {
        var file = directory.resolve("page.html");
        new Page("a").write("--html", file);
        var html = Files.readString(file);
        assertThat(html).containsPattern("content=\"default-src 'none'; style-src( 'sha256-[^']+'){2}; "
                + "script-src( 'sha256-[^']+'){3}; base-uri 'none'; form-action 'none'\"");
        assertThat(html).doesNotContain("<link", " src=", "@import", "url(");
    }

    /** A number that is none would be no JSON. */
    @Test
    void shouldWriteNoNumberAsNoValue() throws Exception {
        var file = directory.resolve("page.html");
        new Page("a").figure(new BarChart("t", "", Scale.LINEAR, List.of("g"),
                List.of(new Series("s", Arrays.asList(Double.NaN, null, 1.5))), false)).write("--html", file);
        assertThat(file).content().contains("\"values\":[null,null,1.5]");
    }

    @Test
    void shouldShowALimitedNumberOfRows() {
        var table = new Table("", List.of("n"));
        for (long row = 0; row < Table.ROWS_MAX + 1234; row++) {
            table.row(row);
        }
        assertThat(table.html()).contains("<p>1,234 more rows are not shown.</p>", ">9,999</td>")
                .doesNotContain(">10,000</td>");
    }

    @Test
    void shouldRefuseARowOfAnotherLength() {
        assertThatThrownBy(() -> new Table("", List.of("a", "b")).row("x")).hasMessage("1 cells for 2 columns");
        assertThatThrownBy(() -> new Histogram("t", "", new double[2], Scale.LINEAR, new long[2]))
                .hasMessage("2 intervals have 3 edges, not 2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            --bytes          | --bytes
            8,1k             | 8,1k
            a b              | 'a b'
            it's             | 'it'\\''s'
            $HOME            | '$HOME'
            ``               | ''""")
    void shouldQuoteArgumentsForAShell(String argument, String quoted) {
        assertThat(Origin.quoted(argument)).isEqualTo(quoted);
    }

    @Test
    void shouldTellCommandMachineAndDate() throws Exception {
        var file = directory.resolve("page.html");
        var page = new Page("a");
        Origin.addTo(page, List.of("bench", "-n", "2"));
        page.write("--html", file);
        assertThat(file).content().contains("<dd class=\"command\">tutti bench -n 2</dd>")
                .containsPattern("<dt>machine</dt><dd>.+, \\d+ cores, Linux .+</dd>")
                .containsPattern("<dt>date</dt><dd>\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\S+</dd>");
    }
}
