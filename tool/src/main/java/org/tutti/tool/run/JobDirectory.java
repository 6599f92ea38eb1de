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
 * The temporary directory of a job, with its compiled classes and the launcher's socket, for its owner only. A locked
 * file in it shows that its launcher lives. The next launcher of the same user deletes the directories with a free
 * lock.
 *
 * <p>Any user may put an entry with such a name beside it. This class opens only directories exactly as it makes them,
 * because opening a pipe, for example, would wait for its other end. It reaches everything that it deletes from open
 * directories, and never through a link, so that it deletes no file elsewhere, whatever is moved meanwhile.
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

    /** {@return the new directory of a job; this method deletes the directories of dead launchers first} */
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
            lock.close(); // another launcher has swept the directory just before this one locked it
            Files.deleteIfExists(directory);
        }
    }

    /** {@return the directory for the compiled classes} */
    Path classes() {
        return directory;
    }

    /** {@return the path of the socket on which the launcher answers questions about its job} */
    Path socket() {
        return socket(directory);
    }

    /** {@return the path of the socket on which the launcher answers, given the directory of its job} */
    static Path socket(Path directory) {
        return directory.resolve(SOCKET);
    }

    /** {@return the name of the job, given its directory} */
    static String job(Path directory) {
        return directory.getFileName().toString().substring(PREFIX.length());
    }

    /**
     * {@return the directories of this user's jobs in a parent directory, by name; some may belong to dead launchers}
     */
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
            return found; // this user may not list the parent directory
        }
        found.sort(null);
        return found;
    }

    private static boolean isOwnDirectory(SecureDirectoryStream<Path> parent, Path name, UserPrincipal user) {
        try {
            return isOwnDirectory(attributes(parent, name), user);
        } catch (IOException _) {
            return false; // the directory has just been deleted
        }
    }

    @Override
    public void close() throws IOException {
        try (lock; var parent = open(directory.getParent()); var own = open(parent, directory.getFileName())) {
            delete(parent, directory.getFileName(), own);
        }
    }

    /** Deletes the directories of this user's dead launchers in a parent directory. */
    static void sweep(Path parent) {
        try (var entries = open(parent)) {
            var user = Files.getOwner(SELF);
            for (var entry : entries) {
                if (entry.getFileName().toString().startsWith(PREFIX)) {
                    sweepIfUnused(entries, entry.getFileName(), user);
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            return; // jobs can use a directory that this user may not list
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
            return; // the directory is just being made or deleted, or cannot be deleted
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

    /** Whether this user alone can have put anything into the directory. */
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
        return (SecureDirectoryStream<Path>) Files.newDirectoryStream(directory); // true of all directories on Linux
    }

    private static SecureDirectoryStream<Path> open(SecureDirectoryStream<Path> parent, Path name)
            throws IOException {
        return parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    }

    /** Deletes the lock last, so that the next sweep finds a directory that could not be deleted completely. */
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
