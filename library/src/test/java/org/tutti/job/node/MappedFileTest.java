/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Looks at the mappings of this process while it makes a file as a process of a job does. */
class MappedFileTest {
    private static final ProcessHandle SELF = ProcessHandle.current();

    @TempDir
    private Path directory;

    @Test
    void shouldTellAFileThatIsBeingMadeFromAPublishedOne() throws Exception {
        Path path = directory.resolve("job");
        Path made = directory.resolve("job.new-1-2");
        MappedFile file = MappedFile.of(path);
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(made, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            assertThat(file.isMappedBy(SELF)).isFalse();
            assertThat(file.isBeingMadeBy(SELF)).isFalse();
            channel.map(MapMode.READ_WRITE, 0, 4096, arena);
            assertThat(file.isMappedBy(SELF)).isTrue();
            assertThat(file.isBeingMadeBy(SELF)).isTrue();
            Files.createLink(path, made);
            Files.delete(made);
            assertThat(file.isMappedBy(SELF)).isTrue();
            assertThat(file.isBeingMadeBy(SELF)).isFalse();
            Files.delete(path);
            assertThat(file.isMappedBy(SELF)).isTrue();
            assertThat(file.isBeingMadeBy(SELF)).isFalse();
        }
        assertThat(file.isMappedBy(SELF)).isFalse();
    }

    @Test
    void shouldKnowAFileThatIsOpenedByItsName() throws Exception {
        Path path = Files.write(directory.resolve("job"), new byte[4096]);
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.map(MapMode.READ_ONLY, 0, 4096, arena);
            assertThat(MappedFile.of(path).isMappedBy(SELF)).isTrue();
            assertThat(MappedFile.of(path).isBeingMadeBy(SELF)).isFalse();
            assertThat(MappedFile.of(directory.resolve("jo")).isMappedBy(SELF)).isFalse();
        }
    }
}
