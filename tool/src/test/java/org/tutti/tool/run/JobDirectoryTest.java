/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The directories that the sweep of temporary directories deletes, and those that it keeps. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JobDirectoryTest {
    private static final String LOCK = "launcher.lock";
    private static final int NOBODY = 65_534;
    private static final int FILES = 30_000;

    @TempDir
    private Path parent;

    /** What is not to be deleted: a directory with a file, which is none of a job's. */
    private Path precious() throws IOException {
        var directory = Files.createDirectory(parent.resolve("precious"));
        return Files.writeString(directory.resolve("Some.class"), "precious");
    }

    /** A directory as a dead launcher leaves it, without its lock file. */
    private Path leftOver(String name) throws IOException {
        var directory = Files.createDirectory(parent.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(Files.createDirectories(directory.resolve("some/classes")).resolve("Some.class"), "class");
        return directory;
    }

    private Path withLock(Path directory) throws IOException {
        Files.createFile(directory.resolve(LOCK));
        return directory;
    }

    private static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static void makePipe(Path path) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    }

    @Test
    void shouldSweepWhatADeadLauncherHasLeft() throws Exception {
        var directory = withLock(leftOver("tutti-1"));
        JobDirectory.sweep(parent);
        assertThat(exists(directory)).isFalse();
    }

    @Test
    void shouldLeaveTheFilesOfAnotherUserAlone() throws Exception {
        var directory = withLock(leftOver("tutti-1"));
        var own = withLock(leftOver("tutti-2"));
        var foreignLock = withLock(leftOver("tutti-3"));
        for (var path : new Path[]{directory, directory.resolve(LOCK), foreignLock.resolve(LOCK)}) {
            giveAway(path);
        }
        JobDirectory.sweep(parent);
        assertThat(exists(directory.resolve("some/classes/Some.class"))).isTrue();
        assertThat(exists(foreignLock.resolve("some/classes/Some.class"))).isTrue();
        assertThat(exists(own)).as("what comes after it is swept").isFalse();
    }

    private static void giveAway(Path path) throws IOException {
        try {
            Files.setAttribute(path, "unix:uid", NOBODY);
        } catch (IOException e) {
            Assumptions.abort("only root can give files to another user");
        }
    }

    @Test
    void shouldLeaveADirectoryAloneThatOthersCouldWriteTo() throws Exception {
        var directory = withLock(leftOver("tutti-1"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        JobDirectory.sweep(parent);
        assertThat(exists(directory)).isTrue();
    }

    @Test
    void shouldNotWaitForPipes() throws Exception {
        makePipe(parent.resolve("tutti-1"));
        var directory = leftOver("tutti-2");
        makePipe(directory.resolve(LOCK));
        var own = withLock(leftOver("tutti-3"));
        JobDirectory.sweep(parent);
        assertThat(exists(directory)).isTrue();
        assertThat(exists(own)).isFalse();
    }

    @Test
    void shouldNotFollowLinks() throws Exception {
        var precious = precious();
        withLock(precious.getParent());
        Files.createSymbolicLink(parent.resolve("tutti-1"), precious.getParent());
        var lockedElsewhere = leftOver("tutti-2");
        Files.createSymbolicLink(lockedElsewhere.resolve(LOCK), precious);
        var inside = withLock(leftOver("tutti-3"));
        Files.createSymbolicLink(inside.resolve("some/classes/outside"), precious.getParent());
        JobDirectory.sweep(parent);
        assertThat(precious).hasContent("precious");
        assertThat(exists(parent.resolve("tutti-1"))).isTrue();
        assertThat(exists(lockedElsewhere)).isTrue();
        assertThat(exists(inside)).as("the link itself is swept").isFalse();
    }

    @Test
    void shouldDeleteNothingElsewhereWhenADirectoryIsSwappedForALink() throws Exception {
        var precious = precious();
        var directory = withLock(leftOver("tutti-1"));
        var swapped = Files.createDirectory(directory.resolve("a"));
        Files.createFile(swapped.resolve("Some.class"));
        var many = Files.createDirectory(directory.resolve("b"));
        for (int file = 0; file < FILES; file++) {
            Files.createFile(many.resolve(String.valueOf(file)));
        }
        var full = Files.getLastModifiedTime(many);
        var swap = new FutureTask<>(() -> {
            while (Files.getLastModifiedTime(many).equals(full)) { // none of its files has gone yet
                Thread.onSpinWait();
            }
            Files.move(swapped, parent.resolve("swapped"));
            return Files.createSymbolicLink(swapped, precious.getParent());
        });
        Thread.ofPlatform().daemon().start(swap);
        JobDirectory.sweep(parent);
        swap.get();
        assertThat(precious).hasContent("precious");
    }
}
