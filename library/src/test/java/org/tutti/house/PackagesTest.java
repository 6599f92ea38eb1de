/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** The picture and the table of the packages in docs/architecture.md are what the classes of the library say. */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class PackagesTest {
    private static final Path DOCS = Path.of("").toAbsolutePath().getParent().resolve("docs");
    private static final Map<String, Set<String>> PACKAGES =
            new PackageDependencies(ArchitectureTest.CLASSES).reduced();

    /** A row of the table: the package, what it is, and which packages it uses. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z.]+)` \\| (.*) \\| (.*) \\|$");
    private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");

    @Test
    void shouldDrawThePackagesAsTheyAre() throws IOException {
        String drawn = PackagePicture.draw(PACKAGES);
        Path here = Path.of("target", "packages.svg");
        Files.writeString(here, drawn);
        assertThat(Files.readString(DOCS.resolve("images/packages.svg")))
                .as("docs/images/packages.svg; %s has the right one", here.toAbsolutePath()).isEqualTo(drawn);
    }

    @Test
    void shouldListThePackagesAsTheyAre() throws IOException {
        String page = Files.readString(DOCS.resolve("architecture.md"));
        String house = page.substring(page.indexOf("\n## The house\n"));
        Map<String, Set<String>> listed = new TreeMap<>();
        ROW.matcher(house.substring(0, house.indexOf("\n## ", 1))).results()
                .forEach(row -> listed.put(row.group(1), names(row.group(3))));
        assertThat(listed).as("the table in docs/architecture.md; right is\n%s", PACKAGES.entrySet().stream()
                .map(each -> "| `" + each.getKey() + "` | … | `" + String.join("`, `", each.getValue()) + "` |")
                .collect(Collectors.joining("\n"))).isEqualTo(PACKAGES);
    }

    private static Set<String> names(String cell) {
        return NAME.matcher(cell).results().map((MatchResult each) -> each.group(1)).collect(Collectors.toSet());
    }
}
