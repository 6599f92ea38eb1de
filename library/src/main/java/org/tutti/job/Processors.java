/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many cores the ranks of a node may use together.
 */
final class Processors {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Processors() {}

    /**
     * Counts the cores that this process may run on. That is more than {@link Runtime#availableProcessors()} when this
     * JVM was told to use fewer for its own threads.
     */
    static int count() {
        int available = Runtime.getRuntime().availableProcessors();
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(ALLOWED)) {
                    return Math.max(available, countList(line.substring(ALLOWED.length()).strip()));
                }
            }
        } catch (IOException _) {
            return available; // not a Linux system
        }
        return available;
    }

    /** Counts the numbers of a list such as {@code 0-3,8}. */
    static int countList(String list) {
        int count = 0;
        for (String range : list.split(",")) {
            String[] ends = range.split("-");
            count += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
        }
        return count;
    }
}
