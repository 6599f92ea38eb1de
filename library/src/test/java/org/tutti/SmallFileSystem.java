/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Assumptions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A memory file system of a few pages, which only root can make.
 *
 * @param path where
 */
public record SmallFileSystem(Path path) implements AutoCloseable {
    /**
     * Mounts one in a directory of its own; skips the test when this user cannot.
     *
     * @param bytes its size
     * @return the file system
     */
    public static SmallFileSystem mount(long bytes) throws IOException, InterruptedException {
        var made = new SmallFileSystem(Files.createTempDirectory("tutti-small"));
        Assumptions.assumeTrue(made.mountOver(bytes) == 0, "skipped: only root can mount a small file system");
        return made;
    }

    /**
     * Hides it under another one for as long as something runs, so that its directory seems to have more room.
     *
     * @param bytes the size of the other one
     * @param action what runs
     */
    public void hideUnder(long bytes, Runnable action) throws IOException, InterruptedException {
        assertThat(mountOver(bytes)).isZero();
        try {
            action.run();
        } finally {
            unmount();
        }
    }

    private int mountOver(long bytes) throws IOException, InterruptedException {
        return run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", path.toString());
    }

    private void unmount() throws IOException, InterruptedException {
        assertThat(run("umount", path.toString())).isZero();
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    @Override
    public void close() throws IOException {
        try {
            unmount();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        Files.delete(path);
    }
}
