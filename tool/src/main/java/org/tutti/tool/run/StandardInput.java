/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** The standard input of this process. */
final class StandardInput {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/0");

    private StandardInput() {}

    /**
     * {@return whether the process was started with a standard input}
     *
     * <p>If it was not, the JVM has taken the descriptor for a file of the JDK or of the class path.
     */
    static boolean isThere() {
        try {
            var file = DESCRIPTOR.toRealPath();
            return !file.startsWith(Path.of(System.getProperty("java.home")).toRealPath())
                    && Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                            .noneMatch(entry -> isSame(Path.of(entry), file));
        } catch (IOException _) {
            return true; // a pipe or a socket, which has no path; or not Linux
        }
    }

    private static boolean isSame(Path entry, Path file) {
        try {
            return entry.toRealPath().equals(file);
        } catch (IOException _) {
            return false; // the descriptor is not open
        }
    }
}
