/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.tutti.JobStartException;

/**
 * The temporary directory of a job, with its compiled classes and the launcher's socket, for its owner only. A lock on
 * the file in it says that its launcher lives; the next launcher of the same user deletes the directories whose lock is
 * free.
 *
 * <p>Anybody may put something with such a name beside it: what is not a directory just as this class makes it is not
 * even opened, as opening a pipe waits for its other end. What is deleted is reached from directories that are open,
 * and never through a link: so no file elsewhere is meant, whatever is moved meanwhile.
 */
final class JobDirectory implements AutoCloseable {
    private static final String PREFIX = "tutti-";
    private static final Path LOCK = Path.of("launcher.lock");
    private static final Path SOCKET = Path.of("launcher.socket");
    private static final Path SELF = Path.of("/proc/self");
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path directory;
    private final FileChannel lock;

    private JobDirectory(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** {@return the new directory of a job, after those of dead launchers are gone} */
    static JobDirectory create(String job) {
        var parent = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            sweep(parent);
            return create(parent, job);
        } catch (IOException e) {
            throw new JobStartException("the directory " + parent + ", where each job has a directory of its own for "
                    + "compiled classes, cannot be used (" + e
                    + "); make room or a directory there, or name another one "
                    + "by JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=/some/directory");
        }
    }

    private static JobDirectory create(Path parent, String job) throws IOException {
        while (true) {
            var directory = Files.createDirectory(parent.resolve(PREFIX + job),
                    PosixFilePermissions.asFileAttribute(OWNER_ONLY));
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

    /** {@return where the launcher answers who asks for its job} */
    Path socket() {
        return socket(directory);
    }

    /** {@return where the launcher answers whose job has this directory} */
    static Path socket(Path directory) {
        return directory.resolve(SOCKET);
    }

    /** {@return the name of the job that has a directory} */
    static String job(Path directory) {
        return directory.getFileName().toString().substring(PREFIX.length());
    }

    /** {@return the directories of this user's jobs in another one, by name; some may be of dead launchers} */
    static List<Path> own(Path parent) {
        List<Path> found = new ArrayList<>();
        try (var entries = open(parent)) {
            var user = Files.getOwner(SELF);
            for (var entry : entries) {
                var name = entry.getFileName();
                if (name.toString().startsWith(PREFIX) && isOwnDirectory(entries, name, user)) {
                    found.add(parent.resolve(name));
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            return found; // what others may not list
        }
        found.sort(null);
        return found;
    }

    private static boolean isOwnDirectory(SecureDirectoryStream<Path> parent, Path name, UserPrincipal user) {
        try {
            return isOwnDirectory(attributes(parent, name), user);
        } catch (IOException _) {
            return false; // it has just gone
        }
    }

    @Override
    public void close() throws IOException {
        try (lock; var parent = open(directory.getParent()); var own = open(parent, directory.getFileName())) {
            delete(parent, directory.getFileName(), own);
        }
    }

    /** Deletes the directories that dead launchers of this user have left in another one. */
    static void sweep(Path parent) {
        try (var entries = open(parent)) {
            var user = Files.getOwner(SELF);
            for (var entry : entries) {
                if (entry.getFileName().toString().startsWith(PREFIX)) {
                    sweepIfUnused(entries, entry.getFileName(), user);
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            return; // a directory that others may not list can be used all the same
        }
    }

    private static void sweepIfUnused(SecureDirectoryStream<Path> parent, Path name, UserPrincipal user) {
        try {
            if (!isOwnDirectory(attributes(parent, name), user)) {
                return;
            }
            try (var directory = open(parent, name)) {
                var opened = directory.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
                if (isOwnDirectory(opened, user) && isOwnFile(attributes(directory, LOCK), user)) {
                    deleteIfUnlocked(parent, name, directory);
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            return; // one that just begins or ends, or cannot be deleted
        }
    }

    private static void deleteIfUnlocked(SecureDirectoryStream<Path> parent, Path name,
            SecureDirectoryStream<Path> directory) throws IOException {
        var options = Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try (var lock = (FileChannel) directory.newByteChannel(LOCK, options)) {
            if (lock.tryLock() != null) {
                delete(parent, name, directory);
            }
        }
    }

    /** Nobody else can have put anything into it. */
    private static boolean isOwnDirectory(PosixFileAttributes attributes, UserPrincipal user) {
        return attributes.isDirectory() && attributes.owner().equals(user)
                && attributes.permissions().equals(OWNER_ONLY);
    }

    private static boolean isOwnFile(PosixFileAttributes attributes, UserPrincipal user) {
        return attributes.isRegularFile() && attributes.owner().equals(user);
    }

    private static PosixFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name)
            throws IOException {
        return directory.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    private static SecureDirectoryStream<Path> open(Path directory) throws IOException {
        return (SecureDirectoryStream<Path>) Files.newDirectoryStream(directory); // as all are on Linux
    }

    private static SecureDirectoryStream<Path> open(SecureDirectoryStream<Path> parent, Path name)
            throws IOException {
        return parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    }

    /** The lock goes last: what could not be deleted to the end is found by the next sweep. */
    private static void delete(SecureDirectoryStream<Path> parent, Path name, SecureDirectoryStream<Path> directory)
            throws IOException {
        boolean hasLock = false;
        for (var entry : directory) {
            var inner = entry.getFileName();
            if (inner.equals(LOCK)) {
                hasLock = true;
            } else if (attributes(directory, inner).isDirectory()) {
                try (var open = open(directory, inner)) {
                    delete(directory, inner, open);
                }
            } else {
                directory.deleteFile(inner);
            }
        }
        if (hasLock) {
            directory.deleteFile(LOCK);
        }
        parent.deleteDirectory(name);
    }
}
