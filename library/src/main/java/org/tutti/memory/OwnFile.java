/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;

/**
 * Checks that a plain file belongs to the user of this process. The check is for files in directories to which other
 * users can write, such as /dev/shm.
 *
 * <p>A caller checks a file before it opens it, because opening another user's pipe may block or may wake that user's
 * process. It checks again after it has opened the file, because another user's file may have taken the name in
 * between. If the {@link #key}, which identifies the file, is the same both times, the opened file is the checked one.
 * The reason is that other users can neither remove the name of this user's file nor restore it.
 */
public final class OwnFile {
    private static final Path SELF = Path.of("/proc/self");
    private static final int ROOT = 0;

    private OwnFile() {}

    /** Thrown if a file belongs to another user, or is not a plain file. The message is a clause that says which. */
    public static final class NotOwnException extends IOException {
        private static final long serialVersionUID = 1;

        NotOwnException(String message) {
            super(message);
        }
    }

    /**
     * Returns the user of this process.
     *
     * @return the number of the user
     * @throws IOException if the kernel does not report it
     */
    public static int user() throws IOException {
        return (Integer) Files.getAttribute(SELF, "unix:uid");
    }

    /**
     * Returns an object that identifies the file that currently has a given name. Throws an exception unless it is a
     * plain file of this user.
     *
     * @param path the name of the file
     * @param links whether symbolic links are followed
     * @return a key that no other file has while this one exists
     * @throws java.nio.file.NoSuchFileException if there is no such file
     * @throws NotOwnException if it is not a plain file of this user
     * @throws IOException if the file cannot be examined
     */
    public static Object key(Path path, LinkOption... links) throws IOException {
        UserPrincipal user = Files.getOwner(SELF);
        var attributes = Files.readAttributes(path, PosixFileAttributes.class, links);
        if (!attributes.owner().equals(user)) {
            throw new NotOwnException("it belongs to " + attributes.owner().getName() + ", and not to "
                    + user.getName() + ", who runs this process");
        }
        return plainKey(attributes);
    }

    /**
     * Returns whether the file is owned by root and the current user is not root. Root can read and replace this user's
     * files anyway, so a file that root put there for this user can be trusted.
     *
     * @param path the name of the file; symbolic links are followed
     * @return whether the file is owned by root, and the current user is not root
     * @throws java.nio.file.NoSuchFileException if there is no such file
     * @throws IOException if the file cannot be examined
     */
    public static boolean isRoots(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid") == ROOT && user() != ROOT;
    }

    /**
     * Returns an object that identifies the file that currently has a given name. Throws an exception unless it is a
     * plain file of root. The method is for files for which {@link #isRoots} returns true.
     *
     * @param path the name of the file; symbolic links are followed
     * @return a key that no other file has while this one exists
     * @throws java.nio.file.NoSuchFileException if there is no such file
     * @throws NotOwnException if it is not a plain file of root
     * @throws IOException if the file cannot be examined
     */
    public static Object keyOfRoots(Path path) throws IOException {
        var attributes = Files.readAttributes(path, PosixFileAttributes.class);
        if (!isRoots(path)) {
            throw new NotOwnException("it belongs to root no more");
        }
        return plainKey(attributes);
    }

    private static Object plainKey(PosixFileAttributes attributes) throws NotOwnException {
        if (!attributes.isRegularFile()) {
            throw new NotOwnException("it is no plain file");
        }
        return attributes.fileKey();
    }
}
