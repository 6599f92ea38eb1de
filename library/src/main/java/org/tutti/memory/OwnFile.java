/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;

/**
 * Checks that a plain file belongs to this process's user, in directories that others can write to, such as /dev/shm.
 *
 * <p>A caller checks a file before it opens it, because opening another user's pipe may block or may wake that user's
 * process. It checks again afterwards, because another user's file may have taken the name in between. If the {@link
 * #key} is the same both times, the opened file is the checked one: other users can neither take a file of this user
 * from its name nor put it back.
 */
public final class OwnFile {
    private static final Path SELF = Path.of("/proc/self");
    private static final int ROOT = 0;

    private OwnFile() {}

    /** Thrown when a file is another user's or no plain file; the message is a clause that tells which. */
    public static final class NotOwnException extends IOException {
        private static final long serialVersionUID = 1;

        NotOwnException(String message) {
            super(message);
        }
    }

    /**
     * Returns the user of this process.
     *
     * @return the number of its user
     * @throws IOException when the kernel does not tell
     */
    public static int user() throws IOException {
        return (Integer) Files.getAttribute(SELF, "unix:uid");
    }

    /**
     * Identifies the file that currently has a name.
     *
     * @param path the name
     * @param links whether links are followed
     * @return a key that no other file has while this one exists
     * @throws java.nio.file.NoSuchFileException when there is none
     * @throws NotOwnException when it is not a plain file of this user
     * @throws IOException when that cannot be found out
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
     * Returns whether a file is root's and this user is not root. Root can read and replace this user's files anyway,
     * so a file that root put there for this user can be trusted.
     *
     * @param path the name; links are followed
     * @return whether the file is root's, and this user is not
     * @throws java.nio.file.NoSuchFileException when there is none
     * @throws IOException when that cannot be found out
     */
    public static boolean isRoots(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid") == ROOT && user() != ROOT;
    }

    /**
     * Identifies a file for which {@link #isRoots} is true, as {@link #key} does for this user's own.
     *
     * @param path the name; links are followed
     * @return a key that no other file has while this one exists
     * @throws java.nio.file.NoSuchFileException when there is none
     * @throws NotOwnException when it is not a plain file of root
     * @throws IOException when that cannot be found out
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
