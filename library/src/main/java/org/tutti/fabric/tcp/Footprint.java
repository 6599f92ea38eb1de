/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.JobStartException;

/**
 * Computes the direct memory and the open files that a process needs for its connections, and checks whether the
 * process may have them. The need grows with the job. An unknown limit counts as unlimited.
 */
public final class Footprint {
    /**
     * The number of bytes of direct memory that every rail of a pair of processes needs. Some uses of a rail need more,
     * as docs/architecture.md tells.
     */
    static final long RAIL_BYTES = Rail.IN_BYTES + Rail.OUT_BYTES + Batch.BYTES;

    private static final int FILES_OF_SELECTORS = 8;
    private static final Pattern FILES = Pattern.compile("Max open files +(\\d+) .*");
    private static final Pattern DIRECT = Pattern.compile("-XX:MaxDirectMemorySize=(\\d+)([kKmMgGtT]?)");
    private static final String UNITS = "kmgt";

    private Footprint() {}

    /**
     * The limits of this process.
     *
     * @param directBytes the most direct memory in bytes, {@link Long#MAX_VALUE} if unknown
     * @param files the most open files, {@link Long#MAX_VALUE} if unknown
     * @param filesOpen the number of files that the process has open
     */
    record Limits(long directBytes, long files, long filesOpen) {
        static Limits read() {
            return new Limits(maxDirectBytes(), maxFiles(), openFiles());
        }

        private static long maxDirectBytes() {
            Optional<String[]> arguments = ProcessHandle.current().info().arguments();
            if (arguments.isEmpty() || Stream.of(arguments.get()).anyMatch(argument -> argument.startsWith("@"))) {
                return Long.MAX_VALUE;
            }
            String line = String.join(" ", arguments.get());
            return maxDirectBytes(Stream.of(System.getenv("JAVA_TOOL_OPTIONS"), System.getenv("JDK_JAVA_OPTIONS"), line,
                    System.getenv("_JAVA_OPTIONS")).filter(Objects::nonNull).collect(Collectors.joining(" ")));
        }

        /**
         * Returns the limit of direct memory in bytes that JVM options set. The last option counts. Without an option,
         * the limit is that of the heap.
         */
        static long maxDirectBytes(String options) {
            long bytes = 0;
            for (Matcher matcher = DIRECT.matcher(options); matcher.find();) {
                int unit = matcher.group(2).isEmpty() ? -1 : UNITS.indexOf(matcher.group(2).toLowerCase());
                bytes = Long.parseLong(matcher.group(1)) << 10 * (unit + 1);
            }
            return bytes > 0 ? bytes : Runtime.getRuntime().maxMemory();
        }

        private static long maxFiles() {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
                return lines.map(FILES::matcher).filter(Matcher::matches).mapToLong(
                        matcher -> Long.parseLong(matcher.group(1))).findFirst().orElse(Long.MAX_VALUE);
            } catch (IOException _) {
                return Long.MAX_VALUE;
            }
        }

        private static long openFiles() {
            String[] open = new File("/proc/self/fd").list();
            return open == null ? 0 : open.length;
        }
    }

    /**
     * Checks whether a process may have the direct memory and the open files that its connections need, and logs a
     * warning if it may not.
     *
     * @param self the first rank of the process
     * @param sure the number of processes with which the process will surely be connected
     * @param all the number of processes with which the process may be connected at most
     * @param rails the number of rails of the process
     * @throws JobStartException if the limits are too low for the sure connections
     */
    public static void check(int self, int sure, int all, int rails) {
        check(self, sure, all, rails, Limits.read()).ifPresent(
                warning -> System.getLogger(Footprint.class.getName()).log(Level.WARNING, warning));
    }

    static Optional<String> check(int self, int sure, int all, int rails, Limits limits) {
        lack(self, sure, rails, 0, limits).ifPresent(lack -> {
            throw new JobStartException(lack);
        });
        return lack(self, all, rails, Acceptor.PENDING_MAX, limits);
    }

    /** Returns a sentence about a limit that is too low for a number of connections; empty if none is too low. */
    private static Optional<String> lack(int self, int processes, int rails, int pending, Limits limits) {
        long peerBytes = rails * RAIL_BYTES + (rails > 1 ? RetransmitBuffer.BYTES : 0);
        long bytes = processes * peerBytes;
        long files = limits.filesOpen + FILES_OF_SELECTORS + rails + pending + (long) processes * rails;
        String who = "the process of rank " + self + ", connected with " + processes + " other process"
                + (processes == 1 ? "" : "es") + " by " + rails + " rail" + (rails == 1 ? "" : "s") + ", needs ";
        if (bytes > limits.directBytes) {
            return Optional.of(who + bytes + " bytes of direct memory, " + peerBytes + " for each, and may have "
                    + limits.directBytes + "; allow more with -XX:MaxDirectMemorySize");
        }
        if (files > limits.files) {
            return Optional.of(who + files + " open files, and may have " + limits.files
                    + "; allow more with ulimit -n");
        }
        return Optional.empty();
    }
}
