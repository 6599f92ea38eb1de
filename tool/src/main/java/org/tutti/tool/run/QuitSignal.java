/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Tells that this process has got SIGQUIT. The JVM keeps that signal for itself, for thread dumps; but what it does
 * then it does on a thread of its own, which sleeps otherwise, and Linux counts how often that thread has run. The dump
 * goes where the JVM's options send it: the script {@code tutti} has the launcher print none.
 */
final class QuitSignal {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final String SIGNAL_THREAD = "Signal Dispatch"; // as much of its name as Linux keeps

    private static final long FRESH_NANOS = 2_000_000_000;

    private final Optional<Path> statistics = statistics();
    private String runs = read("");
    private boolean isNew;
    private boolean hasEverCome;
    private long comeNanos;

    /** {@return whether the signal has come since this was asked last} */
    synchronized boolean hasCome() {
        look();
        boolean come = isNew;
        isNew = false;
        return come;
    }

    /** {@return whether the signal has come just before} */
    synchronized boolean isFresh() {
        look();
        return hasEverCome && System.nanoTime() - comeNanos < FRESH_NANOS;
    }

    private void look() {
        var before = runs;
        runs = read(before);
        if (!runs.equals(before)) {
            isNew = true;
            hasEverCome = true;
            comeNanos = System.nanoTime();
        }
    }

    private String read(String before) {
        try {
            return statistics.isPresent() ? runs(Files.readString(statistics.get())) : before;
        } catch (IOException _) {
            return before; // the kernel keeps none
        }
    }

    /** The last of its three numbers: how often the thread got a processor. */
    private static String runs(String line) {
        return line.strip().replaceFirst(".* ", "");
    }

    private static Optional<Path> statistics() {
        try (var threads = Files.newDirectoryStream(THREADS)) {
            for (var thread : threads) {
                if (name(thread).equals(SIGNAL_THREAD)) {
                    return Optional.of(thread.resolve("schedstat"));
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            return Optional.empty(); // no Linux: then the signal is not noticed
        }
        return Optional.empty();
    }

    private static String name(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).strip();
        } catch (IOException _) {
            return ""; // it has just ended
        }
    }
}
