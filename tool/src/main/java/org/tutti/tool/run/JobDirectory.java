/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;

/**
 * The temporary directory of a job's compiled classes, for its owner only. A lock on the file in it says that its
 * launcher lives; the next launcher deletes the directories whose lock is free.
 */
final class JobDirectory implements AutoCloseable {
    private static final String PREFIX = "tutti-";
    private static final String LOCK = "launcher.lock";

    private final Path directory;
    private final FileChannel lock;

    private JobDirectory(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** {@return the new directory of a job, after those of dead launchers are gone} */
    static JobDirectory create(String job) throws IOException {
        var parent = Path.of(System.getProperty("java.io.tmpdir"));
        sweep(parent);
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        while (true) {
            var directory = Files.createDirectory(parent.resolve(PREFIX + job), ownerOnly);
            var file = directory.resolve(LOCK);
            var lock = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            lock.lock();
            if (Files.exists(file)) {
                return new JobDirectory(directory, lock);
            }
            lock.close(); // another launcher has swept the directory just before it was locked
            Files.deleteIfExists(directory);
        }
    }

    /** {@return where the classes go} */
    Path classes() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        delete(directory);
        lock.close();
    }

    private static void sweep(Path parent) throws IOException {
        try (var candidates = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (var candidate : candidates) {
                try (var lock = FileChannel.open(candidate.resolve(LOCK), StandardOpenOption.WRITE)) {
                    if (lock.tryLock() != null) {
                        delete(candidate);
                    }
                } catch (IOException e) {
                    // Another user's, or one that just begins or ends: it is not ours to delete.
                }
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var paths = Files.walk(directory)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
