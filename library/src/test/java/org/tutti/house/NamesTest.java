/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** A program that says {@code import module org.tutti} also sees all of java.base: no name may mean two things. */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class NamesTest {
    @Test
    void shouldCollideWithNothingInJavaBase() throws IOException {
        Set<String> ours = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("org.tutti").stream().filter(type -> type.getPackageName().equals("org.tutti"))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && !type.isNestedClass())
                .map(JavaClass::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
        assertThat(ours).contains("Tutti", "Job", "Communicator", "Reduction", "Span", "Topology");
        Set<String> theirs = publicNamesOfJavaBase();
        assertThat(theirs).contains("List", "Thread", "MemorySegment");
        assertThat(ours).doesNotContainAnyElementsOf(theirs);
    }

    private static Set<String> publicNamesOfJavaBase() throws IOException {
        Set<String> exported = ModuleFinder.ofSystem().find("java.base").orElseThrow().descriptor().exports().stream()
                .filter(export -> !export.isQualified()).map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet());
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
        try (Stream<Path> files = Files.walk(base)) {
            return files.map(base::relativize).filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> file.getParent() != null
                            && exported.contains(file.getParent().toString().replace('/', '.')))
                    .map(file -> file.getFileName().toString().replace(".class", ""))
                    .filter(name -> !name.contains("$"))
                    .collect(Collectors.toSet());
        }
    }
}
