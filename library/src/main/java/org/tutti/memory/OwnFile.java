/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;

/**
 * Plain files of this process's user, in directories where others may put theirs, such as /dev/shm.
 *
 * <p>What has a name is looked at before it is opened, because opening somebody's pipe may wait or wake him; and again
 * afterwards, because somebody's file may have come to the name in between. A file that has the same {@link #key} both
 * times is the one that was opened: others can neither take a file of this user from its name nor put it back.
 */
public final class OwnFile {
    private static final Path SELF = Path.of("/proc/self");
    private static final int ROOT = 0;

    private OwnFile() {}

    /** A file is another user's, or no plain file; the message is a clause that says which. */
    public static final class NotOwnException extends IOException {
        private static final long serialVersionUID = 1;

        NotOwnException(String message) {
            super(message);
        }
    }

    /**
     * Finds out whose process this is.
     *
     * @return the number of its user
     * @throws IOException when the kernel does not tell
     */
    public static int user() throws IOException {
        return (Integer) Files.getAttribute(SELF, "unix:uid");
    }

    /**
     * Identifies the file that has a name now.
     *
     * @param path the name
     * @param links whether links are followed
     * @return what no other file has while this one exists
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
     * Finds out whether root has put a file here for this user, who is another one. Root can read and replace this
     * user's files as well.
     *
     * @param path the name; links are followed
     * @return whether it is root's
     * @throws java.nio.file.NoSuchFileException when there is none
     * @throws IOException when that cannot be found out
     */
    public static boolean isRoots(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid") == ROOT && user() != ROOT;
    }

    /**
     * As {@link #key}, for a file that {@link #isRoots}.
     *
     * @param path the name; links are followed
     * @return what no other file has while this one exists
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
